import {
  type ColumnTypes,
  columnName,
  columnOf,
  type FieldValue,
  type Group,
  type Grouping,
  groupRows,
  kindsIn,
  type Region,
  RowSearch,
  type RowTruths,
  type Snapshot,
  sortRows,
  typeOf,
} from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GROUPS } from '../../limits/limits.ts';
import type { Soon } from '../../store/soon.ts';
import type { ServiceContext } from '../context.ts';
import { bodyHash } from '../idempotency.ts';
import { openReading } from '../open-table.ts';
import { BUSY, invalidRequest, isRefusal, NOT_TABLE, RESPONSE_TOO_LARGE, type Refusal } from '../refusal.ts';
import { documentTag } from '../tags.ts';
import { type Cursor, cursorText, parseCursor } from './cursor.ts';
import type { Members } from './parse-filter.ts';
import { parseQuery, type RecordsQuery } from './parse-query.ts';
import { type RecordsPlace, recordsAt } from './place.ts';
import { groupOrder, type Output, resolveOutput } from './query-output.ts';
import { RecordReader } from './record-reader.ts';
import { ColumnNames, type ResolvedFilter, resolveFilter } from './resolve-filter.ts';
import { testRows } from './row-truths.ts';

/** A query over one state of a document, ready to be answered. */
export interface PreparedQuery {
  readonly tag: string;
  /** The answer as JSON text, made in steps by `make`. */
  readonly answer: (make: MakeAnswer) => Soon<string | Refusal>;
}

/** Goes through the steps of an answer's making, however long that takes; or says why not. */
export type MakeAnswer = (begin: () => Generator<void, string | Refusal>) => Soon<string | Refusal>;

/** What a query means on one state. */
interface Resolved extends ResolvedFilter {
  readonly place: RecordsPlace;
  readonly output: Output;
}

interface Ground {
  readonly snapshot: Snapshot;
  /** The commit's random id. */
  readonly head: string;
  /** What the query's formula says of the rows; null: it has none, or what it has found is remembered. */
  readonly truths: RowTruths | null;
  readonly resolved: Resolved;
}

const UNKNOWN_CURSOR = invalidRequest('cursor', 'The cursor is unknown: send the query again without it');

/** Filters, sorts, groups and pages the rows of a range as records, at one revision. */
export async function prepareQuery(
  context: ServiceContext,
  access: DocumentAccess,
  sent: Members,
): Promise<PreparedQuery | Refusal> {
  const query = parseQuery(sent, context.config.limits);
  if (isRefusal(query)) return query;
  const { cursor: _cursor, offset: _offset, limit: _limit, ...asked } = sent;
  const key = bodyHash({ ...asked, document: access.documentId, user: access.caller.userId }) ?? '';
  const cursor = query.cursor === null ? null : parseCursor(context, query.cursor);
  if (query.cursor !== null && cursor?.query !== key) return UNKNOWN_CURSOR;
  const ground = await groundOf(context, access, query, cursor, key);
  if (isRefusal(ground)) return ground;
  const page = { offset: cursor?.offset ?? query.offset, limit: query.limit };
  return {
    tag: documentTag(ground.head, `records ${key} ${page.offset} ${page.limit}`),
    answer: (make) => make(() => answerSteps(context, access, ground, { query, key, ...page })),
  };
}

async function groundOf(
  context: ServiceContext,
  access: DocumentAccess,
  query: RecordsQuery,
  cursor: Cursor | null,
  key: string,
): Promise<Ground | Refusal> {
  if (access.type !== 'table') return NOT_TABLE;
  const resolve = (snapshot: Snapshot) => resolveQuery(snapshot, access, query);
  const { formula } = query.filter;
  const isKnown = cursor !== null && context.records.foundRows(foundKey(access, cursor.head, key)) !== null;
  if (formula === null || isKnown) {
    const state = cursor === null ? await newest(context, access) : await atCursor(context, access, cursor);
    if (isRefusal(state)) return state;
    const resolved = resolve(state.snapshot);
    return isRefusal(resolved) ? resolved : { ...state, truths: null, resolved };
  }
  const tested = await testRows(context, access, formula, resolve);
  if (isRefusal(tested)) return tested;
  if (!('snapshot' in tested)) return BUSY;
  if (cursor !== null && cursor.head !== tested.head) return UNKNOWN_CURSOR;
  return { ...tested, resolved: tested.found };
}

async function newest(
  context: ServiceContext,
  access: DocumentAccess,
): Promise<Pick<Ground, 'snapshot' | 'head'> | Refusal> {
  return openReading(context, access);
}

async function atCursor(
  context: ServiceContext,
  access: DocumentAccess,
  { head, revision }: Cursor,
): Promise<Pick<Ground, 'snapshot' | 'head'> | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading) || reading.head === head) return reading;
  const snapshot = await context.documents.past(access.documentId, revision, head);
  return snapshot === null ? UNKNOWN_CURSOR : { snapshot, head };
}

function resolveQuery(snapshot: Snapshot, access: DocumentAccess, query: RecordsQuery): Resolved | Refusal {
  const place = recordsAt(snapshot, access, query.range, query.letters);
  if (isRefusal(place)) return place;
  const names = new ColumnNames(place.region);
  const filter = resolveFilter(names, query.filter);
  if (isRefusal(filter)) return filter;
  const output = resolveOutput(names, place.region, query);
  return isRefusal(output) ? output : { ...filter, place, output };
}

