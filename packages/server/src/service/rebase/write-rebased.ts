import type { Block, LocaleId, Snapshot } from '@cellwire/engine';
import { pause } from '@cellwire/event-loop';
import { commitAreas } from '@cellwire/store/documents';
import { parseAreas } from '@cellwire/store/stored-forms';
import type { InputLocale } from '../../access/input-locale.ts';
import { readLog } from '../../documents/read-log.ts';
import type { DocumentReading, ProposalHead } from '../../documents/types.ts';
import { COMPARED_STEP, MAX_COMPARED_BLOCKS, MAX_COMPARED_COMMITS, MAX_CONFLICTS } from '../../limits/history.ts';
import { resolveInputLocale } from '../cells/input-locale.ts';
import { commitWithoutRights, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { formatQualifiedRange, formatRange } from '../ranges.ts';
import { CELLS_GONE, createCellsChangedRefusal, isRefusal, REARRANGED, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { AddressBase, WriteRequest } from '../write-request.ts';
import { RebasedPlaces } from './places.ts';
import { findWrittenTargets, isArrangementUnchanged, type RebaseStep, readStepsBetween } from './steps.ts';

/** The revision that the sender of a request saw. */
export interface RequestBase {
  /** The revision of the addresses in the request. */
  readonly revision: number;
  readonly changedCells: ChangedCellsPolicy;
  /** The sender has seen the changes up to this revision, so they do not count as changes by another user. */
  readonly seenRevision: number;
  /**
   * The revisions that the sending page wrote itself. Its user's writes in other tabs and on other devices count as
   * changes by another user.
   */
  readonly ownRevisions: RevisionRanges;
}

/** Ranges of revisions, each with its first and last revision. */
export type RevisionRanges = readonly (readonly [first: number, last: number])[];

/**
 * What a write does if another user has written some of its cells since: it overwrites them, it is refused, or it leaves
 * these cells as they are.
 */
type ChangedCellsPolicy = 'overwrite' | 'refuse' | 'keep';

interface RebasedWrite<Sent> {
  /** Null: addresses refer to the current state. */
  readonly base: RequestBase | null;
  readonly sent: Sent;
  readonly inputLocale: InputLocale | null;
  /** Null: the request has no addresses. */
  readonly rebase:
    | ((sent: Sent, setting: { readonly places: RebasedPlaces; readonly locale: LocaleId | null }) => Sent | Refusal)
    | null;
  /** The ranges whose cells the write changes or deletes. They refer to the same revision as `sent`. */
  readonly ranges: (sent: Sent, snapshot: Snapshot) => readonly string[];
  /**
   * Returns the write without these cells; null: the write is impossible without them. Absent: cells can never be left
   * out.
   */
  readonly without?: (sent: Sent, cells: readonly Block[], places: RebasedPlaces) => Sent | null;
  readonly write: (request: WriteRequest, sent: Sent) => Promise<WriteReply | Refusal>;
}

/**
 * Writes a request whose addresses refer to an earlier revision. They are translated to the newest state, and again if
 * cells move before the commit.
 */
export function writeRebased<Sent>(
  context: ServiceContext,
  request: WriteRequest,
  rebasedWrite: RebasedWrite<Sent>,
): Promise<WriteReply | Refusal> {
  const { base, sent, write } = rebasedWrite;
  return base === null ? write(request, sent) : writeFromBase(context, request, rebasedWrite, base);
}

/** Writes a request whose addresses refer to an earlier revision, and maps them again if cells move meanwhile. */
function writeFromBase<Sent>(
  context: ServiceContext,
  request: WriteRequest,
  rebasedWrite: RebasedWrite<Sent>,
  base: RequestBase,
): Promise<WriteReply | Refusal> {
  const { rebase, write } = rebasedWrite;
  let compared: ComparedCells | null = null;
  return commitWithoutRights<WriteReply>(async () => {
    const reading = await openReading(context, request.access);
    if (isRefusal(reading)) return reading;
    const { revision } = reading.snapshot;
    // A revision that does not exist yet belongs to another history.
    if (base.revision > revision) return CELLS_GONE;
    const moved = await translateRequest(context, request, rebasedWrite, { base, reading });
    if (isRefusal(moved)) return moved;
    const guarded = await leaveOutChangedCells(context, request, rebasedWrite, {
      base,
      reading,
      sent: moved,
      compared,
    });
    if (isRefusal(guarded)) return guarded;
    const { sent: current, cells } = guarded;
    compared = guarded.compared;
    if (cells === null && rebase === null) return write(request, current);
    const keepsWritten = base.changedCells === 'keep';
    const addressBase = createAddressBase(context, request, { revision, cells, keepsWritten, written: [] });
    const outcome = await write({ ...request, addressBase }, current);
    return outcome === REARRANGED ? STATE_CHANGED : outcome;
  });
}

/** The newest state, and the revision that the sender of a request saw. */
interface RebaseSetting {
  readonly base: RequestBase;
  readonly reading: DocumentReading;
}

/** The request with the addresses of the newest state. */
async function translateRequest<Sent>(
  { database }: ServiceContext,
  { access }: WriteRequest,
  { sent, inputLocale, rebase }: RebasedWrite<Sent>,
  { base, reading: { snapshot, recent } }: RebaseSetting,
): Promise<Sent | Refusal> {
  const { revision, sheets } = snapshot;
  if (rebase === null || isArrangementUnchanged(recent, base.revision, revision)) return sent;
  const steps = await readStepsBetween(database, access.documentId, base.revision, revision);
  if (steps === null) return CELLS_GONE;
  if (steps.length === 0) return sent;
  const places = new RebasedPlaces(steps, sheets, access.hiddenSheets);
  return rebase(sent, { places, locale: resolveInputLocale(inputLocale, access, snapshot) });
}

/** A request without the cells that it must leave as they are. */
interface GuardedWrite<Sent> {
  readonly sent: Sent;
  /** The cells that it writes; null: it overwrites the changes of other users. */
  readonly cells: readonly Block[] | null;
  readonly compared: ComparedCells | null;
}

/** Leaves out the cells that other users have changed, or refuses the request, as its sender wants. */
async function leaveOutChangedCells<Sent>(
  context: ServiceContext,
  request: WriteRequest,
  { ranges, without }: RebasedWrite<Sent>,
  {
    base,
    reading,
    sent,
    compared: earlier,
  }: RebaseSetting & { readonly sent: Sent; readonly compared: ComparedCells | null },
): Promise<GuardedWrite<Sent> | Refusal> {
  if (base.changedCells === 'overwrite') return { sent, cells: null, compared: null };
  const { snapshot } = reading;
  const cells = parseCurrentBlocks(ranges(sent, snapshot), snapshot);
  const compared = await compareCells(context, request, reading, { base, cells, earlier });
  const { changed, areByCaller } = compared ?? { changed: null, areByCaller: false };
  if (changed?.length === 0) return { sent, cells, compared };
  const isKept = base.changedCells === 'keep' && changed !== null;
  const remaining = (isKept && without?.(sent, changed, createCurrentPlaces(snapshot))) || null;
  if (remaining === null) {
    return createCellsChangedRefusal(describeConflicts(changed ?? [], reading, request.access), areByCaller);
  }
  return { sent: remaining, cells: parseCurrentBlocks(ranges(remaining, snapshot), snapshot), compared };
}

function createAddressBase(
  context: ServiceContext,
  request: WriteRequest,
  base: Omit<AddressBase, 'followTo'>,
): AddressBase {
  const { revision: since, cells, keepsWritten, written } = base;
  const followTo = async (head: ProposalHead): Promise<AddressBase | null> => {
    const steps = await readStepsBetween(context.database, request.access.documentId, since, head.revision);
    if (steps?.length !== 0) return null;
    const added = await findChangesSince(context, request, head.snapshot, { since, own: [], steps }, cells ?? []);
    if (added === null || (added.changed.length > 0 && !keepsWritten)) return null;
    const allWritten = [...written, ...added.changed];
    return createAddressBase(context, request, { ...base, revision: head.revision, written: allWritten });
  };
  return { ...base, followTo };
}

/** The cells of a write that other users, or other pages of the caller, changed. */
interface ChangedCells {
  readonly changed: readonly Block[];
  /** True if only the caller changed the cells, in a browser. */
  readonly areByCaller: boolean;
}

/** The changed cells up to a revision. */
interface ComparedCells extends ChangedCells {
  readonly revision: number;
}

/**
 * The changed cells of a write up to the newest state. A repeated attempt continues after the `earlier` comparison,
 * unless cells moved since. Null if each of the cells may have changed.
 */
async function compareCells(
  context: ServiceContext,
  request: WriteRequest,
  { snapshot }: DocumentReading,
  {
    base: { seenRevision, ownRevisions: own },
    cells,
    earlier,
  }: { readonly base: RequestBase; readonly cells: readonly Block[]; readonly earlier: ComparedCells | null },
): Promise<ComparedCells | null> {
  const { revision } = snapshot;
  const readStepsAfter = (from: number) =>
    readStepsBetween(context.database, request.access.documentId, from, revision);
  const canContinue = earlier !== null && (await readStepsAfter(earlier.revision))?.length === 0;
  const start = canContinue ? earlier : { revision: seenRevision, changed: [], areByCaller: true };
  const since = start.revision;
  const steps = canContinue ? [] : await readStepsAfter(since);
  const added = await findChangesSince(context, request, snapshot, { since, own, steps }, cells);
  if (added === null) return null;
  const changed = [...start.changed, ...added.changed];
  return { revision, changed, areByCaller: start.areByCaller && added.areByCaller };
}

/**
 * The cells of these blocks that another user wrote after a revision, at their current places. The writes of the
 * sending page do not count. Null if each of the cells may have changed. `steps`: since the revision; null: unknown.
 */
async function findChangesSince(
  { database }: ServiceContext,
  { access }: WriteRequest,
  { revision, sheets }: Snapshot,
  {
    since,
    own,
    steps,
  }: { readonly since: number; readonly own: RevisionRanges; readonly steps: readonly RebaseStep[] | null },
  targets: readonly Block[],
): Promise<ChangedCells | null> {
  if (since >= revision || targets.length === 0) return { changed: [], areByCaller: true };
  if (steps === null || revision - since > MAX_COMPARED_COMMITS) return null;
  const id = access.documentId;
  const changesByRevision = new Map<number, ChangedCells>();
  let blocks = 0;
  for (let after = since; after < revision; after += COMPARED_STEP) {
    const range = { id, after, to: Math.min(revision, after + COMPARED_STEP), limit: COMPARED_STEP };
    const [rows] = await readLog(database, range, [commitAreas(range)]);
    const isByCaller = ({ author_id: author, origin }: (typeof rows)[number]) =>
      author === access.caller.userId && origin === 'browser';
    const others = rows.filter((row) => !isByCaller(row) || !containsRevision(own, row.revision));
    for (const row of others) {
      // An undone change and its undo leave the cells as they were.
      if (row.undoes !== null && changesByRevision.delete(row.undoes)) continue;
      const laterSteps = steps.filter(({ revision: stepRevision }) => stepRevision > row.revision);
      const places = laterSteps.length === 0 ? null : new RebasedPlaces(laterSteps, sheets, new Set());
      const common = findWrittenTargets(parseAreas(row.areas), targets, places?.mapBlocks.bind(places));
      if (common === null) return null;
      changesByRevision.set(row.revision, { changed: common, areByCaller: common.length === 0 || isByCaller(row) });
      blocks += common.length;
      if (blocks > MAX_COMPARED_BLOCKS) return null;
      const turn = pause();
      if (turn !== null) await turn;
    }
  }
  const changes = [...changesByRevision.values()];
  return {
    changed: changes.flatMap(({ changed }) => changed),
    areByCaller: changes.every(({ areByCaller }) => areByCaller),
  };
}

/** True if one of the ranges includes the revision. */
function containsRevision(ranges: RevisionRanges, revision: number): boolean {
  return ranges.some(([first, last]) => first <= revision && revision <= last);
}

/** The cells of ranges of the newest state. */
function parseCurrentBlocks(ranges: readonly string[], snapshot: Snapshot): readonly Block[] {
  const places = createCurrentPlaces(snapshot);
  return ranges.flatMap((range) => {
    const block = places.parseEarlierBlock(range);
    return block === null || isRefusal(block) ? [] : [block];
  });
}

/** Creates the places for a request whose addresses already refer to the newest state. */
function createCurrentPlaces({ sheets }: Snapshot): RebasedPlaces {
  return new RebasedPlaces([], sheets, new Set());
}

/** The changed ranges that the caller may see, without repetitions, the first `MAX_CONFLICTS`. */
function describeConflicts(
  changed: readonly Block[],
  { snapshot }: DocumentReading,
  { hiddenSheets }: WriteRequest['access'],
): readonly string[] {
  const ranges = new Set<string>();
  for (const { sheet, area } of changed) {
    const name = snapshot.sheetById(sheet)?.name;
    if (name !== undefined && !hiddenSheets.has(sheet)) ranges.add(formatQualifiedRange(name, formatRange(area)));
    if (ranges.size >= MAX_CONFLICTS) break;
  }
  return [...ranges];
}
