import type { Area, Input } from '@cellwire/engine';
import { NOTE } from '@cellwire/files';
import { measureLongest } from '../../service/longest.ts';
import { WHOLE_SHEET } from '../a1.ts';
import type { PlanSteps } from '../call.ts';
import { type FieldMask, findMemberMask, includesPath } from '../field-mask.ts';
import { readBorder, refuseUnknownFormat } from '../format/cell-format.ts';
import {
  joinPath,
  type RequestObject,
  readInteger,
  readObject,
  readObjects,
  readText,
  refuseSeveralMembers,
  refuseUnknownMembers,
  throwWrongType,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import type { AreaLink } from '../sheets/links.ts';
import { toNoteTexts } from '../sheets/notes.ts';
import { clampToGrid } from '../sheets/resolve.ts';
import { parseValidationRule } from '../sheets/validation.ts';
import { findTableArea } from '../values/append-place.ts';
import { addGroupMode } from '../values/regex-extract.ts';
import { AttachedRows } from './attached-rows.ts';
import { countCellsInArea, refuseLargeArea, restyleCells, setValidationRule } from './cell-edits.ts';
import { setLinks, styleWithLink, writeCellFormat } from './cell-links.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

/** Members of `CellData` that can be written. */
const WRITTEN = ['userEnteredValue', 'userEnteredFormat', 'note', 'dataValidation'];
const READ_ONLY = ['effectiveValue', 'formattedValue', 'effectiveFormat', 'hyperlink'];
const CELL_MEMBERS = [...WRITTEN, ...READ_ONLY];

/** The mask of cells in a request's `parseFields`. */
function parseCellMask(members: RequestObject, path: string): FieldMask {
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, CELL_MEMBERS);
  if (
    mask !== null &&
    WRITTEN.every((name) => !includesPath(mask, name)) &&
    READ_ONLY.some((name) => includesPath(mask, name))
  ) {
    throw createInvalidProblem(`Field ${READ_ONLY.find((name) => includesPath(mask, name))} is read only.`);
  }
  refuseUnknownFormat(findMemberMask(mask, 'userEnteredFormat'));
  return mask;
}

/** Writes the members that the mask names from `start` on or into `range`. Clears them in the rest of `range`. */
export const updateCells: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['rows', 'fields', 'start', 'range'], path);
  const mask = parseCellMask(members, path);
  refuseSeveralMembers(members, ['start', 'range'], 'area', path);
  const rows = parseRowCells(members, path);
  const start = readObject(members, 'start', path);
  const range = readObject(members, 'range', path);
  if (start !== undefined) {
    refuseUnknownMembers(start, ['sheetId', 'rowIndex', 'columnIndex'], `${path}.start`);
    const sheet = batch.requireSheet(start, `${path}.start`);
    const top = readInteger(start, 'rowIndex', path) ?? 0;
    const left = readInteger(start, 'columnIndex', path) ?? 0;
    const { rows: gridRows, columns: gridColumns } = sheet.grid;
    if (top >= gridRows)
      throw createInvalidProblem(`GridCoordinate.rowIndex[${top}] is after last row in grid[${gridRows - 1}]`);
    if (left >= gridColumns)
      throw createInvalidProblem(
        `GridCoordinate.columnIndex[${left}] is after last column in grid[${gridColumns - 1}]`,
      );
    refuseRowsBeyond(rows, { top, left, bottom: gridRows - 1, right: gridColumns - 1 });
    yield* writeRows(batch, sheet, top, left, rows, mask, path);
    return {};
  }
  if (range === undefined) throw createInvalidProblem('Either start or range must be set.');
  const { sheet, range: area } = batch.parseRange(range, `${path}.range`);
  refuseRowsBeyond(rows, area);
  // The request clears the fields that the mask names in all cells of the range for which it contains no data.
  batch.refuseProtectedArea(sheet, area);
  yield* clearCells(batch, sheet, area, mask);
  yield* writeRows(batch, sheet, area.top, area.left, rows, mask, path);
  return {};
};

/** Throws if the rows from the first cell of an area on end outside of it. */
function refuseRowsBeyond(rows: readonly (readonly RequestObject[])[], { top, left, bottom, right }: Area): void {
  if (top + rows.length - 1 > bottom) {
    throw createInvalidProblem(`Attempting to write row: ${bottom + 1}, beyond the last requested row of: ${bottom}`);
  }
  if (rows.some((cells) => left + cells.length - 1 > right)) {
    throw createInvalidProblem(
      `Attempting to write column: ${right + 1}, beyond the last requested column of: ${right}`,
    );
  }
}

