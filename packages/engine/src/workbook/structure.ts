import { ChangeLog } from '../calc/change-log.ts';
import type { ReadingRights } from '../calc/rights.ts';
import type { Node } from '../formula/ast.ts';
import { nameKey, renameColumns, renameColumnsInTables } from '../formula/index.ts';
import { contains } from '../grid/area.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import { EMPTY, SPILLED } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { DefinedName, Sheet, Table } from '../sheet/snapshot.ts';
import { replaceTable } from '../sheet/tables.ts';
import { type Run, Template } from '../sheet/template.ts';
import type { FormulaGraph } from './formulas/formula-graph.ts';
import { editColumn } from './formulas/update-runs.ts';
import { NO_SHEET } from './name-renaming.ts';
import { findRenamedColumns, renameTableColumns } from './table-headers.ts';

const NO_CELLS = new ChangeLog();

/** New column names by the keys of the old names, for each table by its key. */
type RenamedColumnsByTable = ReadonlyMap<string, ReadonlyMap<string, string>>;

const NONE_RENAMED: RenamedColumnsByTable = new Map();

/** Updates formulas and names when sheets are added, deleted or renamed, and when table columns are renamed. */
export class Structure {
  readonly draft: Draft;
  readonly formulas: FormulaGraph;
  private readonly toCalculate: ChangeLog;
  private readonly rights: ReadingRights | null;
  private hasOtherSheets = false;
  /**
   * True if the batch restores tables of an earlier state. Rows that are restored below a table do not become part of
   * it.
   */
  private hasRestoredTables = false;

  constructor(draft: Draft, formulas: FormulaGraph, toCalculate: ChangeLog, rights: ReadingRights | null) {
    this.draft = draft;
    this.formulas = formulas;
    this.toCalculate = toCalculate;
    this.rights = rights;
  }

  /** Changes the trees of formulas and names. Call it after sheets were added, deleted or renamed. */
  changeTrees(change: (node: Node) => Node): void {
    this.hasOtherSheets = true;
    const changed = new Map<Template, Template>();
    const replaced = new Map<Run, Run>();
    for (const run of this.formulas.followingSheets) {
      const template = changed.get(run.template) ?? replaceNode(run.template, change(run.template.node));
      changed.set(run.template, template);
      if (template !== run.template) replaced.set(run, { ...run, template });
    }
    this.replaceRuns(replaced);
    this.draft.names = mapNodes(this.draft.names, change);
    this.changeAttachments(change);
  }

  /**
   * Changes the trees of all formulas that use names, of names, and of attachments. Call it before a name changes.
   * `change` gets the sheet that determines what a name means; `NO_SHEET` for the formula of a document's name.
   */
  changeNames(change: (node: Node, sheet: number) => Node): void {
    const { draft, formulas } = this;
    const changedBySheet = new Map<number, Map<Template, Template>>();
    const replaced = new Map<Run, Run>();
    for (const run of formulas.followingNames) {
      const sheet = draft.formulaSheet(run.sheet);
      const changed = changedBySheet.get(sheet) ?? new Map<Template, Template>();
      changedBySheet.set(sheet, changed);
      const template = changed.get(run.template) ?? replaceNode(run.template, change(run.template.node, sheet));
      changed.set(run.template, template);
      if (template !== run.template) replaced.set(run, { ...run, template });
    }
    this.replaceRuns(replaced);
    draft.names = mapNodes(draft.names, (node, { sheet = NO_SHEET }) => change(node, sheet));
    for (const sheet of draft.sheets) mapAttachments(draft, sheet, (node) => change(node, sheet.id));
  }

  /** Changes the trees of the formulas of all attachments. */
  private changeAttachments(change: (node: Node) => Node): void {
    for (const sheet of this.draft.sheets) mapAttachments(this.draft, sheet, change);
  }

  /** Removes the names that are scoped to a sheet, and the tables on it. */
  removeSheetEntries(id: number): void {
    const { draft } = this;
    if (draft.names.some(({ sheet }) => sheet === id)) draft.names = draft.names.filter(({ sheet }) => sheet !== id);
    if (draft.tables.some(({ sheet }) => sheet === id)) draft.tables = draft.tables.filter(({ sheet }) => sheet !== id);
  }

  /** Records that the batch restored tables. Their column names then do not follow header cells. */
  markTablesAsRestored(): void {
    this.hasRestoredTables = true;
  }

