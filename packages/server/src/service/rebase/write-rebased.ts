import { type Block, intersection, type LocaleId, type Snapshot } from '@cellwire/engine';
import { pause } from '@cellwire/event-loop';
import { commitAreas } from '@cellwire/store/documents';
import { type ParsedAreas, parseAreas } from '@cellwire/store/stored-forms';
import type { InputLocale } from '../../access/input-locale.ts';
import { readLog } from '../../documents/read-log.ts';
import type { DocumentReading, ProposalHead } from '../../documents/types.ts';
import { COMPARED_STEP, MAX_COMPARED_BLOCKS, MAX_COMPARED_COMMITS, MAX_CONFLICTS } from '../../limits/history.ts';
import { resolveInputLocale } from '../cells/input-locale.ts';
import { type CommitConflict, commitLoop, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { qualifiedRange, rangeText } from '../ranges.ts';
import { CELLS_GONE, cellsChangedRefusal, isRefusal, REARRANGED, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { AddressBase, WriteRequest } from '../write-request.ts';
import { RebasedPlaces } from './places.ts';
import { isArrangedAs, isArrangementKept, type RebaseStep, readStepsBetween } from './steps.ts';

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
  /** The ranges whose cells the write changes or deletes, in terms of `sent`. */
  readonly ranges: (sent: Sent, snapshot: Snapshot) => readonly string[];
  /** The write without these cells. Null: it cannot be made without them. Absent: it never can. */
  readonly without?: (sent: Sent, cells: readonly Block[], places: RebasedPlaces) => Sent | null;
  readonly write: (request: WriteRequest, sent: Sent) => Promise<WriteReply | Refusal>;
}

/**
 * Writes a request whose addresses refer to an earlier revision. They are translated to the newest state, and again if
 * cells move before the commit.
 */
export async function writeRebased<Sent>(
  context: ServiceContext,
  request: WriteRequest,
  { base, sent, inputLocale, rebase, ranges, without, write }: RebasedWrite<Sent>,
): Promise<WriteReply | Refusal> {
  if (base === null) return write(request, sent);
  const { access } = request;
  let compared: ComparedCells | null = null;
  const attempt = async (): Promise<WriteReply | Refusal | CommitConflict> => {
    const reading = await openReading(context, access);
    if (isRefusal(reading)) return reading;
    const { snapshot, recent } = reading;
    const { revision } = snapshot;
    // A revision that does not exist yet belongs to another history.
    if (base.revision > revision) return CELLS_GONE;
    let current = sent;
    if (rebase !== null && !isArrangedAs(recent, base.revision, revision)) {
      const steps = await readStepsBetween(context.database, access.documentId, base.revision, revision);
      if (steps === null) return CELLS_GONE;
      const places = new RebasedPlaces(steps, snapshot.sheets, access.hiddenSheets);
      const locale = resolveInputLocale(inputLocale, access, snapshot);
      const rebased = steps.length === 0 ? sent : rebase(sent, { places, locale });
      if (isRefusal(rebased)) return rebased;
      current = rebased;
    }
    const isGuarded = base.changedCells !== 'overwrite';
    let cells = isGuarded ? parseCurrentBlocks(ranges(current, snapshot), snapshot) : null;
    if (cells !== null) {
      // A repeated attempt compares only the commits since the one before it.
      const known: ComparedCells =
        compared !== null &&
        (await isArrangementKept(context.database, recent, {
          id: access.documentId,
          from: compared.revision,
          to: revision,
        }))
          ? compared
          : { revision: base.seenRevision, changed: [], areByCaller: true };
      const later = await findChangesSince(
        context,
        request,
        reading,
        { since: known.revision, own: base.ownRevisions },
        cells,
      );
      const changed = later && [...known.changed, ...later.changed];
      const areByCaller = later !== null && known.areByCaller && later.areByCaller;
      compared = changed && { revision, changed, areByCaller };
      if (changed === null || changed.length > 0) {
        const isKept = base.changedCells === 'keep' && changed !== null;
        const rest = (isKept && without?.(current, changed, createCurrentPlaces(snapshot))) || null;
        if (rest === null) return cellsChangedRefusal(describeConflicts(changed ?? [], reading, access), areByCaller);
        current = rest;
        cells = parseCurrentBlocks(ranges(current, snapshot), snapshot);
      }
    }
    const isBound = cells !== null || rebase !== null;
    const keepsWritten = base.changedCells === 'keep';
    const addressBase = createAddressBase(context, request, { revision, cells, keepsWritten, written: [] });
    const outcome = await write(isBound ? { ...request, addressBase } : request, current);
    return outcome === REARRANGED ? STATE_CHANGED : outcome;
  };
  return commitLoop<null, WriteReply>({ rights: null, reauthorize: async () => null, attempt });
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
    const later = await findChangesSince(context, request, head, { since, own: [] }, cells ?? []);
    if (later === null || (later.changed.length > 0 && !keepsWritten)) return null;
    const all = [...written, ...later.changed];
    return createAddressBase(context, request, { ...base, revision: head.revision, written: all });
  };
  return { ...base, followTo };
}

