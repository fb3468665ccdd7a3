import {
  type Area,
  areaText,
  type Block,
  cellCount,
  getMovePieces,
  getPieceTarget,
  type Move,
  type Snapshot,
  subtract,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { ParsedAreas, StoredArea, StructureOperation } from '@cellwire/store/stored-forms';
import type { StoredAuthor } from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { FEED_STEP, MAX_CHANGES_PAGE, MAX_FEED_RANGES, MAX_FEED_RANGES_LENGTH } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';
import { formatQualifiedRange, formatRange } from '../ranges.ts';
import { type PublishedMoves, publishPlaces } from '../rebase/publish-places.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import {
  type ChangedCell,
  type ChangedRecord,
  clipToStep,
  listChangedCells,
  listChangedRecords,
} from './changed-values.ts';
import { type LoggedCommit, type LogReads, waitForFeedTurn } from './log-reads.ts';
import {
  listTouchedSheets,
  type PublicationReader,
  type PublishedPart,
  publishAreas,
  publishOperations,
} from './publishing.ts';
import { isRelevant } from './relevance.ts';
import { filterVisibleAreas } from './visible-areas.ts';
import {
  findStepAfter,
  resolveTrail,
  toWatchedArea,
  type WatchedArea,
  type WatchedPosition,
  type WatchRequest,
  type WatchTrail,
} from './watch.ts';

/** One revision: the author and the changed cells. */
export interface FeedChange {
  readonly revision: number;
  /** ISO 8601. */
  readonly changedAt: string;
  /**
   * `api`, `agent`, `import`, `browser`; `operator`; `clock`, `access`: a new day or changed rights recalculated
   * formulas.
   */
  readonly origin: string;
  readonly sourceToken: string | null;
  readonly author: StoredAuthor | null;
  /**
   * Number of written and recalculated cells; for commits of older versions that kept all areas, only their first
   * areas.
   */
  readonly cellCount: number;
  /** Written cells and the cells recalculated because of them, in A1 form with the current sheet names. */
  readonly ranges: readonly string[];
  readonly derived: readonly string[];
  /** True if some ranges are omitted. */
  readonly truncated: boolean;
  /** Cells that a commit moved, one move after another, with positions at that time; absent: none. */
  readonly moved?: readonly MovedBlock[];
  /** Operations on the sheets themselves, with sheet names. */
  readonly structure: PublishedPart<readonly StructureOperation[]>;
  /** See `ChangeList`. */
  readonly incarnation: string;
  /** The changed cells with their values, if requested. */
  readonly cells?: readonly ChangedCell[];
  /** The changed records, if the request has a key. */
  readonly records?: readonly ChangedRecord[];
  /** For the console: the moves of cells; absent: none, or not requested. */
  readonly places?: PublishedMoves;
  /** For the console: true if formulas in any cell may read differently, because a name or table was renamed. */
  readonly renamed?: true;
  /** For the console: the revision that this one undoes; absent: none, or not requested. */
  readonly undoes?: number;
  /** For the console: the earlier revision that this one restores; absent: none, or not requested. */
  readonly restores?: number;
}

/** A moved block: its old cells are empty or hold other moved cells; it replaces the cells at its destination. */
interface MovedBlock {
  /** Range in A1 notation with the current sheet name. */
  readonly from: string;
  /** Null: deleted, or moved to a sheet that is not published, and no other cells moved to the old place. */
  readonly to: string | null;
  /** True if the move happened at the same time as the previous entry. */
  readonly together?: true;
}

interface ChangeList {
  readonly entries: readonly FeedChange[];
  /** The document's newest revision. */
  readonly revision: number;
  /** The `since` of the next request, after these entries. */
  readonly next: number;
  readonly hasMore: boolean;
  /**
   * The log does not reach back to `since`, or `since` belongs to another history: read the document again, then
   * continue from `next`.
   */
  readonly gap: boolean;
  /** Id of the history that `next` belongs to; send it with the next request. */
  readonly incarnation: string;
  /** Position of the followed cells at `next`; absent: none are followed. */
  readonly watched?: WatchedArea;
}

