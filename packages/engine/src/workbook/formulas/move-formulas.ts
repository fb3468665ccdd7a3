import type { Meter } from '../../calc/budget.ts';
import type { FormulaPosition } from '../../formula/index.ts';
import type { Edge, RunEntry } from '../../graph/dependency-graph.ts';
import { resolveColumnSpan, resolveRowSpan } from '../../graph/precedent.ts';
import { union } from '../../grid/area.ts';
import { MAX_COLUMNS } from '../../grid/limits.ts';
import {
  type Block,
  findRowBoundaries,
  getMovePieces,
  getPieceTarget,
  keepsAreaWhole,
  listMoveSheets,
  type Move,
  moveCell,
  reverseMove,
  touchesBlock,
} from '../../grid/move.ts';
import type { Draft } from '../../sheet/draft.ts';
import { findRun, type Run, type Template } from '../../sheet/template.ts';
import type { FormulaGraph, MovedRunChanges } from './formula-graph.ts';
import type { MovedTemplates } from './moved-templates.ts';
import { type RowShift, ShiftedRuns } from './shifted-runs.ts';

/** The runs of one column after a move. */
interface ColumnRuns {
  readonly sheet: number;
  readonly column: number;
  readonly runs: readonly Run[];
}

/** The formulas of a document after a move. */
interface MovedFormulas extends MovedRunChanges {
  /** The columns whose runs change. */
  readonly columns: readonly ColumnRuns[];
  /** Formulas that no longer read the same cells in the same order, at their new positions. */
  readonly stale: readonly Run[];
  /** Formulas that the reverse move does not restore, at their old positions. */
  readonly lost: readonly Run[];
}

/**
 * Updates the formulas that move and the formulas that read moved cells. A run is split only where its formulas change
 * in different ways.
 */
export function moveFormulas(
  draft: Draft,
  formulas: FormulaGraph,
  templates: MovedTemplates,
  move: Move,
  meter: Meter,
): MovedFormulas {
  const removed = new Set<Run>();
  const addedRuns: Run[] = [];
  const stale: Run[] = [];
  const lost: Run[] = [];
  const back = reverseMove(move);
  const shifted = new ShiftedRuns(draft, formulas.graph, move);
  for (const { entries } of shifted.shifts) meter.reportWork(entries.length);
  for (const run of findConcernedRuns(formulas, move, shifted)) {
    const edges = formulas.graph.findEntry(run)?.edges ?? [];
    // A reference to several sheets does not follow moves on one of them.
    const stays = formulas.followsSheets(run);
    const pieces: Run[] = [];
    for (const rows of splitRun(run, edges, move)) {
      meter.reportWork(1 + edges.length);
      const { top, bottom } = rows;
      const movedPieces = splitRunPieces(run, top, bottom, move, templates, meter);
      pieces.push(...movedPieces);
      const isSame = edges.every((edge) => readsSameCells(edge, run, rows, move, stays));
      if (!isSame) stale.push(...movedPieces);
      const [first] = movedPieces;
      if (first && (!isSame || first.template !== run.template || movedPieces.length > 1)) {
        if (!movedPieces.every((piece, i) => isReversible(run, top + i, piece, back, templates)))
          lost.push({ ...run, top, bottom });
      }
    }
    if (pieces.length === 1 && pieces[0] === run) continue;
    removed.add(run);
    addedRuns.push(...pieces);
  }
  return { ...updateColumns({ draft, move, removed, added: addedRuns, shifted, templates }), stale, lost };
}

interface FormulaMove {
  readonly draft: Draft;
  readonly move: Move;
  readonly removed: ReadonlySet<Run>;
  readonly added: readonly Run[];
  readonly shifted: ShiftedRuns;
  readonly templates: MovedTemplates;
}

/** Runs that are removed from a column and runs that are added to it. */
interface ColumnRunChange {
  readonly sheet: number;
  readonly column: number;
  readonly removed: Run[];
  readonly added: Run[];
}

/**
 * Returns the columns in which runs are removed or added. Adjacent runs with the same formula and writer are joined.
 */
function updateColumns({ draft, move, removed, added, shifted, templates }: FormulaMove) {
  const changes = new Map<number, ColumnRunChange>();
  const changeOf = (sheet: number, column: number) => {
    const key = sheet * MAX_COLUMNS + column;
    const change = changes.get(key) ?? { sheet, column, removed: [], added: [] };
    changes.set(key, change);
    return change;
  };
  for (const column of shifted.changedColumns) changeOf(move.sheet, column);
  for (const run of removed) changeOf(run.sheet, run.column).removed.push(run);
  for (const run of added) changeOf(run.sheet, run.column).added.push(run);
  const joins = new RunJoins(templates);
  const columns = Array.from(changes.values(), (change): ColumnRuns => {
    const { sheet, column } = change;
    const existingRuns = draft.sheet(sheet)?.columns[column]?.runs ?? [];
    const places = sheet === move.sheet ? shifted.shiftedRuns(column) : undefined;
    const runs =
      places === undefined ? mergeRuns(existingRuns, change, joins) : mergeShifted(existingRuns, places, change, joins);
    return { sheet, column, runs };
  });
  // A run that becomes part of another run is removed instead of shifted or kept.
  const { parts, joinedRuns } = joins;
  const addedRuns = added.filter((run) => !parts.delete(run)).concat(joinedRuns);
  const removedRuns = [...removed];
  const shifts = shifted.shifts.map((shift) => removeJoined(shift, parts, removedRuns));
  removedRuns.push(...parts);
  return { columns, removed: removedRuns, added: addedRuns, shifts };
}