/** The cells of a write that other users, or other pages of the caller, changed. */
interface ChangedCells {
  readonly changed: readonly Block[];
  /** True if only the caller changed them, in a browser. */
  readonly areByCaller: boolean;
}

/** The changed cells up to a revision. */
interface ComparedCells extends ChangedCells {
  readonly revision: number;
}

/**
 * The cells of these blocks that another user wrote after a revision, at their current places. The writes of the
 * sending page do not count. Null if each of the cells may have changed.
 */
async function findChangesSince(
  { database }: ServiceContext,
  { access }: WriteRequest,
  { snapshot }: Pick<DocumentReading, 'snapshot'>,
  { since, own }: { readonly since: number; readonly own: RevisionRanges },
  targets: readonly Block[],
): Promise<ChangedCells | null> {
  const { revision } = snapshot;
  if (since >= revision || targets.length === 0) return { changed: [], areByCaller: true };
  // Too many commits to compare.
  if (revision - since > MAX_COMPARED_COMMITS) return null;
  const id = access.documentId;
  const steps = await readStepsBetween(database, id, since, revision);
  if (steps === null) return null;
  const changed: Block[] = [];
  let areByCaller = true;
  const unmoved = createCurrentPlaces(snapshot);
  for (let after = since; after < revision; after += COMPARED_STEP) {
    const range = { id, after, to: Math.min(revision, after + COMPARED_STEP), limit: COMPARED_STEP };
    const [rows] = await readLog(database, range, [commitAreas(range)]);
    const isByCaller = ({ author_id: author, origin }: (typeof rows)[number]) =>
      author === access.caller.userId && origin === 'browser';
    const others = rows.filter((row) => !isByCaller(row) || !containsRevision(own, row.revision));
    for (const row of others) {
      const laterSteps = filterStepsAfter(steps, row.revision);
      const later = laterSteps.length === 0 ? unmoved : new RebasedPlaces(laterSteps, snapshot.sheets, new Set());
      const common = findWrittenTargets(parseAreas(row.areas), later, targets);
      if (common === null) return null;
      changed.push(...common);
      areByCaller &&= common.length === 0 || isByCaller(row);
      if (changed.length > MAX_COMPARED_BLOCKS) return null;
      const turn = pause();
      if (turn !== null) await turn;
    }
  }
  return { changed, areByCaller };
}

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

/** Reads ranges of the newest state. */
function createCurrentPlaces({ sheets }: Snapshot): RebasedPlaces {
  return new RebasedPlaces([], sheets, new Set());
}

function filterStepsAfter(steps: readonly RebaseStep[], revision: number): readonly RebaseStep[] {
  return steps.filter((step) => step.revision > revision);
}

/** The cells of the targets that a commit wrote; targets refer to the newest state. Null: it may have written any cell. */
function findWrittenTargets(
  { written, rest = [], restored, isCut }: ParsedAreas,
  later: RebasedPlaces,
  targets: readonly Block[],
): readonly Block[] | null {
  if (restored !== undefined || isCut) return null;
  if (rest.some(([sheet]) => targets.some((target) => target.sheet === sheet))) return null;
  const common: Block[] = [];
  for (const [sheet, top, left, bottom, right] of written) {
    const blocks = later.mapBlocks({ sheet, area: { top, left, bottom, right } });
    if (blocks === null) return null;
    for (const block of blocks) {
      for (const target of targets) {
        const area = target.sheet === block.sheet ? intersection(target.area, block.area) : null;
        if (area !== null) common.push({ sheet: block.sheet, area });
      }
    }
  }
  return common;
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
    if (name !== undefined && !hiddenSheets.has(sheet)) ranges.add(qualifiedRange(name, rangeText(area)));
    if (ranges.size >= MAX_CONFLICTS) break;
  }
  return [...ranges];
}
