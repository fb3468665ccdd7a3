import { type Block, intersects, type LocaleId } from '@cellwire/engine';
import { commitAreas } from '@cellwire/store/documents';
import { type ParsedAreas, parseAreas } from '@cellwire/store/stored-forms';
import type { InputLocale } from '../../access/input-locale.ts';
import { readLog } from '../../documents/read-log.ts';
import type { Reading } from '../../documents/types.ts';
import { COMPARED_STEP, MAX_COMPARED_COMMITS } from '../../limits/history.ts';
import { inputLocaleOf } from '../cells/input-locale.ts';
import { type CommitConflict, commitLoop, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { CELLS_CHANGED, CELLS_GONE, isRefusal, REARRANGED, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import { RebasedPlaces } from './places.ts';
import { isArrangedAs, type RebaseStep, stepsBetween } from './steps.ts';

/** The revision that the sender of a request saw. */
export interface RequestBase {
  readonly revision: number;
  /** True if the write is refused when another user has written its cells since. */
  readonly unlessChanged: boolean;
}

interface RebasedWrite<Sent> {
  /** Null: addresses refer to the current state. */
  readonly base: RequestBase | null;
  readonly sent: Sent;
  readonly inputLocale: InputLocale | null;
  readonly rebase: (
    sent: Sent,
    setting: { readonly places: RebasedPlaces; readonly locale: LocaleId | null },
  ) => Sent | Refusal;
  /** The ranges that the write changes, in terms of `sent`. */
  readonly ranges: (sent: Sent) => readonly string[];
  readonly write: (request: WriteRequest, sent: Sent) => Promise<WriteReply | Refusal>;
}

/**
 * Writes a request whose addresses refer to an earlier revision. They are translated to the newest state, and again if
 * cells move before the commit.
 */
export async function writeRebased<Sent>(
  context: ServiceContext,
  request: WriteRequest,
  { base, sent, inputLocale, rebase, ranges, write }: RebasedWrite<Sent>,
): Promise<WriteReply | Refusal> {
  if (base === null) return write(request, sent);
  const { access } = request;
  const attempt = async (): Promise<WriteReply | Refusal | CommitConflict> => {
    const reading = await openReading(context, access);
    if (isRefusal(reading)) return reading;
    const { snapshot, recent } = reading;
    const { revision } = snapshot;
    // A revision that does not exist yet belongs to another history.
    if (base.revision > revision) return CELLS_GONE;
    let current = sent;
    if (!isArrangedAs(recent, base.revision, revision)) {
      const steps = await stepsBetween(context.database, access.documentId, base.revision, revision);
      if (steps === null) return CELLS_GONE;
      const places = new RebasedPlaces(steps, snapshot.sheets, access.hiddenSheets);
      const locale = inputLocaleOf(inputLocale, access, snapshot);
      const rebased = steps.length === 0 ? sent : rebase(sent, { places, locale });
      if (isRefusal(rebased)) return rebased;
      current = rebased;
    }
    if (base.unlessChanged && (await isChangedSince(context, request, reading, base.revision, ranges(current)))) {
      return CELLS_CHANGED;
    }
    const outcome = await write({ ...request, addressBase: { revision, isExact: base.unlessChanged } }, current);
    return outcome === REARRANGED ? STATE_CHANGED : outcome;
  };
  return commitLoop<null, WriteReply>({ rights: null, reauthorize: async () => null, attempt });
}

/** True if another user wrote one of the cells after a revision; the caller's own writes in a browser do not count. */
async function isChangedSince(
  { database }: ServiceContext,
  { access }: WriteRequest,
  { snapshot }: Reading,
  base: number,
  ranges: readonly string[],
): Promise<boolean> {
  const { revision } = snapshot;
  if (base === revision) return false;
  // Too many commits to compare: the cells count as changed.
  if (revision - base > MAX_COMPARED_COMMITS) return true;
  const id = access.documentId;
  const steps = await stepsBetween(database, id, base, revision);
  if (steps === null) return true;
  const none = new RebasedPlaces([], snapshot.sheets, new Set());
  const targets = ranges.flatMap((range) => {
    const block = none.blockOf(range);
    return block === null || isRefusal(block) ? [] : [block];
  });
  for (let after = base; after < revision; after += COMPARED_STEP) {
    const range = { id, after, to: Math.min(revision, after + COMPARED_STEP), limit: COMPARED_STEP };
    const [rows] = await readLog(database, range, [commitAreas(range)]);
    const others = rows.filter((row) => row.author_id !== access.caller.userId || row.origin !== 'browser');
    for (const row of others) {
      const later = new RebasedPlaces(stepsAfter(steps, row.revision), snapshot.sheets, new Set());
      if (overlapsAny(parseAreas(row.areas), later, targets)) return true;
      await new Promise(setImmediate);
    }
  }
  return false;
}

function stepsAfter(steps: readonly RebaseStep[], revision: number): readonly RebaseStep[] {
  return steps.filter((step) => step.revision > revision);
}

/** True if a commit wrote one of the targets; targets refer to the newest state. */
function overlapsAny(
  { written, rest = [], restored }: ParsedAreas,
  later: RebasedPlaces,
  targets: readonly Block[],
): boolean {
  if (restored !== undefined || rest.some(([sheet]) => targets.some((target) => target.sheet === sheet))) return true;
  return written.some(([sheet, top, left, bottom, right]) => {
    const blocks = later.mapBlocks({ sheet, area: { top, left, bottom, right } });
    if (blocks === null) return true;
    return blocks.some((block) =>
      targets.some((target) => target.sheet === block.sheet && intersects(target.area, block.area)),
    );
  });
}
