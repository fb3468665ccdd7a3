import type { ChangeLog } from '../calc/change-log.ts';
import type { Recalculation } from '../calc/recalculation.ts';
import type { Node } from '../formula/ast.ts';
import { leaveSheet, nameKey, type ParseNames, renameTables, resolveSheets, toOtherSheet } from '../formula/index.ts';
import { area, WHOLE_SHEET } from '../grid/area.ts';
import type { Draft } from '../sheet/draft.ts';
import { asksOfFile, filterOf, type SheetFilter, withFilter } from '../sheet/filter.ts';
import { withSize } from '../sheet/layout.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import { Template } from '../sheet/template.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { freeTableName } from './names.ts';
import { defaultSheetName } from './sheet-names.ts';
import type { Structure } from './structure.ts';
import type { Edit, Refusal } from './types.ts';

/** Edits of sheets as such. */
type SheetEdit = Extract<
  Edit,
  {
    readonly kind:
      | 'sizeLines'
      | 'setFilter'
      | 'filterColumn'
      | 'addSheet'
      | 'renameSheet'
      | 'deleteSheet'
      | 'hideSheet'
      | 'duplicateSheet'
      | 'moveSheet'
      | 'colorSheet';
  }
>;

/** A batch under way, as these edits see it. */
interface Batch {
  readonly draft: Draft;
  readonly formulas: FormulaGraph;
  readonly structure: Structure;
  readonly recalculation: Recalculation;
  readonly toCalculate: ChangeLog;
  readonly written: ChangeLog;
  readonly writer: number | null;
  readonly parseNames: ParseNames;
  /** Why the batch cannot be, once that is known. */
  refusal: Refusal | null;
  flush(): void;
  bringUpToDate(): void;
  rowsHidden(): void;
  leaveCells(sheet: number): void;
  restructure(change: (node: Node) => Node): void;
  sheetsCame(): void;
  resolveNewSheets(): void;
}

/** Gives the id of the sheet. */
export function changeSheets(batch: Batch, edit: SheetEdit): number {
  const { draft } = batch;
  switch (edit.kind) {
    case 'sizeLines': {
      const { layout } = draft.sheet(edit.sheet) as Sheet;
      draft.ownSheet(edit.sheet).layout = withSize(layout, edit.axis, edit.first, edit.last, edit.size);
      return edit.sheet;
    }
    case 'setFilter':
      setFilter(batch, edit.sheet, edit.filter);
      return edit.sheet;
    case 'filterColumn':
      filterColumn(batch, edit);
      return edit.sheet;
    case 'addSheet':
      return addSheet(batch, edit.name, edit.standsFor);
    case 'duplicateSheet':
      return duplicateSheet(batch, edit.sheet, edit.name);
    case 'renameSheet':
      batch.resolveNewSheets();
      draft.renameSheet(edit.sheet, edit.name);
      batch.restructure((node) => resolveSheets(node, batch.parseNames));
      return edit.sheet;
    case 'deleteSheet':
      removeSheet(batch, edit.sheet);
      return edit.sheet;
    case 'hideSheet':
      draft.ownSheet(edit.sheet).hidden = edit.hidden;
      return edit.sheet;
    case 'moveSheet': {
      batch.resolveNewSheets();
      const others = draft.sheets.map(({ id }) => id).filter((id) => id !== edit.sheet);
      draft.orderSheets(others.toSpliced(edit.order, 0, edit.sheet));
      batch.restructure((node) => node);
      return edit.sheet;
    }
    case 'colorSheet':
      draft.ownSheet(edit.sheet).color = edit.color;
      return edit.sheet;
  }
}

/** Rows that a file has hidden because of its filter are shown again, unless the new filter has conditions of that file. */
function setFilter(batch: Batch, sheet: number, filter: SheetFilter | null): void {
  const own = batch.draft.ownSheet(sheet);
  const before = filterOf(own.layout);
  own.layout = withFilter(own.layout, filter);
  if (before === null || own.hiddenRows.size === 0) return;
  if (filter?.columns.some(({ condition }) => asksOfFile(condition)) === true) return;
  const { top, bottom } = before.area;
  own.hiddenRows = new Set([...own.hiddenRows].filter((row) => row <= top || row > bottom));
  batch.rowsHidden();
}

function filterColumn(
  batch: Batch,
  { sheet, column, condition }: Extract<Edit, { readonly kind: 'filterColumn' }>,
): void {
  const filter = filterOf((batch.draft.sheet(sheet) as Sheet).layout);
  if (filter === null || column < filter.area.left || column > filter.area.right) {
    batch.refusal ??= { kind: 'refusal', reason: 'notFiltered' };
    return;
  }
  const others = filter.columns.filter((one) => one.column !== column);
  const columns = condition === null ? others : [...others, { column, condition }];
  setFilter(batch, sheet, { ...filter, columns: columns.sort((a, b) => a.column - b.column) });
}

function addSheet(batch: Batch, name: string | undefined, standsFor: number | undefined): number {
  const { draft } = batch;
  const sheet = draft.addSheet(name ?? defaultSheetName(draft.base.settings.locale, draft));
  if (standsFor !== undefined) draft.standIn = { sheet: sheet.id, for: standsFor };
  batch.sheetsCame();
  return sheet.id;
}

