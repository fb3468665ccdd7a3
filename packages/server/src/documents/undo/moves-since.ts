import { isDeepStrictEqual } from 'node:util';
import { type Move, mergeMoves, reverseMove } from '@cellwire/engine';
import type { HeldCommit, UndoMoves, UndoMovesFromStates, UndoPath } from './types.ts';

interface TrackedCommit {
  readonly revision: number;
  readonly moves: readonly Move[];
  /** Whether it created or removed names or tables, or rewrote unmoved formulas. */
  readonly changesFormulas: boolean;
  /** The commit that this commit undid. */
  readonly undoes: number | null;
  /** Commits that are undone now but are still part of the states around this one. */
  readonly held: readonly HeldCommit[];
}

/**
 * Tracks how cells moved, commit by commit, around a commit to undo. A commit and its undo cancel each other out: the
 * commits between them are described as if the undone commit had never happened. Deleted lines therefore return in
 * their original order, no matter in which order their deletions are undone.
 */
export class MovesSince {
  private readonly revision: number;
  private entries: readonly TrackedCommit[] = [];
  /** False if an undo could not be derived from the commits: the positions of the lines that it moved are uncertain. */
  private isCertain = true;

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Commits are added in order, including the one to undo. */
  addCommit(commit: Omit<TrackedCommit, 'held'>): void {
    this.entries = [...this.entries, { ...commit, held: [] }];
  }

  /** How cells of the state after the revision have moved. */
  get movesSinceRevision(): readonly Move[] {
    const heldCommits = this.ownCommit?.held ?? [];
    return [...heldCommits.flatMap(({ after }) => after.moves), ...this.laterCommits.flatMap(({ moves }) => moves)];
  }

  private get ownCommit(): TrackedCommit | undefined {
    return this.entries.find(({ revision }) => revision === this.revision);
  }

  private get laterCommits(): readonly TrackedCommit[] {
    return this.entries.filter(({ revision }) => revision > this.revision);
  }

  /**
   * Records that a commit undoes another commit by `moves`. False if the moves cannot be derived from any commit; the
   * caller then adds the undoing commit like any other.
   */
  recordUndo(undone: number, moves: readonly Move[]): boolean {
    const at = undone === this.revision ? -1 : this.entries.findIndex(({ revision }) => revision === undone);
    if (at < 0) return false;
    const entries = this.removeCommit(at, moves);
    if (entries === null) this.isCertain = false;
    else this.entries = entries;
    return entries !== null;
  }

  /** The commits without the commit at `index`, which `moves` undo. Null: the moves do not undo it. */
  private removeCommit(index: number, moves: readonly Move[]): readonly TrackedCommit[] | null {
    const found = this.entries[index] as TrackedCommit;
    const { revision: undone, changesFormulas } = found;
    const after: TrackedCommit[] = [];
    let path: UndoMovesFromStates = { moves: reverseMoves(found.moves), before: [], after: [], held: found.held };
    for (const entry of this.entries.slice(index + 1)) {
      const step = adjustToMoves(path.moves, entry.moves);
      if (step === null) return null;
      const next = { ...extendPath(path, step), held: found.held };
      const behind = entry.revision === this.revision ? (this.findPathAfterOwnUndo(undone, entry) ?? next) : next;
      const reached = isDeepStrictEqual(behind.moves, next.moves) ? behind : next;
      const one = { revision: undone, changesFormulas, before: path, after: reached };
      after.push({ ...entry, moves: step.before, held: [...entry.held, one] });
      path = next;
    }
    return isDeepStrictEqual(path.moves, moves) ? [...this.entries.slice(0, index), ...after] : null;
  }

  /**
   * How to undo a commit in the state after `undoCommit`, if `undoCommit` itself undid the commit. In that state
   * neither of the two has happened. Moving cells there and back would restore their positions, but not tables and
   * references.
   */
  private findPathAfterOwnUndo(undoneRevision: number, undoCommit: TrackedCommit): UndoMovesFromStates | null {
    const before = new MovesSince(undoCommit.revision);
    before.entries = this.entries.filter(({ revision }) => revision < undoCommit.revision);
    if (undoCommit.undoes === null || !before.recordUndo(undoCommit.undoes, undoCommit.moves)) return null;
    const at = before.entries.findIndex(({ revision }) => revision === undoneRevision);
    const found = before.entries[at];
    if (found === undefined) return null;
    let path: UndoMoves = { moves: reverseMoves(found.moves), before: [], after: [] };
    for (const { moves } of before.entries.slice(at + 1)) {
      const step = adjustToMoves(path.moves, moves);
      if (step === null) return null;
      path = extendPath(path, step);
    }
    return { ...path, held: found.held };
  }

  /** Null if moves cannot express the undo. */
  findUndoPath(): UndoPath | null {
    const { moves = [], held = [] } = this.ownCommit ?? {};
    return this.isCertain || moves.length + held.length === 0 ? this.adjustPath(adjustToMoves) : null;
  }

  /**
   * The forced undo. Cells that were cut over others, or into lines that are removed, count as uncut while lines move.
   * For everything else that moves cannot express, the old content of cells is written at their current positions.
   */
  findForcedUndoPath(): UndoPath {
    const path = this.adjustPath((back, moves) => adjustToMoves(back, moves) ?? adjustSingleMoves(back, moves));
    if (path !== null) return path;
    const shifts = this.laterCommits.flatMap(({ moves }) => moves).filter(({ kind }) => kind !== 'carry');
    return { moves: [], before: shifts, after: shifts, held: this.ownCommit?.held ?? [], isByContent: true };
  }

  /** Adjusts the undo to the later commits, one by one. `step` adjusts it to one commit. Null if a step fails. */
  private adjustPath(step: typeof adjustToMoves): UndoPath | null {
    let path: UndoMoves = { moves: reverseMoves(this.ownCommit?.moves ?? []), before: [], after: [] };
    for (const { moves } of this.laterCommits) {
      const next = step(path.moves, moves);
      if (next === null) return null;
      path = extendPath(path, next);
    }
    return { ...path, held: this.ownCommit?.held ?? [], isByContent: false };
  }
}

/** Adds one step to the moves of an undo. */
function extendPath({ before, after }: UndoMoves, step: UndoMoves): UndoMoves {
  return { moves: step.moves, before: [...before, ...step.before], after: [...after, ...step.after] };
}

/** The undo moves, adjusted to later moves; null if they cannot be adjusted. */
function adjustToMoves(undoMoves: readonly Move[], moves: readonly Move[]): UndoMoves | null {
  const merged = mergeMoves(undoMoves, moves);
  return merged && { moves: merged.first, before: merged.second, after: moves };
}

/**
 * Adjusts the moves of an undo to later moves, one by one. Skips single moves that cut cells into lines which are
 * reinserted.
 */
function adjustSingleMoves(undoMoves: readonly Move[], moves: readonly Move[]): UndoMoves | null {
  let path: UndoMoves = { moves: undoMoves, before: [], after: [] };
  for (const move of moves) {
    const next = adjustToMoves(path.moves, [move]);
    const isOverLines = move.kind === 'carry' && path.moves.every(({ kind }) => kind !== 'carry');
    if (next === null && !isOverLines) return null;
    if (next === null) continue;
    path = { moves: next.moves, before: [...path.before, ...next.before], after: [...path.after, move] };
  }
  return path;
}

/** The moves that bring the same cells back. */
export function reverseMoves(moves: readonly Move[]): readonly Move[] {
  return moves.map(reverseMove).reverse();
}
