import type { Meter } from '../calc/budget.ts';
import type { FormulaPlace } from '../formula/index.ts';
import type { Edge, RunEntry } from '../graph/dependency-graph.ts';
import { columnSpan, rowSpan } from '../graph/precedents.ts';
import { union } from '../grid/area.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import {
  type Block,
  type Move,
  movedCell,
  piecesOf,
  reversed,
  rowBounds,
  sheetsOf,
  staysWhole,
  targetOf,
} from '../grid/move.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Run, Template } from '../sheet/template.ts';
import type { FormulaGraph, MovedRuns } from './formula-graph.ts';
import type { MovedTemplates } from './moved-templates.ts';
import { type Shift, ShiftedRuns } from './shifted-runs.ts';

/** The runs of one column after a move. */
interface ColumnRuns {
  readonly sheet: number;
  readonly column: number;
  readonly runs: readonly Run[];
}

/** What becomes of the formulas of a document when cells move. */
export interface MovedFormulas extends MovedRuns {
  /** The columns whose runs change. */
  readonly columns: readonly ColumnRuns[];
  /** Rows of formulas, where they are afterwards, that do not read the same cells in the same order any more. */
  readonly stale: readonly Run[];
  /** Rows of formulas, where they were, that do not read as before once the cells are moved back. */
  readonly lost: readonly Run[];
}

/**
 * Finds the formulas that a move concerns: those whose cells move, and those that read cells that do. A run is split
 * only where what becomes of its formulas differs; templates that change alike stay one.
 */
export function moveFormulas(
  draft: Draft,
  formulas: FormulaGraph,
  templates: MovedTemplates,
  move: Move,
  meter: Meter,
): MovedFormulas {
  const gone = new Set<Run>();
  const came: Run[] = [];
  const stale: Run[] = [];
  const lost: Run[] = [];
  const back = reversed(move);
  const shifted = new ShiftedRuns(draft, formulas.graph, move);
  for (const { entries } of shifted.shifts) meter.pass(entries.length);
  for (const run of concerned(formulas, move, shifted)) {
    const edges = formulas.graph.entry(run)?.edges ?? [];
    const pieces: Run[] = [];
    for (const { top, bottom } of segments(run, edges, move)) {
      meter.pass(1 + edges.length);
      const found = piecesOfRun(run, top, bottom, move, templates, meter);
      pieces.push(...found);
      const isSame = edges.every((edge) => readsTheSame(edge, run, top, bottom, move));
      if (!isSame) stale.push(...found);
      const [first] = found;
      if (first && (!isSame || first.template !== run.template || found.length > 1)) {
        if (!found.every((piece, i) => comesBack(run, top + i, piece, back, templates)))
          lost.push({ ...run, top, bottom });
      }
    }
    if (pieces.length === 1 && pieces[0] === run) continue;
    gone.add(run);
    came.push(...pieces);
  }
  return { ...columnsAfter({ draft, move, gone, came, shifted, templates }), stale, lost };
}

interface Changes {
  readonly draft: Draft;
  readonly move: Move;
  readonly gone: ReadonlySet<Run>;
  readonly came: readonly Run[];
  readonly shifted: ShiftedRuns;
  readonly templates: MovedTemplates;
}

/** The columns that lose or get runs; adjacent runs of the same formula and writer become one. */
function columnsAfter({ draft, move, gone, came, shifted, templates }: Changes) {
  const byColumn = new Map<number, Run[]>();
  const listOf = (sheet: number, column: number) => {
    const key = sheet * MAX_COLUMNS + column;
    const list = byColumn.get(key) ?? [];
    byColumn.set(key, list);
    return list;
  };
  for (const { sheet, column } of gone) listOf(sheet, column);
  for (const column of shifted.changedColumns) listOf(move.sheet, column);
  for (const run of came) listOf(run.sheet, run.column).push(run);
  const joins = new Joins(templates);
  const columns = Array.from(byColumn, ([key, news]): ColumnRuns => {
    const column = key % MAX_COLUMNS;
    const sheet = (key - column) / MAX_COLUMNS;
    const all: Run[] = [];
    for (const [i, run] of (draft.sheet(sheet)?.columns[column]?.runs ?? []).entries()) {
      const to = sheet === move.sheet ? shifted.at(column, i) : undefined;
      if (to !== undefined) all.push(to);
      else if (!gone.has(run)) all.push(run);
    }
    for (const run of news) all.push(run);
    return { sheet, column, runs: joins.join(all.sort((a, b) => a.top - b.top)) };
  });
  // What was joined with others is neither shifted nor kept, but gone.
  const { parts, made } = joins;
  const added = came.filter((run) => !parts.delete(run)).concat(made);
  const removed = [...gone];
  const shifts = shifted.shifts.map((shift) => withoutParts(shift, parts, removed));
  removed.push(...parts);
  return { columns, removed, added, shifts };
}

/** A shift without the runs that were joined with others: these are removed as what they were, and taken out of `parts`. */
function withoutParts(shift: Shift, parts: Set<Run>, removed: Run[]): Shift {
  if (parts.size === 0) return shift;
  const entries: RunEntry[] = [];
  const runs: Run[] = [];
  for (const [i, run] of shift.runs.entries()) {
    const entry = shift.entries[i] as RunEntry;
    if (parts.delete(run)) removed.push(entry.run);
    else {
      entries.push(entry);
      runs.push(run);
    }
  }
  return { rows: shift.rows, entries, runs };
}

