import {
  type ColumnTypes,
  columnName,
  columnOf,
  contentsSteps,
  type FieldValue,
  type Group,
  type GroupQuery,
  groupRows,
  jsonText,
  type Region,
  RowSearch,
  type Snapshot,
  sortRows,
  typeOf,
} from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GROUPS } from '../../limits/records.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import type { QueryBase } from './query-base.ts';
import { groupOrder, type QueryOutput } from './query-output.ts';
import { RecordReader } from './record-reader.ts';
import { rowsCacheKey } from './rows-cache-key.ts';

/** The result rows of a query: rows of the sheet, or groups of them. */
export interface QueryEntries {
  /** The rows that match the filter; sorted if the query returns records. */
  readonly rows: ArrayLike<number>;
  /** Null: the query returns records. */
  readonly groups: readonly Group[] | null;
}

export function lengthOf({ rows, groups }: QueryEntries): number {
  return groups?.length ?? rows.length;
}

/** Filters, sorts and groups. Yields regularly. */
export function* listSteps(
  context: ServiceContext,
  access: DocumentAccess,
  base: QueryBase,
): Generator<void, QueryEntries | Refusal> {
  const { snapshot, resolved } = base;
  const { output, place, types } = resolved;
  let rows: ArrayLike<number> | null = context.recordMemory.foundRows(rowsCacheKey(access, base.head, base.key));
  if (rows === null) {
    const search = new RowSearch(resolved.filter, types, base.truths);
    const found = yield* search.rows(snapshot, place.region, context.recordMemory.indexes.of(access.documentId));
    const isListed = output.kind === 'records';
    rows = isListed ? yield* sortRows(snapshot, place.region, found, { by: output.sort, types }) : found;
  }
  if (output.kind === 'records') return { rows, groups: null };
  const groups = yield* groupsOf(base, output, rows);
  if (groups !== null) return { rows, groups };
  return invalidRequest('aggregate', `A query may have ${MAX_GROUPS} groups and different values at most`);
}

/** Caches the rows of a query for its next pages. */
export function rememberRows(
  context: ServiceContext,
  access: DocumentAccess,
  { head, key }: QueryBase,
  { rows }: QueryEntries,
): void {
  context.recordMemory.remember(rowsCacheKey(access, head, key), Uint32Array.from(rows));
}

function* groupsOf(
  { snapshot, resolved }: QueryBase,
  { groupBy, measures, sort }: Extract<QueryOutput, { kind: 'groups' }>,
  rows: ArrayLike<number>,
): Generator<void, readonly Group[] | null> {
  const grouping: GroupQuery = {
    groupBy,
    measures: measures.map(({ kind, at }) => ({ kind, at })),
    caseSensitive: resolved.filter.caseSensitive,
    limit: MAX_GROUPS,
  };
  const groups = yield* groupRows(snapshot, resolved.place.region, rows, { grouping, types: resolved.types });
  return groups && (yield* groupOrder(groups, sort, snapshot.settings.locale));
}

/** Writes each entry as JSON text. */
export class EntryWriter {
  /** Number of cells in an entry. */
  readonly cells: number;
  private readonly listed: QueryEntries;
  private readonly output: QueryOutput;
  private readonly region: Region;
  private readonly reader: RecordReader;

  constructor({ snapshot, resolved }: QueryBase, listed: QueryEntries) {
    const { output, place, types } = resolved;
    const shown = output.kind === 'groups' ? [] : output.select;
    this.cells = shown.length;
    this.listed = listed;
    this.output = output;
    this.region = place.region;
    this.reader = new RecordReader(snapshot, place.region, types, shown);
  }

  /** Yields regularly within a wide entry. */
  *text(i: number): Generator<void, string> {
    const { rows, groups } = this.listed;
    const group = groups?.[i];
    if (group !== undefined) return jsonText({ fields: groupFields(group, this.output, this.region) });
    const row = rows[i] ?? 0;
    return `{"row":${row + 1},"fields":${yield* this.reader.text(row)}}`;
  }
}

function groupFields(
  { values, figures }: Group,
  output: QueryOutput,
  { columns }: Region,
): Readonly<Record<string, FieldValue>> {
  if (output.kind !== 'groups') return {};
  const named = [
    ...output.groupBy.map((at, i) => [columns[at]?.name ?? '', values[i]?.field ?? null] as const),
    ...output.measures.map(({ name }, i) => [name, figures[i]?.field ?? null] as const),
  ];
  return Object.fromEntries(named);
}

/** A column of the response; measures have no letter. */
interface QueryColumn {
  readonly name: string;
  readonly column: string | null;
  readonly type: string;
}

/** Columns described between two pauses. */
const COLUMNS_PER_STEP = 128;

/** The columns that the response describes. Yields regularly. */
export function* columnsOf({ snapshot, resolved }: QueryBase): Generator<void, readonly QueryColumn[]> {
  const { output, place, types } = resolved;
  const shown: QueryColumn[] = [];
  for (const at of output.kind === 'records' ? output.select : output.groupBy) {
    const { name = '', column = 0 } = place.region.columns[at] ?? {};
    shown.push({ name, column: columnName(column), type: yield* typeAt(snapshot, place.region, types, at) });
    if (shown.length % COLUMNS_PER_STEP === 0) yield;
  }
  for (const { name, kind, at } of output.kind === 'groups' ? output.measures : []) {
    const isValue = (kind === 'min' || kind === 'max') && at !== null;
    const type = isValue ? yield* typeAt(snapshot, place.region, types, at) : 'number';
    shown.push({ name, column: null, type });
  }
  return shown;
}

function* typeAt(snapshot: Snapshot, region: Region, types: ColumnTypes, at: number): Generator<void, string> {
  const contents = yield* contentsSteps(snapshot, columnOf(snapshot, region, at), region.header + 1, region.end);
  return types.get(at) ?? typeOf(contents);
}
