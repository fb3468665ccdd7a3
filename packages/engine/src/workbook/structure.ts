import { ChangeLog } from '../calc/change-log.ts';
import type { ReadingRights } from '../calc/rights.ts';
import type { Node } from '../formula/ast.ts';
import { nameKey, renameColumns, renameColumnsOf } from '../formula/index.ts';
import { contains } from '../grid/area.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import { EMPTY, SPILLED } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { DefinedName, Table } from '../sheet/snapshot.ts';
import { replaceTable } from '../sheet/tables.ts';
import { type Run, Template } from '../sheet/template.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { findRenamedColumns, renameTableColumns } from './table-headers.ts';
import { updateRuns } from './update-runs.ts';

const NO_CELLS = new ChangeLog();

/** Other names of columns by the keys of the old ones, by the keys of their tables. */
type ColumnNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

const NONE_RENAMED: ColumnNames = new Map();

/** What becomes of formulas and names when sheets come, go or are renamed, and when columns of tables are. */
export class Structure {
  private readonly draft: Draft;
  private readonly formulas: FormulaGraph;
  private readonly toCalculate: ChangeLog;
  private readonly rights: ReadingRights | null;
  private hasOtherSheets = false;
  /** The batch brings the tables of an earlier state along: rows that come back below one do not belong to it. */
  private hasTablesOfBefore = false;

  constructor(draft: Draft, formulas: FormulaGraph, toCalculate: ChangeLog, rights: ReadingRights | null) {
    this.draft = draft;
    this.formulas = formulas;
    this.toCalculate = toCalculate;
    this.rights = rights;
  }

  /** Sheets have come, gone or been renamed: formulas and names whose trees say so are changed. */
  change(change: (node: Node) => Node): void {
    this.hasOtherSheets = true;
    const changed = new Map<Template, Template>();
    const replaced = new Map<Run, Run>();
    for (const run of this.formulas.followingSheets) {
      const template = changed.get(run.template) ?? replaceNode(run.template, change(run.template.node));
      changed.set(run.template, template);
      if (template !== run.template) replaced.set(run, { ...run, template });
    }
    this.replace(replaced);
    this.draft.names = mapNodes(this.draft.names, change);
    this.changeAttachments(change);
  }

  private changeAttachments(change: (node: Node) => Node): void {
    for (const { id, layout } of this.draft.sheets) {
      let isChanged = false;
      const attachments = layout.attachments.map((held) => {
        const formulas = held.formulas.map(change);
        if (formulas.every((node, i) => node === held.formulas[i])) return held;
        isChanged = true;
        return { ...held, formulas };
      });
      if (isChanged) this.draft.ownSheet(id).layout = { ...layout, attachments };
    }
  }

  /** Names that are scoped to a sheet, and its tables, go with it. */
  leaveSheet(id: number): void {
    const { draft } = this;
    if (draft.names.some(({ sheet }) => sheet === id)) draft.names = draft.names.filter(({ sheet }) => sheet !== id);
    if (draft.tables.some(({ sheet }) => sheet === id)) draft.tables = draft.tables.filter(({ sheet }) => sheet !== id);
  }

  keepTables(): void {
    this.hasTablesOfBefore = true;
  }

  /**
   * Tables that were there before grow by rows that were written right below them, as far as these are filled. What a
   * file holds below a table does not belong to it.
   */
  growTables(written: ChangeLog): void {
    if (this.draft.tables.length === 0 || this.draft.base.revision < 0 || this.hasTablesOfBefore) return;
    const known = new Set(this.draft.base.tables.map(({ name }) => name));
    for (const table of this.draft.tables) {
      if (!known.has(table.name)) continue;
      const bottom = table.totalsRow ? table.area.bottom : this.filledBelow(table, written);
      if (bottom === table.area.bottom) continue;
      const grown = { ...table, area: { ...table.area, bottom } };
      this.draft.tables = this.draft.tables.map((held) => (held === table ? grown : held));
    }
  }

  /** The last of the rows below a table that were written and hold something, one after the other. */
  private filledBelow({ sheet, area: { top, left, bottom, right } }: Table, written: ChangeLog): number {
    const held = this.draft.sheet(sheet);
    let last = bottom;
    for (let column = left; column <= right; column++) {
      last = Math.max(last, written.lastFrom(sheet, column, bottom + 1));
    }
    if (last === bottom) return bottom;
    for (const other of this.draft.tables) {
      const { area } = other;
      const isBelow = other.sheet === sheet && area.top > bottom && area.left <= right && area.right >= left;
      if (isBelow) last = Math.min(last, area.top - 1);
    }
    const isFilled = (row: number) => {
      for (let column = left; column <= right; column++) {
        const kind = held?.kind(row, column) ?? EMPTY;
        if (kind !== EMPTY && (kind & SPILLED) === 0) return true;
      }
      return false;
    };
    let end = bottom;
    while (end < last && isFilled(end + 1)) end++;
    return top <= end ? end : bottom;
  }

  /** A table goes: references to it become plain ones to the same cells. */
  dissolveTable(table: Table): void {
    const { draft, formulas } = this;
    const tables = draft.tables.filter((held) => held !== table);
    for (const run of [...formulas.followingNames]) {
      if (!formulas.followingNames.has(run)) continue;
      const named = replaceNode(run.template, replaceTable(run.template.node, table, table.name, run.sheet));
      const own = replaceNode(named, replaceTable(named.node, table, '', run.sheet));
      const isInside = run.sheet === table.sheet && run.top <= table.area.bottom && run.bottom >= table.area.top;
      const isColumn = run.column >= table.area.left && run.column <= table.area.right;
      if (own !== named && isInside && isColumn) this.enterRows(run, table, own);
      if (named !== run.template && formulas.followingNames.has(run)) {
        this.replace(new Map([[run, { ...run, template: named }]]));
      }
    }
    const dissolve = (node: Node): Node => replaceTable(node, table, table.name, -1);
    draft.names = mapNodes(draft.names, dissolve);
    this.changeAttachments(dissolve);
    draft.tables = tables;
  }