interface ChangesRequest {
  readonly since: number;
  /** The id sent with `since`; null: not sent. */
  readonly incarnation: string | null;
  readonly limit: number;
  /** Maximum length of the entries as JSON text; the first entry is always returned. */
  readonly maxLength: number;
  /** True if changed cells include their values. */
  readonly values: boolean;
  /** Only changes in this area are published; null: all. */
  readonly watch: WatchRequest | null;
  /** True if each move of cells is published. */
  readonly places?: boolean;
}

/**
 * Commits after a revision, the oldest first, up to the state of `log`, without sheets whose values are hidden from the
 * caller. Readers of the same state share one `log`.
 */
export async function readChangesAfter(
  context: ServiceContext,
  access: DocumentAccess,
  request: ChangesRequest,
  log: LogReads,
): Promise<ChangeList | Refusal> {
  const { since, incarnation, watch } = request;
  const { snapshot, head } = log.reading;
  const { revision } = snapshot;
  const trail =
    watch && (await resolveTrail(access, watch, snapshot, Math.min(since, revision), (after) => log.readMoves(after)));
  if (isRefusal(trail)) return trail;
  const watched = trail && { watched: toWatchedArea(trail, revision) };
  const none = { entries: [], revision, next: revision, hasMore: false, gap: false, incarnation: head, ...watched };
  if (!(await log.containsCommit(incarnation))) return { ...none, gap: true };
  if (since === revision) return none;
  if (since > revision) return { ...none, gap: true };
  const found = await readChanges(context, access, { ...request, trail, log });
  if (found === null) return { ...none, gap: true };
  const { entries, next, last } = found;
  const place = trail && { watched: toWatchedArea(trail, next) };
  return { entries, revision, next, hasMore: next < revision, gap: false, incarnation: last ?? head, ...place };
}

interface ChangesQuery extends ChangesRequest {
  readonly trail: WatchTrail | null;
  readonly log: LogReads;
}

interface ReadChanges {
  readonly entries: readonly FeedChange[];
  /** The last revision that was read, and its commit id. */
  readonly next: number;
  readonly last: string | null;
}

/** Null: the log does not connect `since` with the newest state. */
async function readChanges(
  context: ServiceContext,
  access: DocumentAccess,
  { since, limit, maxLength, values, trail, log, places = false }: ChangesQuery,
): Promise<ReadChanges | null> {
  const id = access.documentId;
  const { reading } = log;
  const { revision } = reading.snapshot;
  const publisher = await createCommitPublisher(context, access, { trail, values, log, places });
  const entries: FeedChange[] = [];
  let length = 0;
  let done = { next: since, last: null as string | null };
  const end = Math.min(revision, since + MAX_CHANGES_PAGE);
  while (entries.length < limit && done.next < end) {
    const { next: after } = done;
    const step = Math.min(FEED_STEP, trail === null ? limit - entries.length : end - after);
    const rows = await log.listCommits(after, step);
    if (rows[0]?.revision !== after + 1) return after === since ? null : { entries, ...done };
    for (const row of rows) {
      const entry = await publisher(row);
      if (entry === 'unknown') return done.next === since ? null : { entries, ...done };
      length += entry === null ? 0 : JSON.stringify(entry).length;
      if (entries.length > 0 && length > maxLength) return { entries, ...done };
      if (entry !== null) entries.push(entry);
      done = { next: row.revision, last: row.head };
      if (entries.length === limit) break;
      // Long reads yield to other work: one entry can have a thousand cells.
      const turn = waitForFeedTurn();
      if (turn !== null) await turn;
    }
  }
  const hasValues = values || (trail?.request.key.length ?? 0) > 0;
  if (hasValues && done.next === revision) context.recordMemory.publishedStates.cacheState(id, reading);
  return { entries, ...done };
}

