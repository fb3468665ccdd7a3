import type { Area } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { getLineCount, listMoveSheets, type Move, offsetArea } from '../grid/move.ts';
import type { PlainColumn } from '../sheet/plain-column.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { isSheetNameTaken, sheetNameProblem } from './sheet-names.ts';
import type { ApplyContext, Edit, Input, InputMode, NewAttachment, Refusal, TextLimits } from './types.ts';

/** Default maximum length of a text cell, in characters. */
const MAX_TEXT_LENGTH = 50_000;
/** Default maximum length of a formula, in characters. */
const MAX_FORMULA_LENGTH = 8_192;

/** The sheets that an edit can refer to. */
type SheetState = Pick<Snapshot, 'sheets' | 'sheetById' | 'sheetByName'>;

/**
 * Checks a batch before anything changes. Edits that follow a change of the sheets are checked later, because they
 * refer to the changed sheets.
 */
export function checkBatch(edits: readonly Edit[], state: SheetState, context: ApplyContext): Refusal | null {
  for (let at = 0; at < edits.length; at++) {
    const edit = edits[at]!;
    const refusal = checkEdit(edit, state, context);
    if (refusal) return { ...refusal, edit: at };
    if (changesSheets(edit)) return null;
  }
  return null;
}

/** True if an edit may change which sheets exist, so that later edits must be checked after it. */
export function changesSheets(edit: Edit): boolean {
  return isSheetEdit(edit) || edit.kind === 'takeBack' || edit.kind === 'restore';
}

/** True for edits that add or remove a sheet, or change its name, position or visibility. */
export function isSheetEdit({ kind }: Edit): boolean {
  switch (kind) {
    case 'addSheet':
    case 'renameSheet':
    case 'deleteSheet':
    case 'duplicateSheet':
    case 'moveSheet':
    case 'hideSheet':
      return true;
    default:
      return false;
  }
}

/** The reason to refuse an edit before anything changes; null if it may be performed. */
export function checkEdit(edit: Edit, state: SheetState, context: ApplyContext): Refusal | null {
  if ('sheet' in edit && !state.sheetById(edit.sheet)) return { kind: 'refusal', reason: 'sheetNotFound' };
  switch (edit.kind) {
    case 'setValues':
      return checkBlockPosition(edit.row, edit.column, edit.values) ?? checkInputs(edit.values, edit.mode, context);
    case 'putColumns':
      return checkColumns(edit.columns, context);
    case 'append': {
      const row = state.sheetById(edit.sheet)?.extent().rows ?? 0;
      if (row + edit.values.length > MAX_ROWS) return { kind: 'refusal', reason: 'sheetFull' };
      return checkBlockPosition(row, edit.column, edit.values) ?? checkInputs(edit.values, edit.mode, context);
    }
    case 'clear':
    case 'setFormat':
    case 'styleCells':
    case 'unmergeCells':
    case 'sort':
    case 'replace':
    case 'removeDuplicates':
    case 'setTable':
      return refuseUnlessInside(isInGrid(edit.area));
    case 'mergeCells':
      return refuseUnlessInside(edit.areas.every(isInGrid));
    case 'attach':
      return (
        refuseUnlessInside(edit.attachments.every(({ areas }) => areas.every(isInGrid))) ??
        checkFormulas(edit.attachments, context)
      );
    case 'hideLines':
    case 'inheritLines':
    case 'groupLines':
    case 'sizeLines': {
      const count = edit.axis === 'rows' ? MAX_ROWS : MAX_COLUMNS;
      return refuseUnlessInside(edit.first >= 0 && edit.first <= edit.last && edit.last < count);
    }
    case 'setFilter': {
      if (edit.filter === null) return null;
      const { area, columns } = edit.filter;
      const areIn = columns.every(({ column }) => column >= area.left && column <= area.right);
      return refuseUnlessInside(isInGrid(area) && areIn);
    }
    case 'addSheet':
      return edit.name === undefined ? null : checkName(edit.name, state, null);
    case 'renameSheet':
      return checkName(edit.name, state, edit.sheet);
    case 'deleteSheet':
      return checkLastVisible(edit.sheet, state);
    case 'hideSheet':
      return edit.hidden ? checkLastVisible(edit.sheet, state) : null;
    case 'copy': {
      const { area, row, column } = edit;
      if (!state.sheetById(edit.toSheet)) return { kind: 'refusal', reason: 'sheetNotFound' };
      return refuseUnlessInside(isInGridAt(area, row, column));
    }
    case 'fill':
      return refuseUnlessInside(isInGrid(edit.area) && isInGrid(edit.to));
    case 'duplicateSheet':
      return checkName(edit.name, state, null);
    case 'setName':
      return checkRefersTo(edit.refersTo, context);
    case 'moveCells':
      return checkMove(edit.move, state);
    case 'filterColumn':
    case 'setSheetPart':
    case 'changeSettings':
    case 'moveSheet':
    case 'colorSheet':
    case 'deleteName':
    case 'renameName':
    case 'deleteTable':
    case 'recalculate':
    case 'takeBack':
    case 'restore':
      return null;
  }
}

/** The refusal for cells outside the grid, unless they are inside. */
function refuseUnlessInside(isInside: boolean): Refusal | null {
  return isInside ? null : { kind: 'refusal', reason: 'outsideGrid' };
}