/** Returns a column's runs if the remaining ones do not move. Only new runs can be joined with their neighbours. */
function mergeRuns(runs: readonly Run[], { removed, added }: ColumnRunChange, joins: RunJoins): readonly Run[] {
  const holes = removed.map((run) => findRun(runs, run.top)).sort((a, b) => a - b);
  const all = joins.createColumn();
  let at = 0;
  let hole = 0;
  const keepUpTo = (end: number) => {
    for (; at < end; at++) {
      if (at === holes[hole]) hole++;
      else all.push(runs[at]!, 0);
    }
  };
  for (const run of added.sort((a, b) => a.top - b.top)) {
    const next = findRun(runs, run.top);
    keepUpTo(next < 0 ? ~next : next);
    all.push(run, null);
  }
  keepUpTo(runs.length);
  return all.finishRuns();
}

/** Returns the runs of a column after a move that only shifts some of them. */
function mergeShifted(
  runs: readonly Run[],
  places: readonly (Run | undefined)[],
  { removed, added }: ColumnRunChange,
  joins: RunJoins,
): readonly Run[] {
  const leaving = new Set(removed);
  const all: PlacedRun[] = added.map((run) => ({ run, distance: null }));
  for (const [i, run] of runs.entries()) {
    const to = places[i];
    if (to !== undefined) all.push({ run: to, distance: to.top - run.top });
    else if (!leaving.has(run)) all.push({ run, distance: 0 });
  }
  const column = joins.createColumn();
  for (const { run, distance } of all.sort((a, b) => a.run.top - b.run.top)) column.push(run, distance);
  return column.finishRuns();
}

/**
 * Returns a shift without the runs that were joined. These are added to `removed` in their old form and deleted from
 * `parts`.
 */
function removeJoined(shift: RowShift, parts: Set<Run>, removed: Run[]): RowShift {
  if (parts.size === 0) return shift;
  const entries: RunEntry[] = [];
  const runs: Run[] = [];
  for (const [i, run] of shift.runs.entries()) {
    const entry = shift.entries[i]!;
    if (parts.delete(run)) removed.push(entry.run);
    else {
      entries.push(entry);
      runs.push(run);
    }
  }
  return { rows: shift.rows, entries, runs };
}

/** A run at its new position. `distance`: number of rows by which it moved; null for a new run. */
interface PlacedRun {
  readonly run: Run;
  readonly distance: number | null;
}

/** Joins adjacent runs with the same formula and writer. */
class RunJoins {
  /** Runs that became parts of joined runs, and the joined runs. */
  readonly parts = new Set<Run>();
  readonly joinedRuns: Run[] = [];
  readonly templates: MovedTemplates;

  constructor(templates: MovedTemplates) {
    this.templates = templates;
  }

  createColumn(): JoinedColumn {
    return new JoinedColumn(this);
  }
}

/** Collects the runs of a column from top to bottom. */
class JoinedColumn {
  private readonly joins: RunJoins;
  private readonly all: Run[] = [];
  /** The first and the last of the runs to be joined. */
  private first: Run | null = null;
  private last: Run | null = null;
  private lastBy: number | null = null;

  constructor(joins: RunJoins) {
    this.joins = joins;
  }

  /**
   * Adds a run. `distance`: number of rows by which it moved; null for a new run. Two runs that moved by the same
   * distance are not joined.
   */
  push(run: Run, distance: number | null): void {
    const { last } = this;
    const mayBeOne = distance === null || distance !== this.lastBy;
    if (last !== null && mayBeOne && this.canJoin(last, run)) this.joins.parts.add(last).add(run);
    else {
      this.endRun();
      this.first = run;
    }
    this.last = run;
    this.lastBy = distance;
  }

  /** The joined runs. */
  finishRuns(): readonly Run[] {
    this.endRun();
    return this.all;
  }

  /** Ends the current run, to which no further run can be joined. */
  private endRun(): void {
    const { first, last } = this;
    if (first === null || last === null) return;
    if (first === last) this.all.push(first);
    else {
      const run = { ...first, bottom: last.bottom };
      this.joins.joinedRuns.push(run);
      this.all.push(run);
    }
  }

  /** True if two adjacent runs have the same formula and writer. */
  private canJoin(above: Run, below: Run): boolean {
    const areNext = above.bottom === below.top - 1 && above.writer === below.writer;
    return areNext && this.joins.templates.areEqual(above.template, below.template);
  }
}

