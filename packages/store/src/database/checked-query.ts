import { type Compilable, compileQuery, prepareQuery, type Query, type SqlValue } from './database.ts';
import { findRowDamage, listIndependentColumns, type RowDamage } from './independent-rows.ts';
import { hasWrongSum, listSumGroups } from './row-sums.ts';
import type { IndependentTable, StoredRow, SumGroup } from './sum-groups.ts';

/** A row of a checked query: `damage` lists the damaged rows of tables from which it comes; usually empty. */
type CheckedRow<Row> = Row & { readonly damage: readonly RowDamage[] };

type QueryParameters = Readonly<Record<string, SqlValue>>;

/**
 * Prepares a query as `prepareQuery` does. It also selects the sums of the tables in its `from` clause, with their
 * columns, and checks them in each row. A damaged row is returned like the others: the caller decides what to refuse.
 */
export function prepareCheckedQuery<P extends QueryParameters, Row>(
  tables: readonly IndependentTable[],
  build: (p: P) => Compilable<Row>,
): (values: P) => Query<CheckedRow<Row>> {
  const createQuery = prepareQuery((p: P) => selectCheckedColumns(tables, build(p)));
  const finish = createRowCheck<Row>(tables);
  return (values) => ({ ...createQuery(values), finish });
}

/** Compiles a query as `compileQuery` does, with the checks of `prepareCheckedQuery`. */
export function compileCheckedQuery<Row>(
  tables: readonly IndependentTable[],
  builder: Compilable<Row>,
): Query<CheckedRow<Row>> {
  return { ...compileQuery(selectCheckedColumns(tables, builder)), finish: createRowCheck<Row>(tables) };
}

/** Separates the table and the column in the names of checked columns. */
const SEPARATOR = '$';

/** A query builder of Kysely whose selected columns are not known to the type system. */
interface ColumnSelecting<Row> {
  select(columns: readonly string[]): Compilable<CheckedRow<Row>>;
}

function selectCheckedColumns<Row>(
  tables: readonly IndependentTable[],
  builder: Compilable<Row>,
): Compilable<CheckedRow<Row>> {
  const columns = tables.flatMap((table) =>
    listIndependentColumns(table).map((column) => `${table}.${column} as ${formatAlias(table, column)}`),
  );
  return (builder as Compilable<Row> & ColumnSelecting<Row>).select(columns);
}

/** Returns a function that checks a row of the database and replaces the checked columns with the damage. */
function createRowCheck<Row>(tables: readonly IndependentTable[]): (row: CheckedRow<Row>) => CheckedRow<Row> {
  const checks = tables.map((table) => ({
    table,
    groups: listSumGroups(table).map((group) => addPrefix(table, group)),
  }));
  // All rows of a query have the same columns.
  let ownColumns: readonly string[] | null = null;
  return (stored) => {
    const row = stored as StoredRow;
    ownColumns ??= Object.keys(row).filter((name) => !name.includes(SEPARATOR));
    const damage: RowDamage[] = [];
    for (const { table, groups } of checks) {
      if (!groups.some((group) => hasWrongSum(group, row))) continue;
      const columns = listIndependentColumns(table);
      const checked = Object.fromEntries(columns.map((name) => [name, row[formatAlias(table, name)] ?? null]));
      damage.push(...[findRowDamage(table, checked) ?? []].flat());
    }
    const result: Record<string, unknown> = { damage };
    for (const name of ownColumns) result[name] = row[name];
    return result as CheckedRow<Row>;
  };
}

/** The group with the names that its columns have in the rows of a checked query. */
function addPrefix(table: IndependentTable, group: SumGroup): SumGroup {
  const { sum, columns, added } = group;
  return {
    ...group,
    sum: formatAlias(table, sum),
    columns: columns.map((name) => formatAlias(table, name)),
    ...(added === undefined ? {} : { added: formatAlias(table, added) }),
  };
}

/** The name of a checked column in the rows of a query. */
function formatAlias(table: IndependentTable, column: string): string {
  return `${table}${SEPARATOR}${column}`;
}
