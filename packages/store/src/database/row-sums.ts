import { crc32 } from './crc32.ts';
import type { SqlValue } from './database.ts';

/**
 * Checksums of columns that are not stored pieces (`checksum.ts`): a column with the CRC-32 of other columns of its row.
 * Null: an older version wrote the row, or a statement that does not know all values. `doctor --repair` adds the sum.
 *
 * A group contains columns that the same statements write, because statements do not read a row before they change it.
 */
interface SumGroup {
  /** The column that contains the sum. */
  readonly sum: string;
  readonly columns: readonly string[];
  /** True: rows without a value in the last column have no sum. */
  readonly isOptional?: true;
  /** A column whose integer is added to the CRC-32, so that SQL can change both without reading the other columns. */
  readonly added?: string;
  /** The columns in error messages. */
  readonly describe: (row: StoredRow) => string;
}

type StoredRow = Readonly<Record<string, SqlValue>>;

const DOCUMENT_SUMS: readonly SumGroup[] = [
  {
    sum: 'facts_sum',
    columns: ['type', 'locale', 'date_system', 'time_zone', 'created_at', 'input_locale'],
    describe: () => 'its settings',
  },
  { sum: 'title_sum', columns: ['title'], describe: () => 'its title' },
  { sum: 'format_sum', columns: ['format'], describe: () => 'its format' },
  { sum: 'times_sum', columns: ['calculated_at', 'committed_at'], describe: () => 'the time of its newest commit' },
  { sum: 'updated_sum', columns: ['updated_at'], describe: () => 'the time of its last change' },
  { sum: 'owner_sum', columns: ['owner_id'], describe: () => 'its owner' },
];

/** The columns of `facts_sum` in `commits`. */
export const COMMIT_FACTS = [
  'revision',
  'head',
  'parent',
  'at',
  'author_id',
  'origin',
  'token_id',
  'token_name',
  'request_id',
] as const;

const SUM_GROUPS = {
  documents: DOCUMENT_SUMS,
  trash: DOCUMENT_SUMS,
  commits: [
    { sum: 'facts_sum', columns: COMMIT_FACTS, describe: (row) => `the entry of revision ${row['revision']}` },
    {
      sum: 'changes_sum',
      columns: ['revision', 'areas', 'structure'],
      describe: (row) => `the changed areas of revision ${row['revision']}`,
    },
    {
      sum: 'undoes_sum',
      columns: ['revision', 'undoes'],
      isOptional: true,
      describe: (row) => `the mark of revision ${row['revision']} as an undo`,
    },
    {
      sum: 'undone_sum',
      columns: ['revision', 'undone_by'],
      isOptional: true,
      describe: (row) => `the mark of revision ${row['revision']} as undone`,
    },
    {
      sum: 'name_sum',
      columns: ['revision', 'name'],
      isOptional: true,
      describe: (row) => `the name of revision ${row['revision']}`,
    },
  ],
  protections: [
    {
      sum: 'row_sum',
      columns: ['hide_values', 'locked', 'allowed'],
      added: 'sheet_id',
      describe: (row) => `the protection of sheet ${row['sheet_id']}`,
    },
  ],
  shares: [{ sum: 'row_sum', columns: ['user_id', 'role'], describe: (row) => `the share of user ${row['user_id']}` }],
  personal_filters: [
    {
      sum: 'row_sum',
      columns: ['user_id', 'sheet_id', 'revision', 'filter'],
      describe: (row) => `the filter of user ${row['user_id']} on sheet ${row['sheet_id']}`,
    },
  ],
} as const satisfies Readonly<Record<string, readonly SumGroup[]>>;

export type SummedTable = keyof typeof SUM_GROUPS;

/** The groups of columns that share a checksum in this table; none if it has no checksums. */
function listSumGroups(table: string): readonly SumGroup[] {
  return table in SUM_GROUPS ? SUM_GROUPS[table as SummedTable] : [];
}

/** Returns the columns of a table that have sums, and the sums. */
export function listSummedColumns(table: string): readonly string[] {
  return listSumGroups(table).flatMap((group) => [...listSumInputs(group), group.sum]);
}

/** Returns the sums of a complete row, by column. */
export function sumRow(table: string, row: StoredRow): Readonly<Record<string, number | null>> {
  return Object.fromEntries(listSumGroups(table).map((group) => [group.sum, computeSum(group, row)]));
}

/** Returns the function that computes a sum from a row; null if the column `sum` is not a sum. */
export function findSum(table: string, sum: string): ((row: StoredRow) => number | null) | null {
  const group = listSumGroups(table).find((one) => one.sum === sum);
  return group === undefined ? null : (row) => computeSum(group, row);
}

/** Returns the sums that a complete row lacks, each with the columns that it covers. */
export function findMissingSums(
  table: string,
  row: StoredRow,
): readonly { readonly sum: string; readonly columns: readonly string[] }[] {
  return listSumGroups(table).flatMap((group) => {
    const value = computeSum(group, row);
    const isMissing = value !== null && (row[group.sum] ?? null) === null;
    return isMissing ? [{ sum: group.sum, columns: listSumInputs(group) }] : [];
  });
}

/** Returns descriptions of columns that do not match their sums. Skips groups of which the row lacks columns. */
export function findWrongSums(table: string, row: StoredRow): readonly string[] {
  return listSumGroups(table)
    .filter((group) => hasSum(group, row) && row[group.sum] !== computeSum(group, row))
    .map(({ describe }) => describe(row));
}

/** True if a row has a stored sum for a group, and all columns that the sum covers. */
function hasSum(group: SumGroup, row: StoredRow): boolean {
  return (row[group.sum] ?? null) !== null && listSumInputs(group).every((name) => name in row);
}

/** Returns the columns from which the sum of a group is computed. */
function listSumInputs({ columns, added }: SumGroup): readonly string[] {
  return added === undefined ? columns : [...columns, added];
}

/** Returns the sum of a complete row; null if the row has no value in the last column of an optional group. */
function computeSum({ columns, isOptional, added }: SumGroup, row: StoredRow): number | null {
  if (isOptional && (row[columns.at(-1) ?? ''] ?? null) === null) return null;
  let sum = 0;
  for (const name of columns) sum = crc32(SEPARATOR, crc32(String(row[name] ?? NO_VALUE), sum));
  return added === undefined ? sum : sum + Number(row[added]);
}

const NO_VALUE = '\u0000';
const SEPARATOR = '\u0001';
