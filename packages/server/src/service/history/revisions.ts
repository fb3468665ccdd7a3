import { areaText, cellCount, type Snapshot } from '@cellwire/engine';
import type { Database, Query } from '@cellwire/store';
import {
  commitFrom,
  namedRevisions,
  namedRevisionsBefore,
  nameRevision,
  retainedParent,
  retainedRevision,
  revisionBounds,
  revisionPage,
} from '@cellwire/store/documents';
import { parseAreas, type StoredArea } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import { PLAN_FORBIDS } from '../../access/refusal.ts';
import type { HistorySettings } from '../../config/types.ts';
import { readLog } from '../../documents/read-log.ts';
import type { DocumentReading, OpenDocument, PastReader, SheetEntry } from '../../documents/types.ts';
import { MAX_NAMED_REVISIONS, MAX_REVISION_NAME_LENGTH, MAX_REVISIONS_PAGE } from '../../limits/history.ts';
import { MAX_FEED_RANGES, MAX_FEED_RANGES_LENGTH } from '../../limits/notify.ts';
import { publishAreas } from '../changes/publishing.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import type { PlannedChange } from '../planned-change.ts';
import { findStateViewer } from '../presence/viewer.ts';
import { formatQualifiedRange } from '../ranges.ts';
import { invalidRequest, isRefusal, REVISION_NOT_FOUND, type Refusal } from '../refusal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** One retained commit: its author and cells, not the values. */
interface RevisionView {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** Null: the service itself, or the command line. */
  readonly userId: number | null;
  readonly userName: string | null;
  readonly token: string | null;
  /** Id of the writing request; null: there was none, or an earlier version wrote it. */
  readonly requestId: string | null;
  readonly origin: string;
  /** Written cells with current sheet names; only the first ranges. */
  readonly ranges: readonly string[];
  /** Number of written cells, without sheets hidden from the caller. */
  readonly cells: number;
  readonly name?: string;
  /** The revision that this revision undid, and the revision that undid this one. */
  readonly undoes?: number;
  readonly undoneBy?: number;
  /** The applied proposal, and the user who approved it. */
  readonly proposal?: string;
  readonly appliedBy?: { readonly id: number; readonly name: string };
}