  /**
   * Extends existing tables by filled rows that were written directly below them. Rows that were below a table when its
   * file was imported are not added.
   */
  growTables(writtenCells: ChangeLog): void {
    if (this.draft.tables.length === 0 || this.draft.base.revision < 0 || this.hasRestoredTables) return;
    const earlierNames = new Set(this.draft.base.tables.map(({ name }) => name));
    for (const table of this.draft.tables) {
      if (!earlierNames.has(table.name)) continue;
      const bottom = table.totalsRow ? table.area.bottom : this.findLastFilledBelow(table, writtenCells);
      if (bottom === table.area.bottom) continue;
      const grown = { ...table, area: { ...table.area, bottom } };
      this.draft.tables = this.draft.tables.map((existingTable) => (existingTable === table ? grown : existingTable));
    }
  }

  /** Returns the last of the consecutive filled rows below a table that were written. */
  private findLastFilledBelow({ sheet, area: { top, left, bottom, right } }: Table, writtenCells: ChangeLog): number {
    const existingSheet = this.draft.sheet(sheet);
    let last = bottom;
    for (let column = left; column <= right; column++) {
      last = Math.max(last, writtenCells.findLastConsecutiveRow(sheet, column, bottom + 1));
    }
    if (last === bottom) return bottom;
    for (const other of this.draft.tables) {
      const { area } = other;
      const isBelow = other.sheet === sheet && area.top > bottom && area.left <= right && area.right >= left;
      if (isBelow) last = Math.min(last, area.top - 1);
    }
    const isFilled = (row: number) => {
      for (let column = left; column <= right; column++) {
        const kind = existingSheet?.kind(row, column) ?? EMPTY;
        if (kind !== EMPTY && (kind & SPILLED) === 0) return true;
      }
      return false;
    };
    let end = bottom;
    while (end < last && isFilled(end + 1)) end++;
    return top <= end ? end : bottom;
  }

  /** Removes a table. References to it become plain references to the same cells. */
  dissolveTable(table: Table): void {
    const { draft, formulas } = this;
    const tables = draft.tables.filter((existingTable) => existingTable !== table);
    for (const run of [...formulas.followingNames]) {
      if (!formulas.followingNames.has(run)) continue;
      const named = replaceNode(run.template, replaceTable(run.template.node, table, table.name, run.sheet));
      const replaced = replaceNode(named, replaceTable(named.node, table, '', run.sheet));
      const isInside = run.sheet === table.sheet && run.top <= table.area.bottom && run.bottom >= table.area.top;
      const isColumn = run.column >= table.area.left && run.column <= table.area.right;
      if (replaced !== named && isInside && isColumn) this.replaceRows(run, table, replaced);
      if (named !== run.template && formulas.followingNames.has(run)) {
        this.replaceRuns(new Map([[run, { ...run, template: named }]]));
      }
    }
    const dissolve = (node: Node): Node => replaceTable(node, table, table.name, -1);
    draft.names = mapNodes(draft.names, dissolve);
    this.changeAttachments(dissolve);
    draft.tables = tables;
  }

  /** Replaces the formula in the rows of a run that are within a table. */
  private replaceRows(run: Run, table: Table, template: Template): void {
    const { sheet, column, writer } = run;
    const top = Math.max(run.top, table.area.top);
    const bottom = Math.min(run.bottom, table.area.bottom);
    const edits = Array.from({ length: bottom - top + 1 }, (_, i) => ({ row: top + i, template, writer }));
    editColumn(this, sheet, column, edits);
    this.toCalculate.addRows(sheet, column, top, bottom);
  }

  /**
   * Renames table columns to the texts of their header cells, and updates the formulas whose writers may see them.
   * `moved`: positions of header cells that were overwritten by other cells. Returns the new names by table, for
   * `followInLayouts`.
   */
  followHeaders(writtenCells: ChangeLog, moved = NO_CELLS): RenamedColumnsByTable {
    if (this.draft.tables.length === 0) return NONE_RENAMED;
    const renamed = new Map<string, ReadonlyMap<string, string>>();
    for (const table of this.draft.tables) {
      const names = findRenamedColumns(table, this.draft, [writtenCells, moved]);
      if (names.size === 0) continue;
      this.renameColumns(table, names);
      renamed.set(nameKey(table.name), names);
    }
    return renamed;
  }

