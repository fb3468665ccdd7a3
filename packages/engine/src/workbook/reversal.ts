import { ChangeLog } from '../calc/change-log.ts';
import { type CellKey, createCellKey } from '../calc/hidden-reads.ts';
import { restoreCheckpoint } from '../codec/checkpoint.ts';
import { createFormatMapper, createRunRestorer } from '../codec/document-codec.ts';
import { isSameFormula } from '../codec/inputs.ts';
import {
  createEntryKey,
  definedEntries,
  type EntryChange,
  type Inverse,
  type InverseBlock,
  isSameTable,
  listChangedSheets,
  type SheetProperties,
} from '../codec/inverse.ts';
import { type LayoutChange, undoLayoutChange } from '../codec/layout-change.ts';
import { nameKey, renameColumns } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { type Move, moveCell, listMoveSheets as sheetsOfMove } from '../grid/move.ts';
import { EMPTY, FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/moves/move-tables.ts';
import {
  createAnchorKey,
  createEmptySheet,
  type DefinedName,
  type Sheet,
  type Spill,
  type Table,
} from '../sheet/snapshot.ts';
import { findTableByName } from '../sheet/tables.ts';
import { findRun, type Run, Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Batch } from './batch.ts';
import { detachSheet, insertSheet, removeSheet } from './draft-sheets.ts';
import { replaceSettings } from './edits/change-settings.ts';
import { findRewrittenFormulas } from './formulas/find-rewritten-formulas.ts';
import { findFreeSheetName } from './sheet-names.ts';
import { findOtherHeaders } from './table-headers.ts';
import type { EditOutcome, Refusal } from './types.ts';

/** Applies an inverse to a batch: restores the state before of all cells and entries that still exist. */
export class Reversal {
  private readonly batch: Batch;
  private readonly draft: Draft;
  private readonly inverse: Inverse;
  private readonly formatId: (id: number) => number;
  private readonly restoreRun: ReturnType<typeof createRunRestorer>;
  private readonly headers: ReadonlyMap<CellKey, Scalar>;
  private readonly defined: ReadonlyMap<string, string>;
  /** Renamed columns of tables, because formulas of the inverse contain the old names. */
  private readonly renamedColumns: { readonly table: string; readonly names: ReadonlyMap<string, string> }[] = [];
  private readonly renamedTemplates = new Map<Template, Template>();
  /** Headers of columns that moved back into tables, by current position. */
  private newHeaders: readonly NewHeader[] = [];
  private cells = 0;
  private refusal: Refusal | null = null;

  constructor(batch: Batch, inverse: Inverse) {
    this.batch = batch;
    this.draft = batch.draft;
    this.inverse = inverse;
    this.defined = definedEntries(inverse);
    this.formatId = createFormatMapper(this.draft.formats, inverse.head.formats ?? []);
    this.restoreRun = createRunRestorer(inverse.head.templates ?? []);
    const headers = inverse.head.headers ?? [];
    this.headers = new Map(headers.map(({ sheet, row, column, value }) => [createCellKey(sheet, row, column), value]));
  }

  /**
   * Applies the inverse. Refused if it would change a sheet in `lockedSheets`. `restored`: members that the caller adds
   * to the outcome.
   */
  applyInverse(
    lockedSheets: readonly number[],
    restored: Pick<EditOutcome, 'orders' | 'isReorder' | 'restored'>,
  ): EditOutcome | Refusal {
    const sheets = listChangedSheets(this.inverse);
    if (lockedSheets.some((id) => sheets.has(id))) return { kind: 'refusal', reason: 'sheetLocked' };
    this.batch.structure.markTablesAsRestored();
    this.restoreSettings();
    const rewritten = findRewrittenFormulas(this.draft, this.inverse.head, this.restoreRun, this.batch.meter);
    this.moveBack();
    if (this.batch.refusal !== null) return this.batch.refusal;
    const currentColumns = new Set(this.draft.tables.map(({ columns }) => columns));
    this.restoreFormulas(rewritten);
    this.restoreSheets();
    if (this.refusal !== null) return this.refusal;
    this.putNewHeaders(currentColumns);
    for (const { sheet, change } of this.inverse.head.layouts ?? []) this.restoreLayout(sheet, change);
    this.findRenamedColumns();
    for (const block of this.inverse.blocks) this.restoreBlock(block);
    for (const { sheet, spill } of this.inverse.head.spills ?? []) this.restoreSpill(sheet, spill);
    this.followHeaders(currentColumns);
    const [first = 0] = sheets;
    return { sheet: first, area: null, cells: this.cells, ...restored };
  }

  /** Restores the settings unless a later batch changed them. */
  private restoreSettings(): void {
    const { settings } = this.inverse.head;
    if (settings === undefined || !areEqualAsJson(this.draft.settings, settings.after)) return;
    replaceSettings(this.batch, settings.before);
  }

  /**
   * Moves cells back. Sheets that the batch deleted exist as empty sheets during the moves, so that cells and
   * references can return to them.
   */
  private moveBack(): void {
    const { moves = [], came = [], passing = [] } = this.inverse.head;
    const missing = [...came.map(({ id }) => id), ...passing].filter((id) => !this.draft.hasSheet(id));
    const away = missing.filter((id) => moves.some((move) => sheetsOfMove(move).has(id)));
    for (const id of away)
      this.draft.insertSheet(createEmptySheet(this.draft.revision, id, ''), this.draft.sheets.length);
    for (const move of moves) this.performMoveBack(move);
    for (const id of away) {
      if (passing.includes(id)) removeSheet(this.batch, id);
      else detachSheet(this.batch, id);
    }
  }

  /** Performs one move back. Does nothing if a sheet of the move was deleted later. */
  private performMoveBack(move: Move): void {
    if (![...sheetsOfMove(move)].every((id) => this.draft.hasSheet(id))) return;
    const headers = this.batch.moveCells(move);
    const movedHeaders = this.newHeaders.flatMap(({ sheet, row, column, name }) => {
      const to = moveCell(move, sheet, row, column);
      return to === null ? [] : [{ ...to, name }];
    });
    this.newHeaders = [...movedHeaders, ...headers];
  }

  /**
   * Enters headers for columns that moved back into tables. Restored tables need none, because their old headers and
   * names are restored.
   */
  private putNewHeaders(currentColumns: ReadonlySet<Table['columns']>): void {
    const tables = this.draft.tables.filter(({ headerRow, columns }) => headerRow && currentColumns.has(columns));
    const headers = this.newHeaders.filter(({ sheet, row, column }) => {
      const isHeader = ({ sheet: id, area: { top, left, right } }: Table) =>
        id === sheet && row === top && column >= left && column <= right;
      return this.draft.sheet(sheet)?.kind(row, column) === EMPTY && tables.some(isHeader);
    });
    this.batch.cells.putHeaders(headers);
  }

  /** Renames columns of restored tables to the texts of their header cells, which may have changed later. */
  private followHeaders(currentColumns: ReadonlySet<Table['columns']>): void {
    const others = new ChangeLog();
    for (const table of this.draft.tables) {
      const { sheet, area } = table;
      const places = currentColumns.has(table.columns) ? [] : findOtherHeaders(table, this.draft);
      for (const place of places) others.add(sheet, area.top, area.left + place);
    }
    this.batch.pending.flush();
    this.batch.structure.followHeaders(others);
  }

  /** Restores added, deleted and changed sheets. */
  private restoreSheets(): void {
    const { gone, came, fields, order, names, tables } = this.inverse.head;
    if (!(gone ?? came ?? fields ?? order ?? names ?? tables)) return;
    this.batch.changeFormulas((node) => node);
    for (const id of gone ?? []) if (this.draft.hasSheet(id)) removeSheet(this.batch, id);
    (came ?? []).forEach((_, i) => {
      this.restoreDeletedSheet(i);
    });
    for (const { id, before, after } of fields ?? []) this.restoreProperties(id, before, after);
    if (order) this.draft.orderSheets(order);
    for (const { id } of [...(came ?? []), ...(fields ?? [])]) this.makeNameUnique(id);
    const { sheets } = this.draft;
    if (sheets.every(({ hidden }) => hidden)) this.refusal = { kind: 'refusal', reason: 'lastSheet' };
    if (names) this.draft.names = restoreEntries(this.draft.names, names, true, this.restoreName);
    if (tables) this.draft.tables = restoreEntries(this.draft.tables, tables, false, restoreTable);
    if (came ?? fields) this.batch.onSheetsAdded();
  }

  /**
   * Restores a name that the batch defined, even if it was moved or spelled differently later. A name that only
   * followed a table is restored only if it did not change later.
   */
  private readonly restoreName: RestoreEntry<DefinedName> = (now, after, before) =>
    this.defined.has(`name ${createEntryKey(now, true)}`) || areEqualAsJson(now, after) ? before : now;

  /** Restores a deleted sheet with its id, so that references to it are valid again. */
  private restoreDeletedSheet(index: number): void {
    const content = this.inverse.contents[index];
    const { id, position } = this.inverse.head.came?.[index] ?? { id: -1, position: 0 };
    if (content === undefined || this.draft.hasSheet(id)) return;
    const [sheet] = restoreCheckpoint(content.meta, content.chunks, this.draft.formats).sheets;
    if (sheet !== undefined) insertSheet(this.batch, sheet, position);
  }

  /** Restores a sheet's name, colour and visibility. A property that was changed later is kept. */
  private restoreProperties(id: number, before: SheetProperties, after: SheetProperties): void {
    const sheet = this.draft.sheet(id);
    if (sheet === undefined) return;
    if (sheet.name === after.name) this.draft.renameSheet(id, before.name);
    const ownSheet = this.draft.ensureOwnSheet(id);
    if (ownSheet.hidden === after.hidden) ownSheet.hidden = before.hidden;
    if (ownSheet.color === after.color) ownSheet.color = before.color;
    const { carried } = ownSheet.layout;
    if (before.carried && JSON.stringify(carried) === JSON.stringify(after.carried)) {
      ownSheet.layout = { ...ownSheet.layout, carried: before.carried };
    }
  }

  /** Renames a sheet if another sheet has its name now. */
  private makeNameUnique(id: number): void {
    const existingSheet = this.draft.sheet(id);
    const key = existingSheet && nameKey(existingSheet.name);
    const isShared = this.draft.sheets.some((sheet) => sheet.id !== id && nameKey(sheet.name) === key);
    if (existingSheet && isShared) this.draft.renameSheet(id, findFreeSheetName(existingSheet.name, this.draft));
  }

  /** Restores the layout of a sheet; parts that were changed later are kept. */
  private restoreLayout(id: number, change: LayoutChange): void {
    if (!this.draft.hasSheet(id)) return;
    const ownSheet = this.draft.ensureOwnSheet(id);
    const { layout, hiddenRows } = undoLayoutChange(ownSheet, change);
    if (hiddenRows !== ownSheet.hiddenRows) this.batch.onRowsHidden();
    ownSheet.layout = layout;
    ownSheet.hiddenRows = hiddenRows;
  }

  /** Restores the cells of an area. */
  private restoreBlock({ sheet, area, items }: InverseBlock): void {
    if (!this.draft.hasSheet(sheet)) return;
    const { batch } = this;
    const height = area.bottom - area.top + 1;
    let at = 0;
    for (const { count, input, format } of items) {
      const id = format === null ? null : this.formatId(format);
      for (const end = at + count; at < end; at++) {
        const row = area.top + (at % height);
        const column = area.left + Math.floor(at / height);
        batch.meter.reportWork(1);
        if (this.headers.size > 0 && this.isOtherHeader(sheet, row, column)) continue;
        if (input.kind === 'value') batch.cells.putValue(sheet, row, column, input.value);
        else if (input.kind === 'formula') {
          const run = this.restoreRun(sheet, column, [row, row, input.template]);
          batch.cells.putTemplate(sheet, row, column, this.useCurrentColumnNames(run.template), input.writer);
        }
        if (id !== null) batch.cells.setFormat(sheet, row, column, id);
        this.cells++;
      }
    }
  }

  /** Finds the current names of table columns. If the table still exists, columns are identified by position. */
  private findRenamedColumns(): void {
    for (const was of this.inverse.head.named ?? []) {
      const now = findTableByName(was.name, this.draft.tables);
      if (now === undefined || !isSameTable(was, now)) continue;
      const names = was.columns.map((name, i) => [nameKey(name), now.columns[i] ?? name] as const);
      this.renamedColumns.push({ table: was.name, names: new Map(names) });
    }
  }

  /** Returns a template with the current names of columns. Cells that share a template also share the new one. */
  private useCurrentColumnNames(template: Template): Template {
    const currentTemplate = this.renamedTemplates.get(template) ?? this.replaceColumnNames(template);
    this.renamedTemplates.set(template, currentTemplate);
    return currentTemplate;
  }

  /** A template with the current names of columns. */
  private replaceColumnNames(template: Template): Template {
    const { node } = template;
    const named = this.renamedColumns.reduce((formula, { table, names }) => renameColumns(formula, table, names), node);
    return named === node ? template : new Template(named);
  }

  /** True if the cell contained a generated header that was overwritten later. */
  private isOtherHeader(sheet: number, row: number, column: number): boolean {
    const header = this.headers.get(createCellKey(sheet, row, column));
    return header !== undefined && this.draft.sheet(sheet)?.value(row, column) !== header;
  }

  /** Restores the texts of formulas that the batch rewrote in place. */
  private restoreFormulas(formulas: readonly Run[]): void {
    this.batch.pending.flush();
    for (const formula of formulas) {
      const runs = this.draft.sheet(formula.sheet)?.columns[formula.column]?.runs ?? [];
      for (let row = formula.top; row <= formula.bottom; ) {
        this.batch.meter.reportWork(1);
        const run = runs[findRun(runs, row)];
        const bottom = Math.min(formula.bottom, run?.bottom ?? row);
        if (run !== undefined && !isSameFormula(run, formula)) this.batch.rewriteRun({ ...formula, top: row, bottom });
        row = bottom + 1;
      }
    }
  }

  /** Restores whether an array formula has a fixed area, and which. */
  private restoreSpill(id: number, spill: Spill): void {
    this.batch.pending.flush();
    const { top, left } = spill.area;
    const sheet = this.draft.sheet(id);
    if (sheet?.run(top, left) === undefined) return;
    if (spill.fixed) return this.restoreFixedArea(sheet, spill);
    const existingSpill = sheet.spills.get(createAnchorKey(top, left));
    if (existingSpill?.fixed) this.batch.cells.makeSpilling(sheet, existingSpill.area);
  }

  /** Restores the fixed area of an array formula, unless a cell of the area was written later. */
  private restoreFixedArea(sheet: Sheet, spill: Spill): void {
    const { id } = sheet;
    const { top, left } = spill.area;
    if (!isAreaFree(sheet, spill.area)) return;
    this.draft.spills.set(id, spill);
    for (const [row, column] of iterateCells(spill.area)) {
      if (row !== top || column !== left) this.draft.set(id, row, column, 0, SPILLED);
    }
    this.batch.toCalculate.add(id, top, left);
  }
}

/** True if all cells of an area, except the first one, are empty or spilled. */
function isAreaFree(sheet: Sheet, area: Area): boolean {
  for (const [row, column] of iterateCells(area)) {
    const kind = sheet.kind(row, column);
    const isAnchor = row === area.top && column === area.left;
    if (!isAnchor && kind !== 0 && ((kind & SPILLED) === 0 || (kind & FORMULA) !== 0)) return false;
  }
  return true;
}

/** The positions of an area's cells, column by column. */
function* iterateCells({ top, left, bottom, right }: Area): Iterable<readonly [row: number, column: number]> {
  for (let column = left; column <= right; column++) for (let row = top; row <= bottom; row++) yield [row, column];
}

/** True if two values have the same JSON. */
function areEqualAsJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Returns the entry that replaces `current` when a batch is undone that changed the entry from `before` to `after`.
 * `before` is undefined if the batch added the entry. Returns undefined to remove the entry.
 */
type RestoreEntry<T> = (current: T, after: T, before: T | undefined) => T | undefined;

/**
 * Restores a table. If the table grew or its columns were renamed later, it still counts as the same table, and these
 * changes are kept.
 */
const restoreTable: RestoreEntry<Table> = (current, after, before) => {
  if (before === undefined) return isSameTable(current, after) ? undefined : current;
  const withBottom = (bottom: number) => ({ ...current, area: { ...current.area, bottom } });
  const hasMoved = !isSameTable(before, after);
  if (areEqualAsJson(withBottom(after.area.bottom), after))
    return hasMoved || areEqualAsJson(current, after) ? before : { ...before, area: current.area };
  return hasMoved || current.area.bottom !== after.area.bottom ? current : withBottom(before.area.bottom);
};

/** Restores the old names or tables, unless they were changed after the batch. */
function restoreEntries<T extends { readonly name: string; readonly sheet?: number }>(
  current: readonly T[],
  { before, after, places }: EntryChange<T>,
  scoped: boolean,
  restore: RestoreEntry<T>,
): readonly T[] {
  const afterByKey = new Map(after.map((one) => [createEntryKey(one, scoped), one]));
  const beforeByKey = new Map(before.map((one) => [createEntryKey(one, scoped), one]));
  const entries: T[] = [];
  for (const now of current) {
    const key = createEntryKey(now, scoped);
    const changed = afterByKey.get(key);
    const replacement = changed === undefined ? now : restore(now, changed, beforeByKey.get(key));
    if (replacement !== undefined) entries.push(replacement);
    beforeByKey.delete(key);
  }
  before.forEach((one, i) => {
    const key = createEntryKey(one, scoped);
    if (beforeByKey.has(key) && !afterByKey.has(key)) entries.splice(places[i] ?? entries.length, 0, one);
  });
  return entries;
}