function parseRowCells(members: RequestObject, path: string): readonly (readonly RequestObject[])[] {
  return (readObjects(members, 'rows', path) ?? []).map((row, i) => {
    const rowPlace = `${path}.rows[${i}]`;
    refuseUnknownMembers(row, ['values'], rowPlace);
    const cells = readObjects(row, 'values', rowPlace) ?? [];
    for (const [j, cell] of cells.entries()) refuseUnknownMembers(cell, CELL_MEMBERS, `${rowPlace}.values[${j}]`);
    return cells;
  });
}

/** Clears the members of cells that the mask names: values, formats, notes, validation rules. */
function* clearCells(batch: RequestBatch, sheet: WorkingSheet, area: Area, mask: FieldMask): PlanSteps<void> {
  if (includesPath(mask, 'userEnteredValue')) batch.addEdits({ kind: 'clear', sheet: sheet.id, area });
  const format = findMemberMask(mask, 'userEnteredFormat');
  if (format !== undefined) yield* writeCellFormat(batch, sheet, area, {}, format, '');
  if (includesPath(mask, 'note')) setNotes(batch, sheet, area, []);
  if (includesPath(mask, 'dataValidation')) setValidationRule(batch, sheet, area, null);
}

/** Writes the members that the mask names from the cell `top`, `left` on. */
function* writeRows(
  batch: RequestBatch,
  sheet: WorkingSheet,
  top: number,
  left: number,
  rows: readonly (readonly RequestObject[])[],
  mask: FieldMask,
  path: string,
): PlanSteps<void> {
  const width = measureLongest(rows);
  if (rows.length === 0 || width === 0) return;
  const area = { top, left, bottom: top + rows.length - 1, right: left + width - 1 };
  refuseLargeArea(area);
  batch.refuseProtectedArea(sheet, area);
  batch.growGrid(sheet, { rows: area.bottom + 1, columns: area.right + 1 });
  if (includesPath(mask, 'userEnteredValue')) writeValues(batch, sheet, area, rows, path);
  const format = findMemberMask(mask, 'userEnteredFormat');
  const linkRows = new AttachedRows<AreaLink>(left, (within, links) => setLinks(batch, sheet, within, links));
  const noteRows = new AttachedRows<CellNote>(left, (within, notes) => setNotes(batch, sheet, within, notes));
  for (const [r, cells] of rows.entries()) {
    if (batch.endsStep(cells.length)) yield;
    const row = top + r;
    const at = `${path}.rows[${r}]`;
    if (format !== undefined) {
      const links = yield* writeFormats(batch, sheet, { top: row, left }, cells, format, at);
      if (links !== null) linkRows.addRow(row, cells.length, links);
    }
    if (includesPath(mask, 'note')) noteRows.addRow(row, cells.length, readRowNotes(cells, { top: row, left }, at));
    if (includesPath(mask, 'dataValidation')) writeRules(batch, sheet, { top: row, left }, cells, at);
  }
  linkRows.flushRows();
  noteRows.flushRows();
}

/** The first cell of a row that a request writes. */
interface RowStart {
  readonly top: number;
  readonly left: number;
}

/** The cell that is `index` columns right of the start, as an area. */
function toCellArea({ top, left }: RowStart, index: number): Area {
  return { top, left: left + index, bottom: top, right: left + index };
}

/** Sets the validation rules of the cells of a row that have one. */
function writeRules(
  batch: RequestBatch,
  sheet: WorkingSheet,
  start: RowStart,
  cells: readonly RequestObject[],
  path: string,
): void {
  for (const [i, cell] of cells.entries()) {
    const at = `${path}.values[${i}]`;
    const rule = readObject(cell, 'dataValidation', at);
    if (rule === undefined) continue;
    setValidationRule(batch, sheet, toCellArea(start, i), parseValidationRule(rule, `${at}.data_validation`));
  }
}

/** Enters the entered values of the rows into the area. */
function writeValues(
  batch: RequestBatch,
  sheet: WorkingSheet,
  area: Area,
  rows: readonly (readonly RequestObject[])[],
  path: string,
): void {
  const { top, left } = area;
  let hasFormulas = false;
  const formulas: Input[][] = [];
  const typed: string[][] = [];
  const values = rows.map((cells, r) => {
    const line: Input[] = [];
    const texts: string[] = [];
    formulas.push(line);
    typed.push(texts);
    return cells.map((cell, c): Input => {
      const value = parseEnteredValue(cell, `${path}.rows[${r}].values[${c}]`);
      line.push(null);
      // A text that begins with `=` is not a formula here, so no formula text is stored.
      texts.push('');
      if (typeof value !== 'object' || value === null) return value;
      hasFormulas = true;
      line[c] = addGroupMode(value.formula);
      texts[c] = value.formula;
      return null;
    });
  });
  batch.putValues(sheet, top, left, values, 'raw');
  if (hasFormulas) batch.putValues(sheet, top, left, formulas, 'user');
  batch.keepFormulas(sheet, area, typed);
}