  /** Updates all attachments after columns were renamed. */
  followInLayouts(renamed: RenamedColumnsByTable): void {
    this.changeAttachments((node) => renameColumnsInTables(node, renamed));
  }

  /** Renames columns of a table in the table, in formulas and in names. */
  private renameColumns(table: Table, names: ReadonlyMap<string, string>): void {
    this.draft.tables = this.draft.tables.map((existingTable) =>
      existingTable === table ? renameTableColumns(table, names) : existingTable,
    );
    for (const run of [...this.formulas.followingNames]) {
      // If a run was joined to another one, its rows were updated with that one.
      if (!this.formulas.followingNames.has(run) || this.rights?.getClosedSheets(run.writer)?.has(table.sheet))
        continue;
      const named = replaceNode(run.template, renameColumns(run.template.node, table.name, names));
      if (named !== run.template) this.replaceRuns(new Map([[run, { ...run, template: named }]]));
      else this.renameOwnColumns(run, table, names);
    }
    this.draft.names = mapNodes(this.draft.names, (node) => renameColumns(node, table.name, names));
  }

  /** Renames columns in `[@Qty]`, which means the table that contains the cell. Only rows within this table change. */
  private renameOwnColumns(run: Run, table: Table, names: ReadonlyMap<string, string>): void {
    const { sheet, column } = run;
    const top = Math.max(run.top, table.area.top);
    const bottom = Math.min(run.bottom, table.area.bottom);
    if (sheet !== table.sheet || top > bottom || !contains(table.area, top, column)) return;
    const template = replaceNode(run.template, renameColumns(run.template.node, '', names));
    if (template !== run.template) this.replaceRows(run, table, template);
  }

  /** Replaces whole runs. Visits the runs of each column once. */
  private replaceRuns(replaced: ReadonlyMap<Run, Run>): void {
    const places = Array.from(replaced.keys(), ({ sheet, column }) => [sheet * MAX_COLUMNS + column, column] as const);
    for (const [key, column] of new Map(places)) {
      const sheet = (key - column) / MAX_COLUMNS;
      const runs = this.draft.sheet(sheet)?.columns[column]?.runs ?? [];
      this.draft.setRuns(
        sheet,
        column,
        runs.map((existingRun) => replaced.get(existingRun) ?? existingRun),
      );
    }
    for (const [run, next] of replaced) {
      this.formulas.removeRun(run);
      this.formulas.addRun(next, this.draft);
      this.toCalculate.addRows(run.sheet, run.column, run.top, run.bottom);
    }
  }

  /** Determines the references again for all formulas that depend on the changed sheets, names and tables. */
  rereadFormulas(): void {
    const { draft, formulas } = this;
    const hasOtherNames = draft.names !== draft.base.names || draft.tables !== draft.base.tables;
    if (!this.hasOtherSheets && !hasOtherNames) return;
    const sheets = this.hasOtherSheets ? formulas.followingSheets : [];
    const names = hasOtherNames ? formulas.followingNames : [];
    for (const run of new Set([...sheets, ...names])) {
      this.formulas.removeRun(run);
      this.formulas.addRun(run, this.draft);
      this.toCalculate.addRows(run.sheet, run.column, run.top, run.bottom);
    }
  }
}

/** The template of a tree; the same template if the tree is the same. */
function replaceNode(template: Template, node: Node): Template {
  return node === template.node ? template : new Template(node);
}

/** Changes the formulas of a sheet's attachments. Keeps the layout object if none changes. */
export function mapAttachments(draft: Draft, { id, layout }: Sheet, change: (node: Node) => Node): void {
  let isChanged = false;
  const attachments = layout.attachments.map((attachment) => {
    const formulas = attachment.formulas.map(change);
    if (formulas.every((node, i) => node === attachment.formulas[i])) return attachment;
    isChanged = true;
    return { ...attachment, formulas };
  });
  if (isChanged) draft.ensureOwnSheet(id).layout = { ...layout, attachments };
}

/** Changes the formulas of names. Returns the same list if none changes, because indexes are cached with the list. */
export function mapNodes(
  names: readonly DefinedName[],
  change: (node: Node, name: DefinedName) => Node,
): readonly DefinedName[] {
  const changed = names.map((name) => {
    const node = change(name.node, name);
    return node === name.node ? name : { ...name, node };
  });
  return changed.some((name, i) => name !== names[i]) ? changed : names;
}