/** A copy with formulas of the sender's; those that name no sheet read the copy. */
function duplicateSheet(batch: Batch, id: number, name: string): number {
  batch.resolveNewSheets();
  batch.bringUpToDate();
  const copy = batch.draft.duplicateSheet(id, name, batch.writer);
  const tables = tableCopies(batch.draft, id);
  copyNames(batch.draft, id, copy.id, tables);
  copyTables(batch.draft, id, copy, tables);
  takeFormulas(batch, copy);
  const { rows, columns } = copy.extent();
  if (rows > 0) batch.written.addArea(copy.id, area(0, 0, rows - 1, columns - 1));
  batch.sheetsCame();
  return copy.id;
}

/** What the tables of a sheet are called on a copy of it, by the keys of their names. */
function tableCopies({ tables, names }: Draft, sheet: number): ReadonlyMap<string, string> {
  const taken = new Set([...tables, ...names].map(({ name }) => nameKey(name)));
  const copies = new Map<string, string>();
  for (const table of tables) {
    if (table.sheet !== sheet) continue;
    const name = freeTableName(table.name, taken);
    taken.add(nameKey(name));
    copies.set(nameKey(table.name), name);
  }
  return copies;
}

/** As in Excel: what is named of a sheet, or of its tables, has the same name on its copy, and there means the copy's. */
function copyNames(draft: Draft, from: number, to: number, tables: ReadonlyMap<string, string>): void {
  const own = draft.names.filter(({ sheet }) => sheet === from);
  const keys = new Set(own.map(({ name }) => nameKey(name)));
  const onCopy = (node: Node) => renameTables(toOtherSheet(node, from, to), tables);
  const common = draft.names.filter(
    ({ name, sheet, node }) => sheet === undefined && !keys.has(nameKey(name)) && onCopy(node) !== node,
  );
  const copies = [...own, ...common].map((held) => ({ ...held, sheet: to, node: onCopy(held.node) }));
  if (copies.length > 0) draft.names = [...draft.names, ...copies];
}

/** As in Excel: the copy has tables like those of the sheet, called otherwise, and its formulas, those of what belongs to cells too, name these. */
function copyTables(draft: Draft, from: number, copy: Sheet, names: ReadonlyMap<string, string>): void {
  if (names.size === 0) return;
  const own = draft.tables.filter(({ sheet }) => sheet === from);
  const copies = own.map((table) => ({
    ...table,
    name: names.get(nameKey(table.name)) ?? table.name,
    sheet: copy.id,
  }));
  draft.tables = [...draft.tables, ...copies];
  const { layout } = copy;
  const attachments = layout.attachments.map((held) => {
    const formulas = held.formulas.map((node) => renameTables(node, names));
    return formulas.every((node, i) => node === held.formulas[i]) ? held : { ...held, formulas };
  });
  if (attachments.some((held, i) => held !== layout.attachments[i])) {
    draft.ownSheet(copy.id).layout = { ...layout, attachments };
  }
  const templates = new Map<Template, Template>();
  const renamed = (template: Template) => {
    const known = templates.get(template);
    if (known !== undefined) return known;
    const node = renameTables(template.node, names);
    const copied = node === template.node ? template : new Template(node);
    templates.set(template, copied);
    return copied;
  };
  for (const [index, column] of copy.columns.entries()) {
    const runs = column?.runs ?? [];
    if (runs.length === 0) continue;
    draft.setRuns(
      copy.id,
      index,
      runs.map((run) => ({ ...run, template: renamed(run.template) })),
    );
  }
}

/** Takes in a sheet of a stored state with its formulas, at a zero-based position. */
export function insertSheet(batch: Batch, stored: Sheet, position: number): void {
  batch.flush();
  const sheet = batch.draft.insertSheet(stored, position);
  takeFormulas(batch, sheet);
  batch.recalculation.touch(sheet.id, WHOLE_SHEET);
}

function takeFormulas({ draft, formulas, toCalculate }: Batch, { columns }: Sheet): void {
  for (const column of columns) {
    for (const run of column?.runs ?? []) {
      formulas.add(run, draft);
      toCalculate.addRows(run.sheet, run.column, run.top, run.bottom);
    }
  }
}

export function removeSheet(batch: Batch, id: number): void {
  batch.resolveNewSheets();
  const order = batch.draft.sheets.map((held) => held.id);
  takeOut(batch, id);
  batch.structure.leaveSheet(id);
  batch.restructure((node) => leaveSheet(node, id, order));
}

/** Takes a sheet out of the draft; what refers to it goes on doing so. */
export function takeOut(batch: Batch, id: number): void {
  batch.flush();
  const { draft, formulas } = batch;
  for (const column of draft.sheet(id)?.columns ?? []) for (const run of column?.runs ?? []) formulas.remove(run);
  batch.recalculation.touch(id, WHOLE_SHEET);
  batch.leaveCells(id);
  draft.deleteSheet(id);
}
