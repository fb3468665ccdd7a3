import { randomInt } from 'node:crypto';
import { type Area, type Edit, height as heightOf, type Input, type Sheet, width as widthOf } from '@cellwire/engine';
import { CELLS_PER_EDIT } from '../../limits/google.ts';
import type { PlanSteps } from '../call.ts';
import {
  type RequestObject,
  readChoice,
  readFlag,
  readInteger,
  readObject,
  readObjects,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { CellRenderer } from '../values/render.ts';
import { CellRows } from './cell-rows.ts';
import { parseAxis } from './dimension-range.ts';
import {
  buildPasteEdits,
  PASTES,
  type PastePlace,
  type PasteType,
  pasteFormatRules,
  pasteLinks,
  pasteRules,
  toInput,
} from './paste.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingRange, WorkingSheet } from './state.ts';

/** Reads the required `GridRange` of a request. Throws a `Problem` if it is missing. */
function requireRange(batch: RequestBatch, members: RequestObject, name: string, path: string): WorkingRange {
  const sent = readObject(members, name, path);
  if (sent === undefined) throw createInvalidProblem(`${name} is required.`);
  return batch.parseRange(sent, `${path}.${name}`);
}

const SORT_ORDERS = ['ASCENDING', 'DESCENDING'] as const;

/** Sorts the rows of a range by columns. */
export const sortRange: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['range', 'sortSpecs'], path);
  const { sheet, range } = requireRange(batch, members, 'range', path);
  batch.refuseProtectedArea(sheet, range);
  batch.refuseHiddenSheet(sheet);
  const by = (readObjects(members, 'sortSpecs', path) ?? []).map((spec, i) => {
    const at = `${path}.sort_specs[${i}]`;
    refuseUnknownMembers(spec, ['dimensionIndex', 'sortOrder'], at);
    const column = readInteger(spec, 'dimensionIndex', at) ?? 0;
    if (column < range.left || column > range.right) {
      throw createInvalidProblem(`sortSpecs[${i}].dimensionIndex ${column} must lie in the range.`);
    }
    return { column, descending: readChoice(spec, 'sortOrder', SORT_ORDERS, at, 'SortOrder') === 'DESCENDING' };
  });
  if (by.length === 0) throw createInvalidProblem('sortSpecs must name at least one column.');
  batch.addEdits({ kind: 'sort', sheet: sheet.id, area: range, by });
  return {};
};

const ORIENTATIONS = ['NORMAL', 'TRANSPOSE'] as const;

function parsePasteType(members: RequestObject, path: string): PasteType {
  return readChoice(members, 'pasteType', PASTES, path, 'PasteType') ?? 'PASTE_NORMAL';
}

/** The kinds of paste that include formats, to which links belong. */
const WITH_FORMATS: ReadonlySet<PasteType> = new Set(['PASTE_NORMAL', 'PASTE_FORMAT', 'PASTE_NO_BORDERS']);

/** Copies a range to a destination as many times as it fits there as a whole, but at least once. */
export const copyPaste: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['source', 'destination', 'pasteType', 'pasteOrientation'], path);
  const source = requireRange(batch, members, 'source', path);
  const destination = requireRange(batch, members, 'destination', path);
  const paste = parsePasteType(members, path);
  const isTransposed = readChoice(members, 'pasteOrientation', ORIENTATIONS, path, 'PasteOrientation') === 'TRANSPOSE';
  batch.refuseHiddenSheet(source.sheet);
  const [height, width] = isTransposed
    ? [widthOf(source.range), heightOf(source.range)]
    : [heightOf(source.range), widthOf(source.range)];
  // The source is repeated as often as it fits as a whole. A smaller destination counts only by its first cell.
  const { top, left } = destination.range;
  const down = Math.max(1, Math.floor(heightOf(destination.range) / height));
  const across = Math.max(1, Math.floor(widthOf(destination.range) / width));
  const area = { top, left, bottom: top + down * height - 1, right: left + across * width - 1 };
  batch.refuseProtectedArea(destination.sheet, area);
  const places: PastePlace[] = [];
  for (let i = 0; i < down; i++) {
    for (let j = 0; j < across; j++) {
      places.push({ sheet: destination.sheet, row: top + i * height, column: left + j * width, isTransposed });
    }
  }
  // Everything is read before the first edit: reading after an edit costs a calculation.
  const edits: Edit[] = [];
  for (const to of places) {
    for (const edit of yield* buildPasteEdits(batch, source, to, paste)) edits.push(edit);
    if (batch.endsStep()) yield;
  }
  if (WITH_FORMATS.has(paste)) for (const to of places) yield* pasteLinks(batch, source, to);
  if (paste === 'PASTE_FORMAT' || paste === 'PASTE_DATA_VALIDATION') {
    for (const to of places) yield* pasteRules(batch, source, to);
  }
  if (paste === 'PASTE_CONDITIONAL_FORMATTING') for (const to of places) yield* pasteFormatRules(batch, source, to);
  batch.growGrid(destination.sheet, { rows: area.bottom + 1, columns: area.right + 1 });
  for (const edit of edits) batch.addEdits(edit);
  return {};
};