/** Publishes a commit; null if it has no followed change, `unknown` if its state cannot be restored. */
type PublishCommit = (commit: LoggedCommit) => Promise<FeedChange | 'unknown' | null>;

/** A function that returns a commit as the feed shows it to this caller, without what is hidden. */
async function createCommitPublisher(
  context: ServiceContext,
  access: DocumentAccess,
  { trail, values, log, places }: Pick<ChangesQuery, 'trail' | 'values' | 'log' | 'places'>,
): Promise<PublishCommit> {
  const { hiddenSheets: hidden } = access;
  const { reading } = log;
  const hasRecords = (trail?.request.key.length ?? 0) > 0;
  const states = values || hasRecords ? await log.getStatesFor(access) : null;
  const isVisible = (sheet: number) => !hidden.has(sheet) && reading.snapshot.hasSheet(sheet);
  return async (row) => {
    const areas = filterVisibleAreas(row.areas, isVisible);
    const place = trail && findStepAfter(trail.steps, row.revision);
    const mayHaveEnded = hasRecords && trail?.table != null;
    if (trail !== null && !isRelevant(trail, { ...row, snapshot: reading.snapshot }, areas, mayHaveEnded)) return null;
    const plain = toFeedChange(row, areas, { snapshot: reading.snapshot, reader: access, place });
    const entry = places ? { ...plain, ...(await describeForConsole(context, access, row, reading.snapshot)) } : plain;
    if (states === null) return entry;
    const before = await states.readStateAt(row.revision - 1, row.parent);
    const after = before && (await states.readStateAt(row.revision, row.head));
    if (before === null || after === null) return 'unknown';
    const between = { areas, revision: row.revision, before, after, hidden };
    const cells = values ? await runInSlices(listChangedCells(between, place, reading.snapshot)) : null;
    const records = trail !== null && hasRecords ? await listChangedRecords(between, trail) : null;
    if (mayHaveEnded && entry.cellCount === 0 && records?.list.length === 0) return null;
    return {
      ...entry,
      truncated: entry.truncated || (cells?.isCut ?? false) || (records?.isCut ?? false),
      ...(cells === null ? {} : { cells: cells.list }),
      ...(records === null ? {} : { records: records.list }),
    };
  };
}

/** What only the console needs to know of a commit. */
async function describeForConsole(
  context: ServiceContext,
  access: DocumentAccess,
  row: LoggedCommit,
  { sheets }: Snapshot,
): Promise<Pick<FeedChange, 'places' | 'renamed' | 'undoes' | 'restores'>> {
  const places = await publishPlaces(context, access, row, sheets);
  const { renamed, restored } = row.areas;
  return {
    ...(places && { places }),
    ...(renamed === true ? { renamed } : {}),
    ...(row.undoes === null ? {} : { undoes: row.undoes }),
    ...(restored === undefined ? {} : { restores: restored }),
  };
}

interface ChangeView {
  /** The newest state, which names the sheets. */
  readonly snapshot: Snapshot;
  readonly reader: PublicationReader;
  /** The cells that the reader follows; null: the whole document. */
  readonly place: WatchedPosition | null;
}

/** A commit as an entry of the feed, limited to the view's sheets and range. */
function toFeedChange(row: LoggedCommit, areas: ParsedAreas, view: ChangeView): FeedChange {
  const { snapshot, reader, place } = view;
  const { moves = [] } = areas;
  const moved = moves.flatMap((move) => describeMove(move, view));
  const visible = publishAreas(areas, reader, (sheet) => snapshot.hasSheet(sheet));
  const clipToView = (area: StoredArea) => clipArea(area, place);
  const [wrote, calculated] = [visible.written, visible.derived].map((all) => all.flatMap(clipToView));
  const others = (visible.rest ?? []).filter(([sheet]) => place === null || place.sheet === sheet);
  const [ranges, derived] = [formatAreas(wrote ?? [], snapshot), formatAreas(calculated ?? [], snapshot)];
  const isWhole = ranges.length === wrote?.length && derived.length === calculated?.length;
  const spelled = [...(wrote ?? []), ...(calculated ?? [])].reduce((sum, area) => sum + cellCount(toArea(area)), 0);
  return {
    revision: row.revision,
    changedAt: new Date(row.at).toISOString(),
    origin: row.origin,
    sourceToken: row.token_name,
    author: row.author,
    // Cells that are only counted cannot be assigned to the followed area.
    cellCount: place === null ? others.reduce((sum, [, cells]) => sum + cells, spelled) : spelled,
    ranges,
    derived,
    truncated: !isWhole || others.length > 0 || visible.isCut,
    ...(moved.length > 0 ? { moved } : {}),
    structure: publishOperations(row.structure, reader, { sheets: snapshot.sheets, touched: listTouchedSheets(areas) }),
    incarnation: row.head,
  };
}