  /** Gives a run's rows within a table another formula. */
  private enterRows(run: Run, table: Table, template: Template): void {
    const { sheet, column, writer } = run;
    const top = Math.max(run.top, table.area.top);
    const bottom = Math.min(run.bottom, table.area.bottom);
    const edits = Array.from({ length: bottom - top + 1 }, (_, i) => ({ row: top + i, template, writer }));
    const update = updateRuns(sheet, column, this.draft.sheet(sheet)?.columns[column]?.runs ?? [], edits);
    this.draft.setRuns(sheet, column, update.runs);
    for (const removed of update.removed) this.formulas.remove(removed);
    for (const added of update.added) this.formulas.add(added, this.draft);
    this.toCalculate.addRows(sheet, column, top, bottom);
  }

  /**
   * Columns of tables are called what their header cells say, and formulas follow them: those whose writer may see that.
   * `moved`: places of such cells where others lie now. Gives the other names by table, for `followInLayouts`.
   */
  followHeaders(written: ChangeLog, moved = NO_CELLS): ColumnNames {
    if (this.draft.tables.length === 0) return NONE_RENAMED;
    const renamed = new Map<string, ReadonlyMap<string, string>>();
    for (const table of this.draft.tables) {
      const names = findRenamedColumns(table, this.draft, [written, moved]);
      if (names.size === 0) continue;
      this.renameColumns(table, names);
      renamed.set(nameKey(table.name), names);
    }
    return renamed;
  }

  /** What belongs to cells follows columns that are called otherwise: all of it is gone through. */
  followInLayouts(renamed: ColumnNames): void {
    this.changeAttachments((node) => renameColumnsOf(node, renamed));
  }

  private renameColumns(table: Table, names: ReadonlyMap<string, string>): void {
    this.draft.tables = this.draft.tables.map((held) => (held === table ? renameTableColumns(table, names) : held));
    for (const run of [...this.formulas.followingNames]) {
      // Rows that were joined with others are no run of their own any more, and are done.
      if (!this.formulas.followingNames.has(run) || this.rights?.closedTo(run.writer)?.has(table.sheet)) continue;
      const named = replaceNode(run.template, renameColumns(run.template.node, table.name, names));
      if (named !== run.template) this.replace(new Map([[run, { ...run, template: named }]]));
      else this.renameOwnColumns(run, table, names);
    }
    this.draft.names = mapNodes(this.draft.names, (node) => renameColumns(node, table.name, names));
  }

  /** `[@Qty]` means the table around it: in rows within this one it follows the column. */
  private renameOwnColumns(run: Run, table: Table, names: ReadonlyMap<string, string>): void {
    const { sheet, column } = run;
    const top = Math.max(run.top, table.area.top);
    const bottom = Math.min(run.bottom, table.area.bottom);
    if (sheet !== table.sheet || top > bottom || !contains(table.area, top, column)) return;
    const template = replaceNode(run.template, renameColumns(run.template.node, '', names));
    if (template !== run.template) this.enterRows(run, table, template);
  }

  /** Puts other formulas in the places of runs, in all their rows; each column's runs are gone through once. */
  private replace(replaced: ReadonlyMap<Run, Run>): void {
    const places = Array.from(replaced.keys(), ({ sheet, column }) => [sheet * MAX_COLUMNS + column, column] as const);
    for (const [key, column] of new Map(places)) {
      const sheet = (key - column) / MAX_COLUMNS;
      const runs = this.draft.sheet(sheet)?.columns[column]?.runs ?? [];
      this.draft.setRuns(
        sheet,
        column,
        runs.map((held) => replaced.get(held) ?? held),
      );
    }
    for (const [run, next] of replaced) {
      this.formulas.remove(run);
      this.formulas.add(next, this.draft);
      this.toCalculate.addRows(run.sheet, run.column, run.top, run.bottom);
    }
  }

  /** After a change, looks anew at what depends on the sheets, names and tables that there are. */
  read(): void {
    const { draft, formulas } = this;
    const hasOtherNames = draft.names !== draft.base.names || draft.tables !== draft.base.tables;
    if (!this.hasOtherSheets && !hasOtherNames) return;
    const sheets = this.hasOtherSheets ? formulas.followingSheets : [];
    const names = hasOtherNames ? formulas.followingNames : [];
    for (const run of new Set([...sheets, ...names])) {
      this.formulas.remove(run);
      this.formulas.add(run, this.draft);
      this.toCalculate.addRows(run.sheet, run.column, run.top, run.bottom);
    }
  }
}

function replaceNode(template: Template, node: Node): Template {
  return node === template.node ? template : new Template(node);
}

/** The same list where no name's formula changes: what is found by it is kept. */
export function mapNodes(names: readonly DefinedName[], change: (node: Node) => Node): readonly DefinedName[] {
  const changed = names.map((name) => {
    const node = change(name.node);
    return node === name.node ? name : { ...name, node };
  });
  return changed.some((name, i) => name !== names[i]) ? changed : names;
}