const VALUE_KINDS = ['numberValue', 'stringValue', 'boolValue', 'formulaValue', 'errorValue'];

/** The input for a cell: a plain value or a formula; `''` clears the cell. */
function parseEnteredValue(
  cell: RequestObject,
  cellPath: string,
): string | number | boolean | { readonly formula: string } {
  const value = readObject(cell, 'userEnteredValue', cellPath);
  if (value === undefined) return '';
  const path = joinPath(cellPath, 'userEnteredValue');
  refuseUnknownMembers(value, VALUE_KINDS, path);
  refuseSeveralMembers(value, VALUE_KINDS, 'value', path);
  const { formulaValue, numberValue, boolValue, stringValue, errorValue } = value;
  if (errorValue !== undefined && errorValue !== null) throw createInvalidProblem('errorValue is read only.');
  if (typeof formulaValue === 'string') {
    return formulaValue.startsWith('=') ? { formula: formulaValue } : { formula: `=${formulaValue}` };
  }
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (typeof stringValue === 'string') return stringValue;
  const [name, wrong] = Object.entries(value).find(([, member]) => member !== null) ?? [];
  return name === undefined ? '' : throwWrongType(joinPath(path, name), 'TYPE_STRING', wrong);
}

/**
 * Writes formats of a row. Neighbouring cells with equal formats share one edit. Returns their links, which the caller
 * must set; null: the mask does not include links.
 */
function* writeFormats(
  batch: RequestBatch,
  sheet: WorkingSheet,
  { top, left }: RowStart,
  cells: readonly RequestObject[],
  mask: FieldMask,
  path: string,
): PlanSteps<readonly AreaLink[] | null> {
  const links: AreaLink[] = [];
  let includesLinks = false;
  let from = 0;
  const formatJson = (i: number) => JSON.stringify(cells[i]?.['userEnteredFormat'] ?? {});
  for (let i = 1; i <= cells.length; i++) {
    if (i < cells.length && formatJson(i) === formatJson(from)) continue;
    const sent = readObject(cells[from] as RequestObject, 'userEnteredFormat', path) ?? {};
    const area = { top, left: left + from, bottom: top, right: left + i - 1 };
    const at = `${path}.values[${from}].user_entered_format`;
    const address = yield* styleWithLink(batch, sheet, area, sent, mask, at);
    includesLinks ||= address !== undefined;
    if (typeof address === 'string') links.push({ area, address });
    from = i;
  }
  return includesLinks ? links : null;
}

interface CellNote {
  readonly cell: Area;
  readonly text: string;
}

/** The notes that a row of `CellData` contains, with their cells. */
function readRowNotes(cells: readonly RequestObject[], start: RowStart, path: string): readonly CellNote[] {
  return cells.flatMap((cell, i) => {
    const text = readText(cell, 'note', `${path}.values[${i}]`) ?? '';
    return text === '' ? [] : [{ cell: toCellArea(start, i), text }];
  });
}

/** Replaces the notes of an area. */
function setNotes(batch: RequestBatch, sheet: WorkingSheet, within: Area, notes: readonly CellNote[]): void {
  const attachments = notes.map(({ cell, text }) => ({ areas: [cell], texts: toNoteTexts(text) }));
  batch.addEdits({ kind: 'attach', sheet: sheet.id, attachment: NOTE, key: null, within, attachments });
}

/** Writes the members of one cell into all cells of a range. */
export const repeatCell: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range', 'cell', 'fields'], path);
  const mask = parseCellMask(members, path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  const cell = readObject(members, 'cell', path) ?? {};
  refuseUnknownMembers(cell, CELL_MEMBERS, `${path}.cell`);
  batch.refuseProtectedArea(sheet, range);
  refuseLargeArea(range);
  const [height, width] = [range.bottom - range.top + 1, range.right - range.left + 1];
  if (includesPath(mask, 'userEnteredValue')) {
    const value = parseEnteredValue(cell, `${path}.cell`);
    if (value === '') batch.addEdits({ kind: 'clear', sheet: sheet.id, area: range });
    else if (typeof value === 'object') repeatFormula(batch, sheet, range, addGroupMode(value.formula));
    else
      batch.putValues(
        sheet,
        range.top,
        range.left,
        Array.from({ length: height }, () => Array<Input>(width).fill(value)),
        'raw',
      );
  }
  const format = findMemberMask(mask, 'userEnteredFormat');
  if (format !== undefined) {
    const own = readObject(cell, 'userEnteredFormat', path) ?? {};
    yield* writeCellFormat(batch, sheet, range, own, format, `${path}.cell.user_entered_format`);
  }
  if (includesPath(mask, 'note')) repeatNote(batch, sheet, range, readText(cell, 'note', `${path}.cell`) ?? '');
  if (includesPath(mask, 'dataValidation')) {
    const rule = readObject(cell, 'dataValidation', `${path}.cell`);
    const at = `${path}.cell.data_validation`;
    setValidationRule(batch, sheet, range, rule === undefined ? null : parseValidationRule(rule, at));
  }
  return {};
};

