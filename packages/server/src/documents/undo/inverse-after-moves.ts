import {
  applyDelta,
  type Block,
  decodeOutline,
  type Edit,
  followInverse,
  getMovePieces,
  type InverseOutline,
  type Move,
  moveBlocks,
  namesColumns,
  reverseMove,
  type Snapshot,
  sheetsOfMove,
  Workbook,
} from '@cellwire/engine';
import { createHeapCheck } from '@cellwire/event-loop';
import type { Database } from '@cellwire/store';
import { deltasBetween, deltasBetweenSize, inverseOf } from '@cellwire/store/documents';
import { CONFLICT_STEP, FOLLOWING_MS, MAX_FOLLOWED_BYTES, MAX_HELD_COMMITS } from '../../limits/history.ts';
import { IMPORT_CALCULATION_CELLS } from '../../limits/jobs.ts';
import { readPastInline } from '../past.ts';
import type { HeldCommit, UndoMovesFromStates, UndoPath } from './types.ts';

type UndoStateSource = Pick<Database, 'readAll'>;

/**
 * The inverse of a commit to apply after the moves of its undo, if later commits have moved cells. Null if the data for
 * its states is no longer retained, or it takes too long.
 */
export async function computeInverse(
  database: UndoStateSource,
  id: string,
  revision: number,
  path: UndoPath,
): Promise<Uint8Array | null> {
  const revisions = [revision, ...collectHeldRevisions(path.held)];
  if (revisions.length > MAX_HELD_COMMITS) return null;
  const [states, rows] = await Promise.all([
    readStatesAround(database, id, revisions),
    database.readAll(revisions.map((one) => inverseOf({ id, revision: one }))),
  ]);
  if (states === null) return null;
  const inverses = new Map<number, Uint8Array>();
  for (const [i, one] of revisions.entries()) {
    const bytes = rows[i]?.[0]?.inverse;
    if (!bytes) return null;
    inverses.set(one, bytes);
  }
  return new PastUndo(states, inverses).computeInverse(revision, path);
}

/** The revisions of all held commits, and the revisions that the undo paths of these commits name. */
function collectHeldRevisions(heldCommits: readonly HeldCommit[]): readonly number[] {
  const found = new Set<number>();
  const visited = new Set<readonly HeldCommit[]>();
  const visit = (list: readonly HeldCommit[]) => {
    if (visited.has(list)) return;
    visited.add(list);
    for (const one of list) {
      found.add(one.revision);
      visit(one.before.held);
      visit(one.after.held);
    }
  };
  visit(heldCommits);
  return [...found];
}

/** The states before and after commits, by revision, from one pass through the log. They share one table of formats. */
async function readStatesAround(
  database: UndoStateSource,
  id: string,
  revisions: readonly number[],
): Promise<ReadonlyMap<number, Snapshot> | null> {
  const neededRevisions = [...new Set(revisions.flatMap((one) => [one - 1, one]))].sort((a, b) => a - b);
  const [first = 0, last = first] = [neededRevisions[0], neededRevisions.at(-1)];
  const [size] = await database.readAll([deltasBetweenSize({ id, after: first, to: last })]);
  let snapshot = (size[0]?.bytes ?? 0) > MAX_FOLLOWED_BYTES ? null : await readPastInline(database, id, first);
  const states = new Map<number, Snapshot>();
  while (snapshot !== null) {
    if (neededRevisions.includes(snapshot.revision)) states.set(snapshot.revision, snapshot);
    const after = snapshot.revision;
    if (after >= last) return states;
    const [commits] = await database.readAll([deltasBetween({ id, after, to: Math.min(after + CONFLICT_STEP, last) })]);
    if (commits.length === 0) return null;
    for (const { delta } of commits) {
      snapshot = applyDelta(snapshot, delta);
      if (neededRevisions.includes(snapshot.revision)) states.set(snapshot.revision, snapshot);
    }
  }
  return null;
}

interface StatePair {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

/** Undoes commits in past states. */
class PastUndo {
  private readonly states: ReadonlyMap<number, Snapshot>;
  private readonly inverses: ReadonlyMap<number, Uint8Array>;
  private readonly until = performance.now() + FOLLOWING_MS;
  private readonly pairs = new Map<number, Map<readonly HeldCommit[], StatePair | null>>();

  constructor(states: ReadonlyMap<number, Snapshot>, inverses: ReadonlyMap<number, Uint8Array>) {
    this.states = states;
    this.inverses = inverses;
  }