/** The reason to refuse a move; null if it is possible. */
function checkMove(move: Move, state: SheetState): Refusal | null {
  for (const id of listMoveSheets(move)) if (!state.sheetById(id)) return { kind: 'refusal', reason: 'sheetNotFound' };
  return refuseUnlessInside(isPossible(move));
}

/** True if the source and the target of a move are in the grid, and reordered lines move to another place. */
function isPossible(move: Move): boolean {
  if (move.kind === 'carry') return isInGridAt(move.area, move.row, move.column);
  const { axis, at, count } = move;
  const end = getLineCount(axis);
  if (at < 0 || count < 1 || at + count > end) return false;
  if (move.kind === 'reorder') return move.to >= 0 && move.to <= end && (move.to < at || move.to > at + count);
  const most = getLineCount(axis === 'rows' ? 'columns' : 'rows');
  return !move.across || (move.across.first >= 0 && move.across.first <= move.across.last && move.across.last < most);
}

/** True if the area would be in the grid with its top left cell at a position. */
function isInGridAt(area: Area, row: number, column: number): boolean {
  return isInGrid(area) && row >= 0 && column >= 0 && isInGrid(offsetArea(area, row - area.top, column - area.left));
}

function isInGrid(a: Area): boolean {
  return a.top >= 0 && a.left >= 0 && a.bottom < MAX_ROWS && a.right < MAX_COLUMNS;
}

/** The refusal of a block that would leave the grid; null if it fits. */
function checkBlockPosition(row: number, column: number, values: readonly (readonly Input[])[]): Refusal | null {
  let width = 0;
  for (const inputs of values) width = Math.max(width, inputs.length);
  return refuseUnlessInside(
    row >= 0 && column >= 0 && row + values.length <= MAX_ROWS && column + width <= MAX_COLUMNS,
  );
}

/** The refusal of the first input that is too long; null if there is none. */
function checkInputs(values: readonly (readonly Input[])[], mode: InputMode, limits: TextLimits): Refusal | null {
  const { maxTextLength = MAX_TEXT_LENGTH, maxFormulaLength = MAX_FORMULA_LENGTH } = limits;
  const shortest = Math.min(maxTextLength, maxFormulaLength);
  for (const inputs of values) {
    for (const input of inputs) {
      if (typeof input === 'number') continue;
      const text = typeof input === 'object' ? (input?.value ?? '') : input;
      if (typeof text !== 'string' || text.length <= shortest) continue;
      const isFormula = typeof input === 'object' ? input?.as === 'formula' : mode === 'user' && text.startsWith('=');
      const refusal = checkLength(text, isFormula, limits);
      if (refusal !== null) return refusal;
    }
  }
  return null;
}

/** The refusal of columns with a cell outside the grid or a text that is too long; null if there is none. */
function checkColumns(columns: readonly PlainColumn[], limits: TextLimits): Refusal | null {
  const { maxTextLength = MAX_TEXT_LENGTH } = limits;
  for (const { column, rows, starts } of columns) {
    if (column < 0 || column >= MAX_COLUMNS || (rows.at(-1) ?? 0) >= MAX_ROWS) return refuseUnlessInside(false);
    for (let i = 1; i < starts.length; i++) {
      if (starts[i]! - starts[i - 1]! > maxTextLength)
        return { kind: 'refusal', reason: 'textTooLong', limit: maxTextLength };
    }
  }
  return null;
}

/** The refusal of the first formula of attachments that is too long; null if there is none. */
function checkFormulas(attachments: readonly NewAttachment[], limits: TextLimits): Refusal | null {
  for (const { formulas = [] } of attachments) {
    for (const text of formulas) {
      const refusal = checkLength(text, true, limits);
      if (refusal !== null) return refusal;
    }
  }
  return null;
}

/** The refusal of a defined name's formula that is too long; null if it fits. */
function checkRefersTo(text: string, { maxFormulaLength = MAX_FORMULA_LENGTH }: TextLimits): Refusal | null {
  if (text.length <= maxFormulaLength) return null;
  const message = `refersTo may have ${maxFormulaLength} characters at most`;
  return { kind: 'refusal', reason: 'invalidFormula', message };
}

/** Refuses a text or formula that is too long. */
export function checkLength(text: string, isFormula: boolean, limits: TextLimits): Refusal | null {
  const { maxTextLength = MAX_TEXT_LENGTH, maxFormulaLength = MAX_FORMULA_LENGTH } = limits;
  const limit = isFormula ? maxFormulaLength : maxTextLength;
  if (text.length <= limit) return null;
  return { kind: 'refusal', reason: isFormula ? 'formulaTooLong' : 'textTooLong', limit };
}

/** The refusal of a sheet name that is invalid or used by another sheet than `except`; null if it is free. */
function checkName(name: string, state: SheetState, except: number | null): Refusal | null {
  const message = sheetNameProblem(name);
  if (message !== null) return { kind: 'refusal', reason: 'invalidSheetName', message };
  return isSheetNameTaken(name, state, except) ? { kind: 'refusal', reason: 'sheetNameTaken' } : null;
}

/** The refusal if no sheet except this one is visible; null otherwise. */
function checkLastVisible(sheet: number, state: SheetState): Refusal | null {
  const others = state.sheets.filter((existingSheet) => existingSheet.id !== sheet);
  return others.some((existing) => !existing.hidden) ? null : { kind: 'refusal', reason: 'lastSheet' };
}