/** Joins adjacent runs of the same formula and writer. */
class Joins {
  /** Runs that have become parts of others, and those others. */
  readonly parts = new Set<Run>();
  readonly made: Run[] = [];
  private readonly templates: MovedTemplates;

  constructor(templates: MovedTemplates) {
    this.templates = templates;
  }

  join(runs: readonly Run[]): readonly Run[] {
    const all: Run[] = [];
    for (let i = 0; i < runs.length; i++) {
      const first = runs[i] as Run;
      let last = first;
      for (let next = runs[i + 1]; next !== undefined && this.areOne(last, next); next = runs[i + 1]) {
        this.parts.add(last).add(next);
        last = next;
        i++;
      }
      all.push(last === first ? first : this.make(first, last));
    }
    return all;
  }

  private make(first: Run, last: Run): Run {
    const run = { ...first, bottom: last.bottom };
    this.made.push(run);
    return run;
  }

  private areOne(above: Run, below: Run): boolean {
    const areNext = above.bottom === below.top - 1 && above.writer === below.writer;
    return areNext && this.templates.areOne(above.template, below.template);
  }
}

function concerned({ graph }: FormulaGraph, move: Move, shifted: ShiftedRuns): ReadonlySet<Run> {
  const runs = new Set(shifted.others);
  for (const { sheet, area } of touchedBy(move)) {
    const edges: Edge[] = [];
    graph.edgesInto(sheet, area.top, area.left, area.bottom, area.right, edges);
    for (const { entry } of edges) if (!shifted.has(entry)) runs.add(entry.run);
  }
  return runs;
}

/** Where cells are that move, go, or come to lie. */
function touchedBy(move: Move): readonly Block[] {
  const { pieces, gone } = piecesOf(move);
  const blocks: readonly Block[] = [...pieces, ...gone, ...pieces.map(targetOf)];
  if (move.kind === 'carry') return blocks;
  // Lines come from the place where others go: all of it is one block.
  return [{ sheet: move.sheet, area: blocks.map(({ area }) => area).reduce(union) }];
}

/** The rows of a run, cut where what becomes of its cells or of what they read may differ. */
function segments(run: Run, edges: readonly Edge[], move: Move): readonly { top: number; bottom: number }[] {
  if (run.top === run.bottom) return [run];
  const sheets = sheetsOf(move);
  const bounds = rowBounds(move);
  const cuts = new Set<number>();
  const cut = (by: number) => {
    for (const bound of bounds) if (bound - by > run.top && bound - by <= run.bottom) cuts.add(bound - by);
  };
  if (sheets.has(run.sheet)) cut(0);
  for (const { sheet, top, bottom } of edges) {
    if (!sheets.has(sheet)) continue;
    if (!top.absolute) cut(top.at);
    if (!bottom.absolute) cut(bottom.at);
    // Corners of different kinds change places where they meet.
    if (top.absolute !== bottom.absolute) cuts.add(top.absolute ? top.at - bottom.at : bottom.at - top.at);
  }
  const tops = [run.top, ...[...cuts].filter((row) => row > run.top && row <= run.bottom).sort((a, b) => a - b)];
  return tops.map((top, i) => ({ top, bottom: (tops[i + 1] ?? run.bottom + 1) - 1 }));
}

/** What becomes of some rows of a run: one run where their formulas change alike, else one for each row. */
function piecesOfRun(
  run: Run,
  top: number,
  bottom: number,
  move: Move,
  templates: MovedTemplates,
  meter: Meter,
): readonly Run[] {
  const first = cellAfter(run, top, move, templates);
  if (first === null) return [];
  const last = top === bottom ? first : cellAfter(run, bottom, move, templates);
  if (last?.template === first.template) return [pieceAt(run, first, bottom - top)];
  return Array.from({ length: bottom - top + 1 }, (_, i) => {
    meter.pass(1);
    return pieceAt(run, cellAfter(run, top + i, move, templates) as CellAfter, 0);
  });
}

interface CellAfter extends FormulaPlace {
  readonly template: Template;
}

function cellAfter(
  { sheet, column, template }: Run,
  row: number,
  move: Move,
  templates: MovedTemplates,
): CellAfter | null {
  const to = movedCell(move, sheet, row, column);
  if (to === null) return null;
  return { ...to, template: templates.after(template, move, { sheet, row, column }, to) };
}

function pieceAt(run: Run, { sheet, row, column, template }: CellAfter, more: number): Run {
  const bottom = row + more;
  const same = sheet === run.sheet && column === run.column && row === run.top && bottom === run.bottom;
  if (same && template === run.template) return run;
  return { sheet, column, top: row, bottom, template, writer: run.writer };
}

/** Whether a formula reads as it did once cells are moved back. */
function comesBack(
  { sheet, column, template }: Run,
  row: number,
  piece: Run,
  back: Move,
  templates: MovedTemplates,
): boolean {
  const rows = piece.bottom - piece.top;
  return [0, rows].every((i) => {
    const from = { sheet: piece.sheet, row: piece.top + i, column: piece.column };
    return templates.comesBack(template, piece.template, back, from, { sheet, row: row + i, column });
  });
}

/** Whether rows of a run read by an edge, wherever they are afterwards, just what they did. */
function readsTheSame(edge: Edge, { column }: Run, top: number, bottom: number, move: Move): boolean {
  const columns = columnSpan(edge, column);
  return [top, bottom].every((row) => {
    const rows = rowSpan(edge, row, row);
    if (!columns || !rows) return true;
    return staysWhole(move, { sheet: edge.sheet, area: { ...rows, ...columns } });
  });
}