/** What a formula finds depends on the sheets that the caller sees. */
function foundKey({ hiddenSheets }: DocumentAccess, head: string, key: string): string {
  return `${head} ${key} ${[...hiddenSheets].sort((a, b) => a - b).join()}`;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface Asked extends Page {
  readonly query: RecordsQuery;
  readonly key: string;
}

function* answerSteps(
  context: ServiceContext,
  access: DocumentAccess,
  ground: Ground,
  asked: Asked,
): Generator<void, string | Refusal> {
  const { snapshot, head, resolved } = ground;
  const { output, place, types } = resolved;
  const key = foundKey(access, head, asked.key);
  let rows: ArrayLike<number> | null = context.records.foundRows(key);
  if (rows === null) {
    const search = new RowSearch(resolved.filter, types, ground.truths);
    const found = yield* search.rows(snapshot, place.region, context.records.indexes.of(access.documentId));
    rows =
      output.kind === 'groups' ? found : yield* sortRows(snapshot, place.region, found, { by: output.sort, types });
  }
  const listed = output.kind === 'groups' ? yield* groupsOf(ground, output, Array.from(rows), asked.query) : rows;
  if (listed === null) {
    return invalidRequest('aggregate', `A query may have ${MAX_GROUPS} groups and different values at most`);
  }
  const written = writeEntries(context, ground, listed, asked);
  if (isRefusal(written)) return written;
  const { entries, returned } = written;
  const total = listed.length;
  const next = asked.offset + returned;
  const hasMore = next < total;
  if (hasMore) context.records.remember(key, Uint32Array.from(rows));
  const cursor = { revision: snapshot.revision, head, offset: next, query: asked.key };
  const pagination = {
    offset: asked.offset,
    limit: asked.limit,
    total,
    returned,
    hasMore,
    nextOffset: hasMore ? next : null,
    nextCursor: hasMore ? cursorText(context, cursor) : null,
  };
  const columns = columnsOf(snapshot, place.region, types, output);
  const rest = JSON.stringify({ columns, revisionId: String(snapshot.revision), pagination });
  return `{"records":[${entries.join(',')}],${rest.slice(1)}`;
}

function* groupsOf(
  { snapshot, resolved }: Ground,
  output: Extract<Output, { kind: 'groups' }>,
  rows: readonly number[],
  { filter }: RecordsQuery,
): Generator<void, readonly Group[] | null> {
  const { groupBy, measures, sort } = output;
  const grouping: Grouping = {
    groupBy,
    measures: measures.map(({ kind, at }) => ({ kind, at })),
    caseSensitive: filter.caseSensitive,
    limit: MAX_GROUPS,
  };
  const groups = yield* groupRows(snapshot, resolved.place.region, rows, { grouping, types: resolved.types });
  return groups && (yield* groupOrder(groups, sort));
}

/** The page's records as JSON texts, as many as the answer has room for. */
function writeEntries(
  { config }: ServiceContext,
  { snapshot, resolved }: Ground,
  listed: ArrayLike<number> | readonly Group[],
  { offset, limit }: Page,
): { readonly entries: readonly string[]; readonly returned: number } | Refusal {
  const { output, place, types } = resolved;
  const shown = output.kind === 'groups' ? [] : output.select;
  const reader = new RecordReader(snapshot, place.region, types, shown);
  const entries: string[] = [];
  let bytesLeft = config.limits.maxResponseBytes - AROUND_BYTES;
  let cellsLeft = config.limits.maxResponseCells;
  for (let i = offset; i < Math.min(offset + limit, listed.length); i++) {
    const one = listed[i] as number | Group;
    const entry =
      typeof one === 'number'
        ? { row: one + 1, fields: reader.fields(one) }
        : { fields: groupFields(one, output, place.region) };
    const text = JSON.stringify(entry);
    bytesLeft -= Buffer.byteLength(text) + 1;
    cellsLeft -= shown.length;
    if (bytesLeft < 0 && entries.length === 0) return RESPONSE_TOO_LARGE;
    if (bytesLeft < 0 || (cellsLeft < 0 && entries.length > 0)) break;
    entries.push(text);
  }
  return { entries, returned: entries.length };
}

/** Room for what stands around the records, in bytes; a header of long names takes more. */
const AROUND_BYTES = 1_024;

function groupFields(
  { values, figures }: Group,
  output: Output,
  { columns }: Region,
): Readonly<Record<string, FieldValue>> {
  if (output.kind !== 'groups') return {};
  const named = [
    ...output.groupBy.map((at, i) => [columns[at]?.name ?? '', values[i]?.field ?? null] as const),
    ...output.measures.map(({ name }, i) => [name, figures[i]?.field ?? null] as const),
  ];
  return Object.fromEntries(named);
}

function columnsOf(snapshot: Snapshot, region: Region, types: ColumnTypes, output: Output) {
  const described = (at: number) => {
    const { name = '', column = 0 } = region.columns[at] ?? {};
    const kinds = kindsIn(snapshot, columnOf(snapshot, region, at), region.header + 1, region.end);
    return { name, column: columnName(column), type: types.get(at) ?? typeOf(kinds) };
  };
  if (output.kind === 'records') return output.select.map(described);
  const figures = output.measures.map(({ name, kind, at }) => {
    const ofColumn = (kind === 'min' || kind === 'max') && at !== null ? described(at).type : 'number';
    return { name, column: null, type: ofColumn };
  });
  return [...output.groupBy.map(described), ...figures];
}