/** Moves a range to another place; references to its cells follow. */
export const cutPaste: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['source', 'destination', 'pasteType'], path);
  const source = requireRange(batch, members, 'source', path);
  if (parsePasteType(members, path) !== 'PASTE_NORMAL')
    throw createInvalidProblem('pasteType must be PASTE_NORMAL: all data is moved.');
  const destination = readObject(members, 'destination', path) ?? {};
  refuseUnknownMembers(destination, ['sheetId', 'rowIndex', 'columnIndex'], `${path}.destination`);
  const to = batch.requireSheet(destination, `${path}.destination`);
  const row = readInteger(destination, 'rowIndex', path) ?? 0;
  const column = readInteger(destination, 'columnIndex', path) ?? 0;
  batch.clampRange(to, { top: row, left: column, bottom: row, right: column });
  const area = {
    top: row,
    left: column,
    bottom: row + heightOf(source.range) - 1,
    right: column + widthOf(source.range) - 1,
  };
  batch.refuseProtectedArea(source.sheet, source.range);
  batch.refuseProtectedArea(to, area);
  batch.refuseHiddenSheet(source.sheet);
  batch.growGrid(to, { rows: area.bottom + 1, columns: area.right + 1 });
  const isSame = source.sheet.id === to.id && source.range.top === row && source.range.left === column;
  if (isSame) return {};
  const move = { kind: 'carry', sheet: source.sheet.id, area: source.range, toSheet: to.id, row, column } as const;
  batch.addEdits({ kind: 'moveCells', move });
  for (const sheet of [source.sheet, to]) batch.setGrid(sheet, batch.getCurrentSheet(sheet).grid);
  return {};
};

/** Continues the filled part of a range into the rest of it, or a source into the adjacent rows or columns. */
export const autoFill: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['useAlternateSeries', 'range', 'sourceAndDestination'], path);
  if (readFlag(members, 'useAlternateSeries', path)) throw createInvalidProblem('useAlternateSeries is not supported.');
  const pair = readObject(members, 'sourceAndDestination', path);
  if (pair === undefined) {
    const { sheet, range } = requireRange(batch, members, 'range', path);
    const source = yield* findFilledPart(batch, yield* batch.calculateSheet(sheet), range);
    if (source !== null) yield* fillArea(batch, sheet, source, range);
    return {};
  }
  const at = `${path}.source_and_destination`;
  refuseUnknownMembers(pair, ['source', 'dimension', 'fillLength'], at);
  const { sheet, range: source } = requireRange(batch, pair, 'source', at);
  const length = readInteger(pair, 'fillLength', at) ?? 0;
  const isRows = parseAxis(pair, at) === 'rows';
  const to = isRows
    ? { ...source, top: source.top + Math.min(length, 0), bottom: source.bottom + Math.max(length, 0) }
    : { ...source, left: source.left + Math.min(length, 0), right: source.right + Math.max(length, 0) };
  if (to.top < 0 || to.left < 0) throw createInvalidProblem('The fill goes beyond the sheet.');
  batch.growGrid(sheet, { rows: to.bottom + 1, columns: to.right + 1 });
  yield* fillArea(batch, sheet, source, to);
  return {};
};

