import type { Meter } from '../calc/budget.ts';
import { type FormulaPlace, moveReferences } from '../formula/index.ts';
import type { Edge } from '../graph/dependency-graph.ts';
import { columnSpan, rowSpan } from '../graph/precedents.ts';
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
import { findRun, type Run, sameNode, Template } from '../sheet/template.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { sameTemplate } from './runs.ts';

/** The runs of one column after a move. */
interface ColumnRuns {
  readonly sheet: number;
  readonly column: number;
  readonly runs: readonly Run[];
}

/** What becomes of the formulas of a document when cells move. */
export interface MovedFormulas {
  /** The columns whose runs change. */
  readonly columns: readonly ColumnRuns[];
  readonly removed: readonly Run[];
  readonly added: readonly Run[];
  /** Rows of formulas, where they are afterwards, that do not read the same cells in the same order any more. */
  readonly stale: readonly Run[];
  /** Rows of formulas, where they were, that do not read as before once the cells are moved back. */
  readonly lost: readonly Run[];
}

/**
 * Finds the formulas that a move concerns: those whose cells move, and those that read cells that do. A run is split
 * only where what becomes of its formulas differs; templates that change alike stay one.
 */
export function moveFormulas(draft: Draft, formulas: FormulaGraph, move: Move, meter: Meter): MovedFormulas {
  const templates = new AlikeTemplates();
  const gone = new Set<Run>();
  const came: Run[] = [];
  const stale: Run[] = [];
  const lost: Run[] = [];
  const back = reversed(move);
  for (const run of concerned(draft, formulas, move)) {
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
        if (!found.every((piece, i) => comesBack(run, top + i, piece, back))) lost.push({ ...run, top, bottom });
      }
    }
    if (pieces.length === 1 && pieces[0] === run) continue;
    gone.add(run);
    came.push(...pieces);
  }
  return { ...columnsAfter(draft, gone, came, templates), stale, lost };
}

/** The columns that lose or get runs; adjacent runs of the same formula and writer become one. */
function columnsAfter(draft: Draft, gone: ReadonlySet<Run>, came: readonly Run[], templates: AlikeTemplates) {
  const byColumn = new Map<number, Run[]>();
  const listOf = (sheet: number, column: number) => {
    const key = sheet * MAX_COLUMNS + column;
    const list = byColumn.get(key) ?? [];
    byColumn.set(key, list);
    return list;
  };
  for (const { sheet, column } of gone) listOf(sheet, column);
  for (const run of came) listOf(run.sheet, run.column).push(run);
  const removed = new Set(gone);
  const added: Run[] = [];
  const columns = Array.from(byColumn, ([key, news]): ColumnRuns => {
    const column = key % MAX_COLUMNS;
    const sheet = (key - column) / MAX_COLUMNS;
    const held = draft.sheet(sheet)?.columns[column]?.runs ?? [];
    const kept = held.filter((run) => !gone.has(run));
    const runs = joined(
      [...kept, ...news].sort((a, b) => a.top - b.top),
      templates,
    );
    const final = new Set(runs);
    const before = new Set(kept);
    for (const run of kept) if (!final.has(run)) removed.add(run);
    for (const run of runs) if (!before.has(run)) added.push(run);
    return { sheet, column, runs };
  });
  return { columns, removed: [...removed], added };
}

function joined(runs: readonly Run[], templates: AlikeTemplates): readonly Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all[all.length - 1];
    const isNext = last?.bottom === run.top - 1 && last.writer === run.writer;
    if (isNext && templates.areOne(last.template, run.template)) all[all.length - 1] = { ...last, bottom: run.bottom };
    else all.push(run);
  }
  return all;
}

function concerned(draft: Draft, formulas: FormulaGraph, move: Move): ReadonlySet<Run> {
  const { pieces, gone } = piecesOf(move);
  const runs = new Set<Run>();
  for (const block of [...pieces, ...gone]) for (const run of runsIn(draft, block)) runs.add(run);
  for (const { sheet, area } of [...pieces, ...gone, ...pieces.map(targetOf)]) {
    const edges: Edge[] = [];
    formulas.graph.edgesInto(sheet, area.top, area.left, area.bottom, area.right, edges);
    for (const { entry } of edges) runs.add(entry.run);
  }
  return runs;
}

/** Runs with some of their cells in a block. */
export function* runsIn(draft: Draft, { sheet, area }: Block): Generator<Run> {
  const columns = draft.sheet(sheet)?.columns ?? [];
  for (let column = area.left; column <= Math.min(area.right, columns.length - 1); column++) {
    const runs = columns[column]?.runs ?? [];
    const from = findRun(runs, area.top);
    for (let i = from < 0 ? ~from : from; i < runs.length && (runs[i] as Run).top <= area.bottom; i++) {
      yield runs[i] as Run;
    }
  }
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
  templates: AlikeTemplates,
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
  templates: AlikeTemplates,
): CellAfter | null {
  const to = movedCell(move, sheet, row, column);
  if (to === null) return null;
  const node = moveReferences(template.node, move, { sheet, row, column }, to);
  return { ...to, template: node === template.node ? template : templates.like(template, new Template(node)) };
}

function pieceAt(run: Run, { sheet, row, column, template }: CellAfter, more: number): Run {
  const bottom = row + more;
  const same = sheet === run.sheet && column === run.column && row === run.top && bottom === run.bottom;
  if (same && template === run.template) return run;
  return { sheet, column, top: row, bottom, template, writer: run.writer };
}

/** Whether a formula reads as it did once cells are moved back. */
function comesBack({ sheet, column, template }: Run, row: number, piece: Run, back: Move): boolean {
  const rows = piece.bottom - piece.top;
  return [0, rows].every((i) => {
    const at = { sheet: piece.sheet, row: piece.top + i, column: piece.column };
    return sameNode(moveReferences(piece.template.node, back, at, { sheet, row: row + i, column }), template.node);
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

/** What a template may become without another look: most become one or two. */
const MOST_ALIKE = 4;

/** Templates that others became: equal ones are one. */
class AlikeTemplates {
  private readonly made = new Map<Template, Template[]>();
  private readonly all = new Set<Template>();

  /** Whether two templates are the same formula; only such as came with the move can be without being one object. */
  areOne(a: Template, b: Template): boolean {
    return a === b || ((this.all.has(a) || this.all.has(b)) && sameTemplate(a, b));
  }

  like(from: Template, to: Template): Template {
    const known = this.made.get(from) ?? [];
    const same = known.find((held) => sameTemplate(held, to));
    if (same) return same;
    if (known.length === MOST_ALIKE) known.shift();
    known.push(to);
    this.all.add(to);
    this.made.set(from, known);
    return to;
  }
}
