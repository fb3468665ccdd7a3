import type { RowTruths, Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { openResumedReading } from '../history/revisions.ts';
import { hashBody } from '../idempotency.ts';
import { openReading } from '../open-table.ts';
import { findStateViewer } from '../presence/viewer.ts';
import { BUSY, invalidRequest, isRefusal, NOT_TABLE, type Refusal } from '../refusal.ts';
import { parseCursor, type QueryCursor } from './cursor.ts';
import type { RecordMembers } from './parse-filter.ts';
import { parseQuery, type RecordsQuery } from './parse-query.ts';
import { type RecordsPlace, resolveRecordsInSteps } from './place.ts';
import { type QueryOutput, resolveOutput } from './query-output.ts';
import { ColumnNames, type ResolvedFilter, resolveFilter } from './resolve-filter.ts';
import { createRowsCacheKey } from './rows-cache-key.ts';
import { testRows } from './test-rows.ts';

/** A query resolved for one state of the document. */
interface ResolvedQuery extends ResolvedFilter {
  readonly place: RecordsPlace;
  readonly output: QueryOutput;
}

/** A query with the state that it is answered from. */
export interface QueryBase {
  readonly snapshot: Snapshot;
  /** The random id of the commit. */
  readonly head: string;
  /** Key of the query, the same for all its pages. */
  readonly key: string;
  /** The result of the query's formula for each row; null: there is no formula, or its result is cached. */
  readonly truths: RowTruths | null;
  readonly resolved: ResolvedQuery;
  /** Number of records, or groups, before this page. */
  readonly offset: number;
  /** Null: not specified. */
  readonly limit: number | null;
}

type QueryState = Pick<QueryBase, 'snapshot' | 'head'>;

const UNKNOWN_CURSOR = invalidRequest('cursor', 'The cursor is unknown: send the query again without it');

const FORMULA_ON_PAST_STATE = invalidRequest(
  'revision',
  'revision: the result of the formula is no longer cached; send the query again without revision and offset',
);

/** Parses a query and finds its state: the newest, or that of its first page. */
export async function prepareQueryBase(
  context: ServiceContext,
  access: DocumentAccess,
  body: RecordMembers,
): Promise<QueryBase | Refusal> {
  const query = parseQuery(body, context.config.limits);
  if (isRefusal(query)) return query;
  const { cursor: _cursor, offset: _offset, limit: _limit, revision: _revision, ...requested } = body;
  const key = await runInSlices(hashBody({ ...requested, document: access.documentId, user: access.caller.userId }));
  const cursor = query.cursor === null ? null : parseCursor(context, query.cursor);
  if (query.cursor !== null && cursor?.query !== key) return UNKNOWN_CURSOR;
  if (access.type !== 'table') return NOT_TABLE;
  const page = { key, offset: cursor?.offset ?? query.offset, limit: query.limit };
  const { formula } = query.filter;
  const past = await readPastState(context, access, cursor, query.revision);
  if (isRefusal(past)) return past;
  const isKnown = past !== null && context.recordMemory.findRows(createRowsCacheKey(access, past.head, key)) !== null;
  if (formula === null || isKnown) {
    const state = past ?? (await readNewestState(context, access));
    if (isRefusal(state)) return state;
    const resolved = await runInSlices(resolveQueryInSteps(state.snapshot, access, query));
    return isRefusal(resolved) ? resolved : { ...page, ...state, truths: null, resolved };
  }
  const resolveQuery = (snapshot: Snapshot) => resolveQueryInSteps(snapshot, access, query);
  const tested = await testRows(context, access, formula, resolveQuery);
  if (isRefusal(tested)) return tested;
  if (!('snapshot' in tested)) return BUSY;
  const { snapshot, head, truths, result } = tested;
  if (past !== null && past.head !== head) return cursor === null ? FORMULA_ON_PAST_STATE : UNKNOWN_CURSOR;
  return { ...page, snapshot, head, truths, resolved: result };
}

/** The state that a cursor or a revision names; null: the query has neither. */
async function readPastState(
  context: ServiceContext,
  access: DocumentAccess,
  cursor: QueryCursor | null,
  revision: number | null,
): Promise<QueryState | Refusal | null> {
  if (cursor !== null) return readCursorState(context, access, cursor);
  return revision === null ? null : openResumedReading(context, access, revision);
}

async function readNewestState(context: ServiceContext, access: DocumentAccess): Promise<QueryState | Refusal> {
  return openReading(context, access);
}

/** The state that the cursor's first page was read from, so that later pages fit it. */
async function readCursorState(
  context: ServiceContext,
  access: DocumentAccess,
  { head, revision }: QueryCursor,
): Promise<QueryState | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading) || reading.head === head) return reading;
  const viewer = await findStateViewer(context, access);
  const { userId: user } = access.caller;
  const snapshot = await context.documents.readPastState(access.documentId, revision, head, { user, viewer });
  return snapshot === null ? UNKNOWN_CURSOR : { snapshot, head };
}

/** Finds the records and columns of a query, with pauses; refused if one is unknown or hidden. */
function* resolveQueryInSteps(
  snapshot: Snapshot,
  access: DocumentAccess,
  query: RecordsQuery,
): Generator<void, ResolvedQuery | Refusal> {
  const place = yield* resolveRecordsInSteps(snapshot, access, query.range, query.letters);
  if (isRefusal(place)) return place;
  yield;
  const names = new ColumnNames(place.region);
  const filter = resolveFilter(names, query.filter);
  if (isRefusal(filter)) return filter;
  const output = resolveOutput(names, place.region, query);
  return isRefusal(output) ? output : { ...filter, place, output };
}