export interface RevisionList {
  /** Newest first. */
  readonly entries: readonly RevisionView[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

interface RevisionPageRequest {
  readonly offset: number;
  readonly limit: number;
}

type HistoryContext = Pick<ServiceContext, 'database' | 'documents' | 'config' | 'clock'>;
export type RevisionRow = ReturnType<typeof retainedRevision> extends Query<infer R> ? R : never;

/** The current retention limits of the settings. */
function computeRetention({ maxRevisions, retentionDays }: HistorySettings, now: number) {
  return { keep: maxRevisions, since: now - retentionDays * DAY_MS };
}

/** A page of the document's revisions, the newest first, without areas of the `hidden` sheets. */
export async function readRevisionPage(
  { database, config, clock }: HistoryContext,
  id: string,
  snapshot: Snapshot,
  hidden: ReadonlySet<number>,
  { offset, limit: wanted }: RevisionPageRequest,
): Promise<RevisionList> {
  const retention = { id, ...computeRetention(config.history, clock()) };
  const limit = Math.min(wanted, MAX_REVISIONS_PAGE);
  const { rows, total } = await readRevisionRows(database, retention, { offset, limit });
  return { entries: rows.map((row) => toRevision(row, snapshot.sheets, hidden)), total, offset, limit };
}

/**
 * The rows of a page of revisions. The newest revisions have no gaps, so a page is read by its first revision. Older
 * revisions are retained because they have names, and are few.
 */
async function readRevisionRows(
  database: Database,
  retention: { readonly id: string; readonly keep: number; readonly since: number },
  { offset, limit }: RevisionPageRequest,
): Promise<{ readonly rows: readonly RevisionRow[]; readonly total: number }> {
  const { oldest, newest } = await readRetainedRange(database, retention);
  const recent = newest - oldest + 1;
  const { id } = retention;
  const last = newest - offset;
  const [page] = await readLog(database, { id, after: Math.max(oldest - 1, last - limit), to: last }, [
    revisionPage({ id, oldest, newest: last, limit }),
  ]);
  // Only a few older revisions are kept, and each may be large.
  const [previousNamed] =
    oldest <= 1 ? [[]] : await database.readInBackground([namedRevisionsBefore({ id, before: oldest })]);
  const from = Math.max(0, offset - recent);
  const older = previousNamed.slice(from, from + limit - page.length);
  return { rows: [...page, ...older], total: recent + previousNamed.length };
}

/** The revisions that are retained by age and number; if there are none, `oldest` is `newest` + 1. */
async function readRetainedRange(
  database: Database,
  { id, keep, since }: { readonly id: string; readonly keep: number; readonly since: number },
): Promise<{ readonly oldest: number; readonly newest: number }> {
  const bounds = await database.readOne(revisionBounds({ id, keep }));
  const newest = bounds?.newest ?? 0;
  if (bounds === null || bounds.oldest === null) return { oldest: newest + 1, newest };
  // Times increase along the log, so a binary search finds the first revision that is recent enough.
  let oldest = bounds.oldest;
  let end = newest + 1;
  for (let probe = oldest; oldest < end; probe = Math.floor((oldest + end) / 2)) {
    const commit = await database.readOne(commitFrom({ id, revision: probe }));
    if (commit === null || commit.at >= since) end = probe;
    else oldest = commit.revision + 1;
  }
  return { oldest, newest };
}

function toRevision(row: RevisionRow, sheets: readonly SheetEntry[], hidden: ReadonlySet<number>): RevisionView {
  const names = new Map(sheets.map(({ id, name }) => [id, name]));
  // Cells of a deleted sheet count, although its name cannot be shown.
  const visible = publishAreas(parseAreas(row.areas), { hiddenSheets: hidden }, () => true);
  const others = (visible.rest ?? []).reduce((sum, [, cells]) => sum + cells, 0);
  return {
    revision: row.revision,
    at: new Date(row.at).toISOString(),
    userId: row.author_id,
    userName: row.author_name,
    token: row.token_name,
    requestId: row.request_id,
    origin: row.origin,
    ranges: formatWrittenRanges(visible.written, names),
    cells: visible.written.reduce((sum, area) => sum + cellCount(toArea(area)), others),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.undoes === null ? {} : { undoes: row.undoes }),
    ...(row.undone_by === null ? {} : { undoneBy: row.undone_by }),
    ...(row.proposal_id === null ? {} : { proposal: row.proposal_id }),
    ...(row.applied_by === null ? {} : { appliedBy: { id: row.applied_by, name: row.applier_name ?? '' } }),
  };
}

function formatWrittenRanges(areas: readonly StoredArea[], names: ReadonlyMap<number, string>): readonly string[] {
  const ranges: string[] = [];
  let length = 0;
  for (const area of areas) {
    const name = names.get(area[0]);
    // A deleted sheet has no name to show.
    if (name === undefined) continue;
    const text = formatQualifiedRange(name, areaText(toArea(area)));
    length += text.length;
    if (ranges.length === MAX_FEED_RANGES || length > MAX_FEED_RANGES_LENGTH) break;
    ranges.push(text);
  }
  return ranges;
}

function toArea([, top, left, bottom, right]: StoredArea) {
  return { top, left, bottom, right };
}

const REVISION = /^[0-9]{1,15}$/;

/** Parses the revision in a path; null if it is not one. */
export function parseRevision(text: string): number | null {
  return REVISION.test(text) ? Number(text) : null;
}

/** The log row of a retained revision; `text` is the revision in a path. */
export async function findRevision(
  { database, config, clock }: HistoryContext,
  id: string,
  text: string,
): Promise<RevisionRow | Refusal> {
  const revision = parseRevision(text);
  if (revision === null) return REVISION_NOT_FOUND;
  const retainedQuery = retainedRevision({ id, revision, ...computeRetention(config.history, clock()) });
  const [[row]] = await readLog(database, { id, after: revision - 1, to: revision }, [retainedQuery]);
  return row ?? REVISION_NOT_FOUND;
}

/**
 * The document's state at a retained revision, or at the one before the first retained. `reader`: see `Documents.readPastState`.
 */
export async function readStateAt(
  context: HistoryContext,
  document: OpenDocument | { readonly id: string },
  { snapshot }: DocumentReading,
  revision: number,
  reader: PastReader,
): Promise<Snapshot | Refusal> {
  if (revision === snapshot.revision) return snapshot;
  if (revision > snapshot.revision) return REVISION_NOT_FOUND;
  const commit = await findRetainedCommit(context, document.id, revision);
  if (commit === null) return REVISION_NOT_FOUND;
  return (await context.documents.readPastState(document.id, revision, commit, reader)) ?? REVISION_NOT_FOUND;
}

/** The commit id of a retained revision, or of the one before the first retained; null: not retained. */
async function findRetainedCommit(
  { database, config, clock }: HistoryContext,
  id: string,
  revision: number,
): Promise<string | null> {
  const retention = { id, ...computeRetention(config.history, clock()) };
  const [own, next] = await readLog(database, { id, after: revision - 1, to: revision + 1 }, [
    retainedRevision({ ...retention, revision }),
    retainedParent({ ...retention, revision: revision + 1 }),
  ]);
  return own[0]?.head ?? next[0]?.parent ?? null;
}

/** Like `readStateAt`, for a caller of the API. */
export async function openPastReading(
  context: ServiceContext,
  access: DocumentAccess,
  revision: number,
): Promise<Snapshot | Refusal> {
  if (!access.caller.plan.sheetOperations) return PLAN_FORBIDS;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const reader = { user: access.caller.userId, viewer: await findStateViewer(context, access) };
  return readStateAt(context, { id: access.documentId }, reading, revision, reader);
}

/** Time for which a stream can be resumed after its revision ceased to be the newest, in milliseconds. */
const RESUME_MS = 60 * 60 * 1000;

/**
 * Opens the state for resuming a broken stream: a revision that was the newest within the last hour, regardless of plan
 * and settings, or a revision that the plan lets the caller read.
 */
export async function openResumedReading(
  context: ServiceContext,
  access: DocumentAccess,
  revision: number,
): Promise<Pick<DocumentReading, 'snapshot' | 'head'> | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading) || reading.snapshot.revision === revision) return reading;
  if (revision > reading.snapshot.revision) return REVISION_NOT_FOUND;
  const { documentId: id, caller } = access;
  // The next commit's time is the time until which this revision was the newest.
  const recent = { id, keep: Number.MAX_SAFE_INTEGER, since: context.clock() - RESUME_MS };
  const next = await context.database.readOne(retainedParent({ ...recent, revision: revision + 1 }));
  if (!next?.parent && !caller.plan.sheetOperations) return PLAN_FORBIDS;
  const head = next?.parent ?? (await findRetainedCommit(context, id, revision));
  if (head === null) return REVISION_NOT_FOUND;
  const reader = { user: caller.userId, viewer: await findStateViewer(context, access) };
  const snapshot = await context.documents.readPastState(id, revision, head, reader);
  return snapshot === null ? REVISION_NOT_FOUND : { snapshot, head };
}

