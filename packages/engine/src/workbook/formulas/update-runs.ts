import type { Draft } from '../../sheet/draft.ts';
import { areSameNode, findRun, type Run, type Template } from '../../sheet/template.ts';
import type { FormulaGraph } from './formula-graph.ts';

/** A change of the formula in one row of a column: a template, or null to remove the formula. */
export interface FormulaEdit {
  readonly row: number;
  readonly template: Template | null;
  /** The writer of the formula; see `Run`. */
  readonly writer: number | null;
}

/** A column's runs after edits, and the changes for the dependency graph. */
interface RunsUpdate {
  readonly runs: readonly Run[];
  readonly removed: readonly Run[];
  readonly added: readonly Run[];
}

/** Applies edits, sorted by row and one per row, to the runs of a column and to the dependency graph. */
export function editColumn(
  { draft, formulas }: { readonly draft: Draft; readonly formulas: FormulaGraph },
  sheet: number,
  column: number,
  edits: readonly FormulaEdit[],
): void {
  const runs = draft.sheet(sheet)?.columns[column]?.runs ?? [];
  const update = updateRuns(sheet, column, runs, edits);
  draft.setRuns(sheet, column, update.runs);
  for (const run of update.removed) formulas.removeRun(run);
  for (const run of update.added) formulas.addRun(run, draft);
}

/** Applies edits to the runs of a column. Unchanged runs stay the same objects. */
function updateRuns(sheet: number, column: number, runs: readonly Run[], edits: readonly FormulaEdit[]): RunsUpdate {
  const first = edits[0]!.row;
  const last = edits[edits.length - 1]!.row;
  // Runs one row away are included, because an edit may join them.
  const from = findStartIndex(runs, first - 1);
  const to = findEndIndex(runs, last + 1);
  const old = runs.slice(from, to);
  const builder = new RunBuilder(sheet, column);
  mergeEdits(old, edits, builder);
  const kept = new Set(builder.runs);
  const before = new Set(old);
  return {
    runs: spliceRuns(runs, from, to, builder.runs),
    removed: old.filter((run) => !kept.has(run)),
    added: builder.runs.filter((run) => !before.has(run)),
  };
}

/** Index of the first run that contains the row or begins below it. */
function findStartIndex(runs: readonly Run[], row: number): number {
  const index = findRun(runs, Math.max(row, 0));
  return index < 0 ? ~index : index;
}

/** Index after the last run that begins at or above the row. */
function findEndIndex(runs: readonly Run[], row: number): number {
  const index = findRun(runs, row);
  return index < 0 ? ~index : index + 1;
}

/** Returns the runs after `middle` has replaced the runs from index `from` to before `to`. */
function spliceRuns(runs: readonly Run[], from: number, to: number, middle: readonly Run[]): readonly Run[] {
  if (from === 0 && to === runs.length) return middle;
  return runs.slice(0, from).concat(middle, runs.slice(to));
}

/** Passes the runs with the edits applied to `builder`, from top to bottom. */
function mergeEdits(old: readonly Run[], edits: readonly FormulaEdit[], builder: RunBuilder): void {
  let next = 0;
  for (const run of old) {
    let row = run.top;
    for (let edit = edits[next]; edit && edit.row <= run.bottom; edit = edits[++next]) {
      if (edit.row > row) builder.pushRun(row, edit.row - 1, run.template, run.writer, run);
      if (edit.template) builder.pushRun(edit.row, edit.row, edit.template, edit.writer, null);
      if (edit.row >= row) row = edit.row + 1;
    }
    if (row <= run.bottom) builder.pushRun(row, run.bottom, run.template, run.writer, run);
  }
  for (let edit = edits[next]; edit; edit = edits[++next]) {
    if (edit.template) builder.pushRun(edit.row, edit.row, edit.template, edit.writer, null);
  }
}

/** Collects pieces from top to bottom and joins adjacent ones with the same formula and writer. */
class RunBuilder {
  readonly runs: Run[] = [];
  private readonly sheet: number;
  private readonly column: number;

  constructor(sheet: number, column: number) {
    this.sheet = sheet;
    this.column = column;
  }

  /** Adds rows with one formula. `original`: the run that they belonged to, which is reused if it is unchanged. */
  pushRun(top: number, bottom: number, template: Template, writer: number | null, original: Run | null): void {
    const last = this.runs[this.runs.length - 1];
    if (last && last.bottom + 1 === top && last.writer === writer && areSameTemplate(last.template, template)) {
      this.runs[this.runs.length - 1] = this.createRun(last.top, bottom, last.template, writer);
      return;
    }
    const same = original !== null && original.top === top && original.bottom === bottom;
    this.runs.push(same ? original : this.createRun(top, bottom, template, writer));
  }

  private createRun(top: number, bottom: number, template: Template, writer: number | null): Run {
    return { sheet: this.sheet, column: this.column, top, bottom, template, writer };
  }
}

/** True if two templates are the same formula, or the same invalid text. */
export function areSameTemplate(a: Template, b: Template): boolean {
  return a === b || areSameNode(a.node, b.node);
}