/** The part of the area within the watched position, as a list of none or one. */
function clipArea(
  [sheet, top, left, bottom, right]: StoredArea,
  position: WatchedPosition | null,
): readonly StoredArea[] {
  const area = clipToStep(sheet, { top, left, bottom, right }, position);
  return area === null ? [] : [[sheet, area.top, area.left, area.bottom, area.right]];
}

/** The blocks that a move carried, each with its range before and after. */
function describeMove(move: Move, view: ChangeView): readonly MovedBlock[] {
  const { pieces } = getMovePieces(move);
  const lost = listLinesLostAtEnd(move).map((block) => ({ from: block, to: null }));
  const blocks = [...pieces.map((piece) => ({ from: piece, to: getPieceTarget(piece) })), ...lost];
  return blocks
    .flatMap(({ from, to }) => describeMovedBlock(from, to, view))
    .map((one, i) => (i === 0 ? one : { ...one, together: true as const }));
}

/**
 * The rows or columns at the grid's end that a deletion removes. Everywhere else other cells take the deleted places.
 */
function listLinesLostAtEnd(move: Move): readonly Block[] {
  if (move.kind !== 'delete') return [];
  const { pieces, lost } = getMovePieces(move);
  const taken = pieces.map((piece) => getPieceTarget(piece).area);
  return lost.flatMap(({ sheet, area }) =>
    taken
      .reduce((rest, other) => rest.flatMap((part) => subtract(part, other)), [area] as readonly Area[])
      .map((part) => ({ sheet, area: part })),
  );
}

/**
 * The ranges of a block before and after a move; none if it is outside the view or comes from a hidden sheet. A block
 * that is lost or moved to a hidden sheet has no target.
 */
function describeMovedBlock(
  fromBlock: Block,
  toBlock: Block | null,
  { snapshot, reader, place }: ChangeView,
): readonly MovedBlock[] {
  const blocks = toBlock === null ? [fromBlock] : [fromBlock, toBlock];
  if (place !== null && blocks.every(({ sheet }) => sheet !== place.sheet)) return [];
  const findVisibleName = ({ sheet }: Block) =>
    reader.hiddenSheets.has(sheet) ? undefined : snapshot.sheetById(sheet)?.name;
  const [source, target] = blocks.map((block) => {
    const sheetName = findVisibleName(block);
    return sheetName === undefined ? null : formatQualifiedRange(sheetName, formatRange(block.area));
  });
  // Cells from an unpublished sheet are published as written.
  return source ? [{ from: source, to: target ?? null }] : [];
}

/** The first ranges in A1 form. */
function formatAreas(areas: readonly StoredArea[], snapshot: Snapshot): readonly string[] {
  const found: string[] = [];
  let length = 0;
  for (const area of areas) {
    const text = formatQualifiedRange(snapshot.sheetById(area[0])?.name ?? '', areaText(toArea(area)));
    length += text.length;
    if (found.length === MAX_FEED_RANGES || length > MAX_FEED_RANGES_LENGTH) break;
    found.push(text);
  }
  return found;
}

function toArea([, top, left, bottom, right]: StoredArea) {
  return { top, left, bottom, right };
}
