import type { Area, Input } from '@cellwire/engine';
import { NOTE } from '@cellwire/files';
import { WHOLE } from '../a1.ts';
import { type Mask, maskOf, names } from '../field-mask.ts';
import { readBorder, readCellFormat, refuseUnknownFormat } from '../format/cell-format.ts';
import { at, integer, object, objects, type RequestObject, refuseUnknown, text, wrongType } from '../json.ts';
import { invalid } from '../problem.ts';
import { noteTexts } from '../sheets/notes.ts';
import { placeOf } from '../sheets/resolve.ts';
import { storedRule } from '../sheets/validation.ts';
import { tableAt } from '../values/append-place.ts';
import { withGroupMode } from '../values/regex-extract.ts';
import { areaSize, refuseLarge, restyle, setRule } from './cell-edits.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

/** Members of `CellData` that can be written. */
const WRITTEN = ['userEnteredValue', 'userEnteredFormat', 'note', 'dataValidation'];
const READ_ONLY = ['effectiveValue', 'formattedValue', 'effectiveFormat', 'hyperlink'];
const CELL_MEMBERS = [...WRITTEN, ...READ_ONLY];

/** The mask of cells in a request's `fields`. */
function cellMask(members: RequestObject, place: string): Mask {
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, CELL_MEMBERS);
  if (mask !== null && WRITTEN.every((name) => !names(mask, name)) && READ_ONLY.some((name) => names(mask, name))) {
    throw invalid(`Field ${READ_ONLY.find((name) => names(mask, name))} is read only.`);
  }
  refuseUnknownFormat(maskOf(mask, 'userEnteredFormat'), place);
  return mask;
}

export const updateCells: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['rows', 'fields', 'start', 'range'], place);
  const mask = cellMask(members, place);
  const rows = rowsOf(members, place);
  const start = object(members, 'start', place);
  const range = object(members, 'range', place);
  if (start !== undefined) {
    refuseUnknown(start, ['sheetId', 'rowIndex', 'columnIndex'], `${place}.start`);
    const sheet = batch.sheet(start, `${place}.start`);
    const top = integer(start, 'rowIndex', place) ?? 0;
    const left = integer(start, 'columnIndex', place) ?? 0;
    batch.clampRange(sheet, { top, left, bottom: top, right: left });
    yield* writeRows(batch, sheet, top, left, rows, mask, place);
    return {};
  }
  if (range === undefined) throw invalid('Either start or range must be set.');
  const { sheet, range: area } = batch.range(range, `${place}.range`);
  const height = area.bottom - area.top + 1;
  const width = area.right - area.left + 1;
  const isTooLarge = rows.length > height || rows.some((cells) => cells.length > width);
  if (isTooLarge) throw invalid('Attempting to write beyond the requested range.');
  // Cells of the range without sent data lose what the mask names.
  batch.guard(sheet, area);
  yield* clearCells(batch, sheet, area, mask);
  yield* writeRows(batch, sheet, area.top, area.left, rows, mask, place);
  return {};
};

function rowsOf(members: RequestObject, place: string): readonly (readonly RequestObject[])[] {
  return (objects(members, 'rows', place) ?? []).map((row, i) => {
    const rowPlace = `${place}.rows[${i}]`;
    refuseUnknown(row, ['values'], rowPlace);
    const cells = objects(row, 'values', rowPlace) ?? [];
    for (const [j, cell] of cells.entries()) refuseUnknown(cell, CELL_MEMBERS, `${rowPlace}.values[${j}]`);
    return cells;
  });
}

function* clearCells(batch: RequestBatch, sheet: WorkingSheet, area: Area, mask: Mask): Generator<void, void> {
  if (names(mask, 'userEnteredValue')) batch.add({ kind: 'clear', sheet: sheet.id, area });
  const format = maskOf(mask, 'userEnteredFormat');
  if (format !== undefined) yield* restyle(batch, sheet, area, {}, format);
  if (names(mask, 'note')) {
    batch.add({ kind: 'attach', sheet: sheet.id, attachment: NOTE, key: null, within: area, attachments: [] });
  }
  if (names(mask, 'dataValidation')) setRule(batch, sheet, area, null);
}

function* writeRows(
  batch: RequestBatch,
  sheet: WorkingSheet,
  top: number,
  left: number,
  rows: readonly (readonly RequestObject[])[],
  mask: Mask,
  place: string,
): Generator<void, void> {
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  if (rows.length === 0 || width === 0) return;
  const area = { top, left, bottom: top + rows.length - 1, right: left + width - 1 };
  refuseLarge(area);
  batch.guard(sheet, area);
  batch.grow(sheet, { rows: area.bottom + 1, columns: area.right + 1 });
  if (names(mask, 'userEnteredValue')) writeValues(batch, sheet, area, rows, place);
  const format = maskOf(mask, 'userEnteredFormat');
  for (const [r, cells] of rows.entries()) {
    if (batch.endsStep(cells.length)) yield;
    if (format !== undefined)
      yield* writeFormats(batch, sheet, { top: top + r, left }, cells, format, `${place}.rows[${r}]`);
    for (const [c, cell] of cells.entries()) {
      const one = { top: top + r, left: left + c, bottom: top + r, right: left + c };
      if (names(mask, 'note')) setNote(batch, sheet, one, text(cell, 'note', place) ?? '');
      if (!names(mask, 'dataValidation')) continue;
      const rule = object(cell, 'dataValidation', place);
      if (rule !== undefined) setRule(batch, sheet, one, storedRule(rule, place));
    }
  }
}

