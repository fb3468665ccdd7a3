import {
  type ColumnTypes,
  columnName,
  countContentsInSteps,
  type DocumentIndexes,
  type FieldValue,
  findColumn,
  type GroupQuery,
  groupMatches,
  groupRows,
  type JsonWriter,
  jsonText,
  type RecordGroup,
  RecordJsonWriter,
  type Region,
  RowSearch,
  readSortedPage,
  type Snapshot,
  sortRows,
  toColumnType,
} from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GROUPS } from '../../limits/records.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import type { QueryBase } from './query-base.ts';
import { type QueryOutput, sortGroups } from './query-output.ts';
import { createRowsCacheKey } from './rows-cache-key.ts';

/** The entries of a query: records or groups. */
export interface QueryEntries {
  /** Rows of the sheet that match the filter, sorted. Groups have them only if the query has a formula. */
  readonly rows: ArrayLike<number>;
  /** Number of entries before the first of `rows`. */
  readonly first: number;
  /** Number of all entries. */
  readonly total: number;
  /** Null: the query returns records. */
  readonly groups: readonly RecordGroup[] | null;
}

/** True if the entries are worth caching for the next page: all records, or the records of groups with a formula. */
export function hasCacheableRows({ rows, total, groups }: QueryEntries): boolean {
  return groups === null ? rows.length === total : rows.length > 0;
}

/** The entries of a response, from an index on to before `end`. */
interface EntryPlaces {
  readonly from: number;
  readonly end: number;
}

/**
 * Filters, sorts and groups. `entryRange`: the entries that are needed; others may be missing from the result. Yields
 * regularly.
 */
export function* listEntriesInSteps(
  context: ServiceContext,
  access: DocumentAccess,
  base: QueryBase,
  entryRange: EntryPlaces,
): Generator<void, QueryEntries | Refusal> {
  const { snapshot, resolved } = base;
  const { output, place, types } = resolved;
  const cachedRows = context.recordMemory.findRows(createRowsCacheKey(access, base.head, base.key));
  if (cachedRows !== null && output.kind === 'records') return toAllEntries(cachedRows);
  const indexes = context.recordMemory.indexes.getDocumentIndexes(access.documentId);
  const search = new RowSearch(resolved.filter, types, base.truths);
  if (output.kind === 'groups') return yield* listGroups(base, output, { rows: cachedRows, search, indexes });
  const rows = cachedRows ?? (yield* search.findRows(snapshot, place.region, indexes));
  const { sort: by } = output;
  // A later page of a formula needs all rows, because formulas are not calculated on past states.
  const page = base.truths === null ? { ...entryRange, end: Math.min(entryRange.end, rows.length) } : null;
  const how = { by, types, indexes, isWhole: search.isForAll };
  const sorted = page && (yield* readSortedPage(snapshot, place.region, rows, how, page));
  if (page && sorted) return { rows: sorted, first: page.from, total: rows.length, groups: null };
  return toAllEntries(yield* sortRows(snapshot, place.region, rows, { by, types }));
}

/** All rows as entries, without groups. */
function toAllEntries(rows: ArrayLike<number>): QueryEntries {
  return { rows, first: 0, total: rows.length, groups: null };
}

/** Caches the rows of a query for its next pages. */
export function cacheRows(
  context: ServiceContext,
  access: DocumentAccess,
  { head, key }: QueryBase,
  { rows }: QueryEntries,
): void {
  context.recordMemory.cacheRows(
    createRowsCacheKey(access, head, key),
    rows instanceof Uint32Array ? rows.slice() : Uint32Array.from(rows),
  );
}

interface GroupSource {
  /** The rows of the records, if they are cached. */
  readonly rows: Uint32Array | null;
  readonly search: RowSearch;
  readonly indexes: DocumentIndexes;
}