/** Enters a formula into all cells of a range. References are relative to the cell, as in a filled formula. */
function repeatFormula(batch: RequestBatch, sheet: WorkingSheet, range: Area, formula: string): void {
  batch.putValues(sheet, range.top, range.left, [[formula]], 'user');
  const first = { top: range.top, left: range.left, bottom: range.top, right: range.left };
  if (countCellsInArea(range) > 1) batch.addEdits({ kind: 'fill', sheet: sheet.id, area: first, to: range });
}

const MAX_NOTES = 10_000;

/**
 * Writes the note into each cell of the range; an empty text removes all notes. Throws a `Problem` for too many notes.
 */
function repeatNote(batch: RequestBatch, sheet: WorkingSheet, range: Area, note: string): void {
  if (note !== '' && countCellsInArea(range) > MAX_NOTES)
    throw createInvalidProblem(`A request can write ${MAX_NOTES} notes at most.`);
  const notes: CellNote[] = [];
  for (let row = range.top; note !== '' && row <= range.bottom; row++) {
    const start = { top: row, left: range.left };
    for (let i = 0; i <= range.right - range.left; i++) notes.push({ cell: toCellArea(start, i), text: note });
  }
  setNotes(batch, sheet, range, notes);
}

/** Writes rows of cells below the last filled row of a sheet. */
export const appendCells: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['sheetId', 'rows', 'fields'], path);
  const mask = parseCellMask(members, path);
  const sheet = batch.requireSheet(members, path);
  const cells = yield* batch.calculateSheet(sheet);
  const table = findTableArea(clampToGrid(cells, WHOLE_SHEET, true));
  const top = cells.extent().rows;
  yield* writeRows(batch, sheet, top, table?.left ?? 0, parseRowCells(members, path), mask, path);
  return {};
};

const BORDER_SIDES = ['top', 'bottom', 'left', 'right'] as const;

/** Sets the borders around and inside a range. */
export const updateBorders: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range', ...BORDER_SIDES, 'innerHorizontal', 'innerVertical'], path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  batch.refuseProtectedArea(sheet, range);
  const { top, left, bottom, right } = range;
  const setBorder = function* (side: string, area: Area, border: RequestObject | undefined) {
    if (border === undefined || area.bottom < area.top || area.right < area.left) return;
    const line = readBorder(border, joinPath(path, side));
    const mask: FieldMask = new Map([['borders', new Map([[side, null]])]]);
    yield* restyleCells(batch, sheet, area, line === undefined ? {} : { borders: { [side]: line } }, mask);
  };
  yield* setBorder('top', { ...range, bottom: top }, readObject(members, 'top', path));
  yield* setBorder('bottom', { ...range, top: bottom }, readObject(members, 'bottom', path));
  yield* setBorder('left', { ...range, right: left }, readObject(members, 'left', path));
  yield* setBorder('right', { ...range, left: right }, readObject(members, 'right', path));
  const horizontal = readObject(members, 'innerHorizontal', path);
  yield* setBorder('bottom', { ...range, bottom: bottom - 1 }, horizontal);
  yield* setBorder('top', { ...range, top: top + 1 }, horizontal);
  const vertical = readObject(members, 'innerVertical', path);
  yield* setBorder('right', { ...range, right: right - 1 }, vertical);
  yield* setBorder('left', { ...range, left: left + 1 }, vertical);
  return {};
};

/** Sets the validation rule of a range, or removes it. */
export const setDataValidation: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['range', 'rule', 'filteredRowsIncluded'], path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  batch.refuseProtectedArea(sheet, range);
  const rule = readObject(members, 'rule', path);
  setValidationRule(batch, sheet, range, rule === undefined ? null : parseValidationRule(rule, `${path}.rule`));
  return {};
};