function writeValues(
  batch: RequestBatch,
  sheet: WorkingSheet,
  area: Area,
  rows: readonly (readonly RequestObject[])[],
  place: string,
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
      const value = enteredValue(
        object(cell, 'userEnteredValue', `${place}.rows[${r}]`),
        `${place}.rows[${r}].values[${c}]`,
      );
      line.push(null);
      // A text that begins with `=` is not a formula here, so no formula text is stored.
      texts.push('');
      if (typeof value !== 'object' || value === null) return value;
      hasFormulas = true;
      line[c] = withGroupMode(value.formula);
      texts[c] = value.formula;
      return null;
    });
  });
  batch.put(sheet, top, left, values, 'raw');
  if (hasFormulas) batch.put(sheet, top, left, formulas, 'user');
  batch.keepFormulas(sheet, area, typed);
}

/** The input for a cell: a plain value or a formula; `''` clears the cell. */
function enteredValue(
  value: RequestObject | undefined,
  place: string,
): string | number | boolean | { readonly formula: string } {
  if (value === undefined) return '';
  refuseUnknown(value, ['numberValue', 'stringValue', 'boolValue', 'formulaValue', 'errorValue'], place);
  const { formulaValue, numberValue, boolValue, stringValue, errorValue } = value;
  if (errorValue !== undefined && errorValue !== null) throw invalid(`Invalid ${place}: errorValue is read only.`);
  if (typeof formulaValue === 'string') {
    return formulaValue.startsWith('=') ? { formula: formulaValue } : { formula: `=${formulaValue}` };
  }
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (typeof stringValue === 'string') return stringValue;
  const [name, wrong] = Object.entries(value).find(([, member]) => member !== null) ?? [];
  return name === undefined ? '' : wrongType(at(place, name), 'TYPE_STRING', wrong);
}

/** Neighbouring cells with equal formats get them in one edit. */
function* writeFormats(
  batch: RequestBatch,
  sheet: WorkingSheet,
  { top, left }: { readonly top: number; readonly left: number },
  cells: readonly RequestObject[],
  mask: Mask,
  place: string,
): Generator<void, void> {
  let from = 0;
  const textOf = (i: number) => JSON.stringify(cells[i]?.['userEnteredFormat'] ?? {});
  for (let i = 1; i <= cells.length; i++) {
    if (i < cells.length && textOf(i) === textOf(from)) continue;
    const sent = object(cells[from] as RequestObject, 'userEnteredFormat', place) ?? {};
    const area = { top, left: left + from, bottom: top, right: left + i - 1 };
    yield* restyle(batch, sheet, area, readCellFormat(sent, `${place}.user_entered_format`), mask);
    from = i;
  }
}

function setNote(batch: RequestBatch, sheet: WorkingSheet, cell: Area, note: string): void {
  const attachments = note === '' ? [] : [{ areas: [cell], texts: noteTexts(note) }];
  batch.add({ kind: 'attach', sheet: sheet.id, attachment: NOTE, key: null, within: cell, attachments });
}

export const repeatCell: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['range', 'cell', 'fields'], place);
  const mask = cellMask(members, place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  const cell = object(members, 'cell', place) ?? {};
  refuseUnknown(cell, CELL_MEMBERS, `${place}.cell`);
  batch.guard(sheet, range);
  refuseLarge(range);
  const [height, width] = [range.bottom - range.top + 1, range.right - range.left + 1];
  if (names(mask, 'userEnteredValue')) {
    const value = enteredValue(object(cell, 'userEnteredValue', place), `${place}.cell`);
    if (value === '') batch.add({ kind: 'clear', sheet: sheet.id, area: range });
    else if (typeof value === 'object') repeatFormula(batch, sheet, range, withGroupMode(value.formula));
    else
      batch.put(
        sheet,
        range.top,
        range.left,
        Array.from({ length: height }, () => Array<Input>(width).fill(value)),
        'raw',
      );
  }
  const format = maskOf(mask, 'userEnteredFormat');
  if (format !== undefined) {
    const own = object(cell, 'userEnteredFormat', place) ?? {};
    yield* restyle(batch, sheet, range, readCellFormat(own, `${place}.cell.user_entered_format`), format);
  }
  if (names(mask, 'note')) repeatNote(batch, sheet, range, text(cell, 'note', place) ?? '');
  if (names(mask, 'dataValidation')) {
    const rule = object(cell, 'dataValidation', place);
    setRule(batch, sheet, range, rule === undefined ? null : storedRule(rule, place));
  }
  return {};
};