  /** Null: the computation takes too long, or is impossible. */
  computeInverse(revision: number, { held, moves, before, after, isByContent }: UndoPath): Uint8Array | null {
    const pair = this.findStatesAroundCommit(revision, held);
    if (pair === null) return null;
    // In the state before the commit, the cells that it wrote are where the held commits moved them.
    const movesBefore = held.flatMap((one) => one.before.moves);
    const own = decodeOutline(this.requireInverse(revision));
    const areas: readonly Block[] = own.blocks.map(({ sheet, area }) => ({ sheet, area }));
    // The stored inverse contains the cells that were filled when the commit deleted them. Without the held commits,
    // more cells may be filled.
    const cells = held.length === 0 ? areas : [...areas, ...listDeletedBlocks(own)];
    const written = isByContent ? null : cells.flatMap((block) => moveBlock(block, movesBefore));
    const ways = { before, after: [...after, ...moves], written };
    const inverse = followInverse(pair.before, pair.after, ways, this.createApplyContext());
    return 'kind' in inverse ? null : inverse;
  }

  /** The inverse of a revision, which was loaded before. */
  private requireInverse(revision: number): Uint8Array {
    return this.inverses.get(revision) as Uint8Array;
  }

  /** The context of a calculation that may take the remaining time. */
  private createApplyContext() {
    const milliseconds = Math.max(0, this.until - performance.now());
    return {
      now: 0,
      seed: 0,
      budget: {
        cells: IMPORT_CALCULATION_CELLS,
        milliseconds,
        clock: () => performance.now(),
        hasMemory: createHeapCheck(),
      },
    };
  }

  /** The states around a commit, without the effects of commits that were undone only later. See `HeldCommit`. */
  private findStatesAroundCommit(revision: number, heldCommits: readonly HeldCommit[]): StatePair | null {
    const pairs = this.pairs.get(revision) ?? new Map<readonly HeldCommit[], StatePair | null>();
    this.pairs.set(revision, pairs);
    const pair = pairs.has(heldCommits)
      ? pairs.get(heldCommits)
      : this.findStatesWithoutHeldCommits(revision, heldCommits);
    pairs.set(heldCommits, pair ?? null);
    return pair ?? null;
  }

  /** The states before and after a revision with the held commits undone; null if that is not possible. */
  private findStatesWithoutHeldCommits(revision: number, heldCommits: readonly HeldCommit[]): StatePair | null {
    const [before, after] = [this.states.get(revision - 1), this.states.get(revision)];
    if (before === undefined || after === undefined) return null;
    if (heldCommits.length === 0) return { before, after };
    const [old, now] = [Workbook.open(before), Workbook.open(after)];
    const isDone = heldCommits.every(
      (one) => this.undoHeldCommit(old, one, one.before) && this.undoHeldCommit(now, one, one.after),
    );
    return isDone ? { before: old.head, after: now.head } : null;
  }

  /** Undoes a held commit in the workbook. False if time is up or no inverse applies. */
  private undoHeldCommit(workbook: Workbook, { revision }: HeldCommit, path: UndoMovesFromStates): boolean {
    if (performance.now() > this.until) return false;
    const bytes = this.requireInverse(revision);
    const whole = { ...path, isByContent: false };
    const isStored = canApplyStoredInverse(decodeOutline(bytes), whole);
    const inverse = isStored ? bytes : this.computeInverse(revision, whole);
    if (inverse === null) return false;
    const moves = isStored ? [] : filterMoves(path.moves, workbook.head);
    const edits: readonly Edit[] = [
      ...moves.map((move): Edit => ({ kind: 'moveCells', move })),
      { kind: 'takeBack', inverse, locked: [] },
    ];
    return workbook.apply(edits, this.createApplyContext()).kind === 'applied';
  }
}

/** Whether the stored inverse can be applied unchanged: no cells moved, or it contains no positions. */
export function canApplyStoredInverse(inverse: InverseOutline, { held, before, after }: UndoPath): boolean {
  if (before.length + after.length > 0) return false;
  const { templates: _, formats: __, ...others } = inverse.head;
  const hasNone = held.every(({ changesFormulas, after: { moves } }) => !changesFormulas && moves.length === 0);
  const isPlain = Object.keys(others).length === 0 && hasNone;
  // Any written cell may have been a table header.
  return held.length === 0 || (isPlain && !namesColumns(inverse));
}

/** Moves on existing sheets. */
export function filterMoves(moves: readonly Move[], state: Pick<Snapshot, 'hasSheet'>): readonly Move[] {
  return moves.filter((move) => [...sheetsOfMove(move)].every((sheet) => state.hasSheet(sheet)));
}

/** The cells that a batch deleted, by their position before it. */
function listDeletedBlocks({ head: { moves = [] } }: InverseOutline): readonly Block[] {
  return moves.reduce<readonly Block[]>((deleted, back) => {
    const { lost } = back.kind === 'delete' ? { lost: [] } : getMovePieces(reverseMove(back));
    return [...deleted.flatMap((block) => moveBlocks(back, block)), ...lost];
  }, []);
}

/** Where the moves, in their order, put the block, in pieces. */
function moveBlock(block: Block, moves: readonly Move[]): readonly Block[] {
  return moves.reduce<readonly Block[]>((blocks, move) => blocks.flatMap((one) => moveBlocks(move, one)), [block]);
}