/**
 * The tokens that wrote revisions, by revision; null: not written with a token. Revisions that are not retained are
 * omitted.
 */
export async function readRevisionTokens(
  { database, config, clock }: Pick<HistoryContext, 'database' | 'config' | 'clock'>,
  id: string,
  revisions: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  if (revisions.length === 0) return new Map();
  const retention = computeRetention(config.history, clock());
  const rows = await database.readAll(revisions.map((revision) => retainedRevision({ id, ...retention, revision })));
  return new Map(rows.flatMap(([row]) => (row === undefined ? [] : [[row.revision, row.token_id] as const])));
}

/** Plans to name a revision: a named revision is retained at any age. */
export async function planRevisionName(
  context: ServiceContext,
  access: DocumentAccess,
  revision: string,
  requestedName: string,
): Promise<PlannedChange<RevisionView> | Refusal> {
  const name = requestedName.trim();
  if (name === '' || [...name].length > MAX_REVISION_NAME_LENGTH || !name.isWellFormed()) {
    return invalidRequest('name', `name must have 1 to ${MAX_REVISION_NAME_LENGTH} characters`);
  }
  const id = access.documentId;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const row = await findRevision(context, id, revision);
  if (isRefusal(row)) return row;
  const named = await context.database.readOne(namedRevisions({ id }));
  if (row.name === null && (named?.total ?? 0) >= MAX_NAMED_REVISIONS) {
    return invalidRequest('name', `A document may have ${MAX_NAMED_REVISIONS} named revisions at most`);
  }
  return {
    document: id,
    statements: [nameRevision({ id, revision: row.revision, name })],
    result: toRevision({ ...row, name }, reading.snapshot.sheets, access.hiddenSheets),
  };
}