/** References are relative to the cell, as in a filled formula. */
function repeatFormula(batch: RequestBatch, sheet: WorkingSheet, range: Area, formula: string): void {
  batch.put(sheet, range.top, range.left, [[formula]], 'user');
  const first = { top: range.top, left: range.left, bottom: range.top, right: range.left };
  if (areaSize(range) > 1) batch.add({ kind: 'fill', sheet: sheet.id, area: first, to: range });
}

const MAX_NOTES = 10_000;

function repeatNote(batch: RequestBatch, sheet: WorkingSheet, range: Area, note: string): void {
  if (note !== '' && areaSize(range) > MAX_NOTES) throw invalid(`A request can write ${MAX_NOTES} notes at most.`);
  const texts = noteTexts(note);
  const cells: Area[] = [];
  for (let row = range.top; note !== '' && row <= range.bottom; row++) {
    for (let column = range.left; column <= range.right; column++) {
      cells.push({ top: row, left: column, bottom: row, right: column });
    }
  }
  const attachments = cells.map((cell) => ({ areas: [cell], texts }));
  batch.add({ kind: 'attach', sheet: sheet.id, attachment: NOTE, key: null, within: range, attachments });
}

export const appendCells: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['sheetId', 'rows', 'fields'], place);
  const mask = cellMask(members, place);
  const sheet = batch.sheet(members, place);
  const cells = batch.cells(sheet);
  const table = tableAt(placeOf(cells, WHOLE, true));
  const top = cells.extent().rows;
  yield* writeRows(batch, sheet, top, table?.left ?? 0, rowsOf(members, place), mask, place);
  return {};
};

const BORDER_SIDES = ['top', 'bottom', 'left', 'right'] as const;

export const updateBorders: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['range', ...BORDER_SIDES, 'innerHorizontal', 'innerVertical'], place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  batch.guard(sheet, range);
  const { top, left, bottom, right } = range;
  const set = function* (side: string, area: Area, border: RequestObject | undefined) {
    if (border === undefined || area.bottom < area.top || area.right < area.left) return;
    const line = readBorder(border, place);
    const mask: Mask = new Map([['borders', new Map([[side, null]])]]);
    yield* restyle(batch, sheet, area, line === undefined ? {} : { borders: { [side]: line } }, mask);
  };
  yield* set('top', { ...range, bottom: top }, object(members, 'top', place));
  yield* set('bottom', { ...range, top: bottom }, object(members, 'bottom', place));
  yield* set('left', { ...range, right: left }, object(members, 'left', place));
  yield* set('right', { ...range, left: right }, object(members, 'right', place));
  const horizontal = object(members, 'innerHorizontal', place);
  yield* set('bottom', { ...range, bottom: bottom - 1 }, horizontal);
  yield* set('top', { ...range, top: top + 1 }, horizontal);
  const vertical = object(members, 'innerVertical', place);
  yield* set('right', { ...range, right: right - 1 }, vertical);
  yield* set('left', { ...range, left: left + 1 }, vertical);
  return {};
};

export const setDataValidation: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range', 'rule', 'filteredRowsIncluded'], place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  batch.guard(sheet, range);
  const rule = object(members, 'rule', place);
  setRule(batch, sheet, range, rule === undefined ? null : storedRule(rule, `${place}.rule`));
  return {};
};

const MERGES = ['MERGE_ALL', 'MERGE_ROWS', 'MERGE_COLUMNS'];

export const mergeCells: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range', 'mergeType'], place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  const type = text(members, 'mergeType', place) ?? 'MERGE_ALL';
  if (!MERGES.includes(type)) throw invalid(`Invalid value for mergeType: ${type.slice(0, 50)}`);
  batch.guard(sheet, range);
  const { top, left, bottom, right } = range;
  const areas = mergedAreas(range, type).filter((area) => areaSize(area) > 1);
  if (areas.length === 0) return {};
  const clear = (area: Area) => {
    if (area.bottom >= area.top && area.right >= area.left) batch.add({ kind: 'clear', sheet: sheet.id, area });
  };
  // Every merged range keeps the value of its first cell.
  if (type !== 'MERGE_COLUMNS') clear({ top, left: left + 1, bottom, right });
  if (type === 'MERGE_COLUMNS') clear({ top: top + 1, left, bottom, right });
  if (type === 'MERGE_ALL') clear({ top: top + 1, left, bottom, right: left });
  batch.add({ kind: 'mergeCells', sheet: sheet.id, areas });
  return {};
};

const MAX_MERGES = 100_000;

function mergedAreas({ top, left, bottom, right }: Area, type: string): readonly Area[] {
  if (type === 'MERGE_ALL') return [{ top, left, bottom, right }];
  const isRows = type === 'MERGE_ROWS';
  const length = isRows ? bottom - top + 1 : right - left + 1;
  if (length > MAX_MERGES) throw invalid(`A request can merge ${MAX_MERGES} ranges at most.`);
  return Array.from({ length }, (_, i) =>
    isRows ? { top: top + i, left, bottom: top + i, right } : { top, left: left + i, bottom, right: left + i },
  );
}

export const unmergeCells: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range'], place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  batch.guard(sheet, range);
  batch.add({ kind: 'unmergeCells', sheet: sheet.id, area: range });
  return {};
};