/** Groups records and computes the figures of each group; refused if there are too many groups. */
function* listGroups(
  { snapshot, resolved, truths }: QueryBase,
  { groupBy, measures, sort }: Extract<QueryOutput, { kind: 'groups' }>,
  { rows: cachedRows, search, indexes }: GroupSource,
): Generator<void, QueryEntries | Refusal> {
  const { region } = resolved.place;
  const grouping: GroupQuery = {
    groupBy,
    measures: measures.map(({ kind, at }) => ({ kind, at })),
    caseSensitive: resolved.filter.caseSensitive,
    limit: MAX_GROUPS,
  };
  const how = { grouping, types: resolved.types, indexes };
  // The rows of a formula are cached for later pages, because formulas are not calculated on past states.
  const rows = cachedRows ?? (truths === null ? null : yield* search.findRows(snapshot, region, indexes));
  const groups =
    rows === null ? yield* groupMatches(snapshot, region, search, how) : yield* groupRows(snapshot, region, rows, how);
  if (groups === null)
    return invalidRequest('aggregate', `A query may have ${MAX_GROUPS} groups and different values at most`);
  const sorted = yield* sortGroups(groups, sort, { snapshot, region, groupBy, types: resolved.types, indexes });
  return { rows: rows ?? NO_ROWS, first: 0, total: sorted.length, groups: sorted };
}

const NO_ROWS = new Uint32Array(0);

/** Number of cells that are loaded into the processor's cache at a time. More would displace each other before they are written. */
const LOADED_CELLS = 256;

/** Writes entries as JSON. */
export class EntryWriter {
  /** Number of cells in an entry. */
  readonly cells: number;
  readonly out: JsonWriter;
  private readonly listed: QueryEntries;
  private readonly output: QueryOutput;
  private readonly region: Region;
  private readonly records: RecordJsonWriter;

  constructor({ snapshot, resolved }: QueryBase, listed: QueryEntries, out: JsonWriter) {
    const { output, place, types } = resolved;
    const select = output.kind === 'groups' ? [] : output.select;
    this.cells = select.length;
    this.out = out;
    this.listed = listed;
    this.output = output;
    this.region = place.region;
    this.records = new RecordJsonWriter(snapshot, place.region, { types, select }, out);
  }

  /** Prepares the entries from an index on for `writeEntry`. Returns the index after the last prepared one. */
  loadEntries(index: number, end: number): number {
    const { rows, first, groups } = this.listed;
    const last = Math.min(end, index + Math.ceil(LOADED_CELLS / Math.max(1, this.cells)));
    if (groups === null) this.records.loadRows(rows, index - first, last - first);
    return last;
  }

  /** Writes an entry by its index. A wide entry is written by the returned steps; null: the entry is written. */
  writeEntry(index: number): Generator<void, void> | null {
    const { rows, first, groups } = this.listed;
    const group = groups?.[index];
    if (group === undefined) return this.records.writeRecord(rows[index - first] ?? 0);
    this.out.writeJson(jsonText({ fields: formatGroupFields(group, this.output, this.region) }));
    return null;
  }
}

/** The grouping values and figures of a group, by their names. */
function formatGroupFields(
  { values, figures }: RecordGroup,
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
export function* describeColumns({ snapshot, resolved }: QueryBase): Generator<void, readonly QueryColumn[]> {
  const { output, place, types } = resolved;
  const shown: QueryColumn[] = [];
  for (const at of output.kind === 'records' ? output.select : output.groupBy) {
    const { name = '', column = 0 } = place.region.columns[at] ?? {};
    shown.push({ name, column: columnName(column), type: yield* inferTypeAt(snapshot, place.region, types, at) });
    if (shown.length % COLUMNS_PER_STEP === 0) yield;
  }
  for (const { name, kind, at } of output.kind === 'groups' ? output.measures : []) {
    const isValue = (kind === 'min' || kind === 'max') && at !== null;
    const type = isValue ? yield* inferTypeAt(snapshot, place.region, types, at) : 'number';
    shown.push({ name, column: null, type });
  }
  return shown;
}

/** The type that the query states for a column, else the type of its cells. Pauses regularly. */
function* inferTypeAt(
  snapshot: Snapshot,
  region: Region,
  types: ColumnTypes,
  columnIndex: number,
): Generator<void, string> {
  const contents = yield* countContentsInSteps(
    snapshot,
    findColumn(snapshot, region, columnIndex),
    region.header + 1,
    region.end,
  );
  return types.get(columnIndex) ?? toColumnType(contents);
}