/** The rows at the top of a range that hold something. */
function* findFilledPart(batch: RequestBatch, sheet: Sheet, range: Area): PlanSteps<Area | null> {
  const isFilled = (row: number) => {
    for (let column = range.left; column <= range.right; column++) if (sheet.value(row, column) !== null) return true;
    return false;
  };
  let bottom = range.top - 1;
  while (bottom < range.bottom && isFilled(bottom + 1)) {
    bottom++;
    if (batch.endsStep(widthOf(range))) yield;
  }
  return bottom < range.top ? null : { ...range, bottom };
}

/** Repeats cells in both directions; columns or rows of plain numbers continue as a series. */
function* fillArea(batch: RequestBatch, sheet: WorkingSheet, source: Area, target: Area): PlanSteps<void> {
  batch.refuseProtectedArea(sheet, target);
  const cells = yield* batch.calculateSheet(sheet);
  batch.addEdits({ kind: 'fill', sheet: sheet.id, area: source, to: target });
  const isDown = heightOf(target) > heightOf(source);
  const [from, count] = isDown ? [source.left, widthOf(source)] : [source.top, heightOf(source)];
  for (let line = from; line < from + count; line++) {
    const length = isDown ? heightOf(source) : widthOf(source);
    const getPositionInRange = (i: number) =>
      isDown ? ([source.top + i, line] as const) : ([line, source.left + i] as const);
    const numbers: number[] = [];
    for (let i = 0; i < length; i++) {
      if (batch.endsStep()) yield;
      const value = cells.value(...getPositionInRange(i));
      if (typeof value !== 'number' || cells.run(...getPositionInRange(i)) !== undefined) break;
      numbers.push(value);
    }
    const series = numbers.length === length ? yield* findSeries(batch, numbers) : null;
    if (series === null) continue;
    const [start, end] = isDown ? [target.top, target.bottom] : [target.left, target.right];
    const first = isDown ? source.top : source.left;
    const values: number[] = [];
    for (let at = start; at <= end; at++) {
      if (batch.endsStep()) yield;
      values.push(series(at - first));
    }
    if (!isDown) {
      batch.putValues(sheet, line, start, [values], 'raw');
      continue;
    }
    for (let from = 0; from < values.length; from += CELLS_PER_EDIT) {
      const column = values.slice(from, from + CELLS_PER_EDIT).map((value) => [value]);
      batch.putValues(sheet, start + from, line, column, 'raw');
      yield;
    }
  }
}

/** The series that numbers form, by position. Null: there are less than two, or their steps differ. */
function* findSeries(
  batch: RequestBatch,
  numbers: readonly number[],
): PlanSteps<((position: number) => number) | null> {
  const [first, second] = numbers;
  if (first === undefined || second === undefined) return null;
  const step = second - first;
  for (const [i, value] of numbers.entries()) {
    if (batch.endsStep()) yield;
    if (Math.abs(value - (first + i * step)) >= 1e-9 * Math.max(1, Math.abs(value))) return null;
  }
  return (position) => first + position * step;
}

/** Puts the rows of a range in a random order. */
export const randomizeRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range'], path);
  const { sheet, range } = requireRange(batch, members, 'range', path);
  batch.refuseProtectedArea(sheet, range);
  const cells = yield* batch.calculateSheet(sheet);
  const last = Math.min(range.bottom, cells.extent().rows - 1);
  const right = Math.min(range.right, cells.extent().columns - 1);
  batch.countScannedCells({ ...range, bottom: last, right });
  const rows: number[] = [];
  // Shuffles the rows: each row takes the place of a random earlier row, which moves to the end.
  for (let row = range.top; row <= last; row++) {
    if (batch.endsStep()) yield;
    const j = randomInt(rows.length + 1);
    rows.push(rows[j] ?? row);
    rows[j] = row;
  }
  const renderer = new CellRenderer(yield* batch.calculateState(), cells, 'en-US');
  const values = new CellRows<Input>((row, column, matrix) => batch.putValues(sheet, row, column, matrix, 'raw'));
  const formulas = new CellRows<Input>((row, column, matrix) => batch.putValues(sheet, row, column, matrix, 'user'));
  for (const [i, row] of rows.entries()) {
    for (let column = range.left; column <= right; column++) {
      if (batch.endsStep()) yield;
      const formula = renderer.renderFormula(row, column);
      if (formula === null) values.addCell(range.top + i, column, toInput(cells.value(row, column)));
      else formulas.addCell(range.top + i, column, formula);
    }
  }
  values.flushRows();
  formulas.flushRows();
  return {};
};