/** The runs that move or read moved cells. Runs that are only shifted are left out. */
function findConcernedRuns({ graph }: FormulaGraph, move: Move, shifted: ShiftedRuns): ReadonlySet<Run> {
  const runs = new Set(shifted.others);
  for (const { sheet, area } of listTouchedBlocks(move)) {
    graph.visitEdges(sheet, area.top, area.left, area.bottom, area.right, {
      visitInterval({ entry }) {
        if (!shifted.has(entry)) runs.add(entry.run);
      },
    });
  }
  return runs;
}

/** Returns the source and target areas of a move. */
function listTouchedBlocks(move: Move): readonly Block[] {
  const { pieces, lost } = getMovePieces(move);
  const blocks: readonly Block[] = [...pieces, ...lost, ...pieces.map(getPieceTarget)];
  if (move.kind === 'carry') return blocks;
  // Reordered lines move within one block, which contains source and target.
  return [{ sheet: move.sheet, area: blocks.map(({ area }) => area).reduce(union) }];
}

/** Rows `top` to `bottom`. */
interface RowSpan {
  readonly top: number;
  readonly bottom: number;
}

/** Splits the rows of a run where their cells or precedents may change in different ways. */
function splitRun(run: Run, edges: readonly Edge[], move: Move): readonly RowSpan[] {
  if (run.top === run.bottom) return [run];
  const sheets = listMoveSheets(move);
  const bounds = findRowBoundaries(move);
  const cuts = new Set<number>();
  const cut = (rows: number) => {
    for (const bound of bounds) if (bound - rows > run.top && bound - rows <= run.bottom) cuts.add(bound - rows);
  };
  if (sheets.has(run.sheet)) cut(0);
  for (const { sheet, top, bottom } of edges) {
    if (!sheets.has(sheet)) continue;
    if (!top.absolute) cut(top.at);
    if (!bottom.absolute) cut(bottom.at);
    // The order of an absolute and a relative corner changes in the row where they are equal.
    if (top.absolute !== bottom.absolute) cuts.add(top.absolute ? top.at - bottom.at : bottom.at - top.at);
  }
  const tops = [run.top, ...[...cuts].filter((row) => row > run.top && row <= run.bottom).sort((a, b) => a - b)];
  return tops.map((top, i) => ({ top, bottom: (tops[i + 1] ?? run.bottom + 1) - 1 }));
}

/**
 * Returns the new runs for some rows of a run: a single run if their formulas change in the same way, else one run per
 * row.
 */
function splitRunPieces(
  run: Run,
  top: number,
  bottom: number,
  move: Move,
  templates: MovedTemplates,
  meter: Meter,
): readonly Run[] {
  const first = findCellAfterMove(run, top, move, templates);
  if (first === null) return [];
  const last = top === bottom ? first : findCellAfterMove(run, bottom, move, templates);
  if (last?.template === first.template) return [createPiece(run, first, bottom - top)];
  return Array.from({ length: bottom - top + 1 }, (_, i) => {
    meter.reportWork(1);
    return createPiece(run, findCellAfterMove(run, top + i, move, templates) as MovedFormulaCell, 0);
  });
}

interface MovedFormulaCell extends FormulaPosition {
  readonly template: Template;
}

/** The position and formula of a cell after a move; null if it is deleted. */
function findCellAfterMove(
  { sheet, column, template }: Run,
  row: number,
  move: Move,
  templates: MovedTemplates,
): MovedFormulaCell | null {
  const to = moveCell(move, sheet, row, column);
  if (to === null) return null;
  return { ...to, template: templates.moveTemplate(template, move, { sheet, row, column }, to) };
}

/** A run of a moved formula and the rows below it. */
function createPiece(run: Run, { sheet, row, column, template }: MovedFormulaCell, rowsBelow: number): Run {
  const bottom = row + rowsBelow;
  const same = sheet === run.sheet && column === run.column && row === run.top && bottom === run.bottom;
  if (same && template === run.template) return run;
  return { sheet, column, top: row, bottom, template, writer: run.writer };
}

/** True if the reverse move restores the formula. */
function isReversible(
  { sheet, column, template }: Run,
  row: number,
  piece: Run,
  back: Move,
  templates: MovedTemplates,
): boolean {
  return listEndRows(piece).every((at) => {
    const from = { sheet: piece.sheet, row: at, column: piece.column };
    return templates.isRestoredBy(template, piece.template, back, from, { sheet, row: row + at - piece.top, column });
  });
}

/**
 * True if rows of a run read exactly the same cells by an edge after the move. `stays`: the edge may belong to a
 * reference that does not follow moves.
 */
function readsSameCells(edge: Edge, { column }: Run, rows: RowSpan, move: Move, stays: boolean): boolean {
  const columns = resolveColumnSpan(edge, column);
  return listEndRows(rows).every((row) => {
    const read = resolveRowSpan(edge, row, row);
    if (!columns || !read) return true;
    const block = { sheet: edge.sheet, area: { ...read, ...columns } };
    return stays ? !touchesBlock(move, block) : keepsAreaWhole(move, block);
  });
}

/** Returns the first and the last row of a span. They represent all rows between them. */
function listEndRows({ top, bottom }: RowSpan): readonly number[] {
  return top === bottom ? [top] : [top, bottom];
}
