import { randomInt } from 'node:crypto';
import { type Area, type Edit, height as heightOf, type Input, type Sheet, width as widthOf } from '@cellwire/engine';
import { CELLS_PER_EDIT } from '../../limits/google.ts';
import { choice, flag, integer, object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { CellRenderer } from '../values/render.ts';
import { CellRows } from './cell-rows.ts';
import { axisOf } from './dimension-range.ts';
import { inputOf, PASTES, type Paste, type PastePlace, pasteEdits, pasteFormatRules, pasteRules } from './paste.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingRange, WorkingSheet } from './state.ts';

function rangeOf(batch: RequestBatch, members: RequestObject, name: string, place: string): WorkingRange {
  const sent = object(members, name, place);
  if (sent === undefined) throw invalid(`${name} is required.`);
  return batch.range(sent, `${place}.${name}`);
}

const SORT_ORDERS = ['ASCENDING', 'DESCENDING'] as const;

export const sortRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range', 'sortSpecs'], place);
  const { sheet, range } = rangeOf(batch, members, 'range', place);
  batch.guard(sheet, range);
  batch.refuseHidden(sheet);
  const by = (objects(members, 'sortSpecs', place) ?? []).map((spec, i) => {
    const at = `${place}.sort_specs[${i}]`;
    refuseUnknown(spec, ['dimensionIndex', 'sortOrder'], at);
    const column = integer(spec, 'dimensionIndex', at) ?? 0;
    if (column < range.left || column > range.right) {
      throw invalid(`sortSpecs[${i}].dimensionIndex ${column} must lie in the range.`);
    }
    return { column, descending: choice(spec, 'sortOrder', SORT_ORDERS, at) === 'DESCENDING' };
  });
  if (by.length === 0) throw invalid('sortSpecs must name at least one column.');
  batch.add({ kind: 'sort', sheet: sheet.id, area: range, by });
  return {};
};

const ORIENTATIONS = ['NORMAL', 'TRANSPOSE'] as const;

function pasteOf(members: RequestObject, place: string): Paste {
  const value = text(members, 'pasteType', place) ?? 'PASTE_NORMAL';
  const found = PASTES.find((one) => one === value);
  if (found === undefined) throw invalid(`pasteType ${value.slice(0, 50)} is not supported.`);
  return found;
}

export const copyPaste: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['source', 'destination', 'pasteType', 'pasteOrientation'], place);
  const source = rangeOf(batch, members, 'source', place);
  const destination = rangeOf(batch, members, 'destination', place);
  const paste = pasteOf(members, place);
  const isTransposed = choice(members, 'pasteOrientation', ORIENTATIONS, place) === 'TRANSPOSE';
  batch.refuseHidden(source.sheet);
  const [height, width] = isTransposed
    ? [widthOf(source.range), heightOf(source.range)]
    : [heightOf(source.range), widthOf(source.range)];
  // If the destination is a multiple of the source, it is filled. Otherwise only its first cell counts.
  const { top, left } = destination.range;
  const down = Math.max(1, Math.floor(heightOf(destination.range) / height));
  const across = Math.max(1, Math.floor(widthOf(destination.range) / width));
  const area = { top, left, bottom: top + down * height - 1, right: left + across * width - 1 };
  batch.guard(destination.sheet, area);
  const places: PastePlace[] = [];
  for (let i = 0; i < down; i++) {
    for (let j = 0; j < across; j++) {
      places.push({ sheet: destination.sheet, row: top + i * height, column: left + j * width, isTransposed });
    }
  }
  // Everything is read before the first edit: reading after an edit costs a calculation.
  const edits: Edit[] = [];
  for (const to of places) {
    for (const edit of yield* pasteEdits(batch, source, to, paste)) edits.push(edit);
    if (batch.endsStep()) yield;
  }
  if (paste === 'PASTE_FORMAT' || paste === 'PASTE_DATA_VALIDATION') {
    for (const to of places) pasteRules(batch, source, to);
  }
  if (paste === 'PASTE_CONDITIONAL_FORMATTING') for (const to of places) pasteFormatRules(batch, source, to);
  batch.grow(destination.sheet, { rows: area.bottom + 1, columns: area.right + 1 });
  for (const edit of edits) batch.add(edit);
  return {};
};

export const cutPaste: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['source', 'destination', 'pasteType'], place);
  const source = rangeOf(batch, members, 'source', place);
  if (pasteOf(members, place) !== 'PASTE_NORMAL') throw invalid('pasteType must be PASTE_NORMAL: all data is moved.');
  const destination = object(members, 'destination', place) ?? {};
  refuseUnknown(destination, ['sheetId', 'rowIndex', 'columnIndex'], `${place}.destination`);
  const to = batch.sheet(destination, `${place}.destination`);
  const row = integer(destination, 'rowIndex', place) ?? 0;
  const column = integer(destination, 'columnIndex', place) ?? 0;
  batch.clampRange(to, { top: row, left: column, bottom: row, right: column });
  const area = {
    top: row,
    left: column,
    bottom: row + heightOf(source.range) - 1,
    right: column + widthOf(source.range) - 1,
  };
  batch.guard(source.sheet, source.range);
  batch.guard(to, area);
  batch.refuseHidden(source.sheet);
  batch.grow(to, { rows: area.bottom + 1, columns: area.right + 1 });
  const isSame = source.sheet.id === to.id && source.range.top === row && source.range.left === column;
  if (isSame) return {};
  const move = { kind: 'carry', sheet: source.sheet.id, area: source.range, toSheet: to.id, row, column } as const;
  batch.add({ kind: 'moveCells', move });
  for (const sheet of [source.sheet, to]) batch.setGrid(sheet, batch.latest(sheet).grid);
  return {};
};

export const autoFill: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['useAlternateSeries', 'range', 'sourceAndDestination'], place);
  if (flag(members, 'useAlternateSeries', place)) throw invalid('useAlternateSeries is not supported.');
  const pair = object(members, 'sourceAndDestination', place);
  if (pair === undefined) {
    const { sheet, range } = rangeOf(batch, members, 'range', place);
    const source = yield* filledPart(batch, batch.cells(sheet), range);
    if (source !== null) yield* fillFrom(batch, sheet, source, range);
    return {};
  }
  const at = `${place}.source_and_destination`;
  const { sheet, range: source } = rangeOf(batch, pair, 'source', at);
  const length = integer(pair, 'fillLength', at) ?? 0;
  const isRows = axisOf(pair, at) === 'rows';
  const to = isRows
    ? { ...source, top: source.top + Math.min(length, 0), bottom: source.bottom + Math.max(length, 0) }
    : { ...source, left: source.left + Math.min(length, 0), right: source.right + Math.max(length, 0) };
  if (to.top < 0 || to.left < 0) throw invalid('The fill goes beyond the sheet.');
  batch.grow(sheet, { rows: to.bottom + 1, columns: to.right + 1 });
  yield* fillFrom(batch, sheet, source, to);
  return {};
};

/** The rows at the top of a range that hold something. */
function* filledPart(batch: RequestBatch, sheet: Sheet, range: Area): Generator<void, Area | null> {
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
function* fillFrom(batch: RequestBatch, sheet: WorkingSheet, source: Area, to: Area): Generator<void, void> {
  batch.guard(sheet, to);
  const cells = batch.cells(sheet);
  batch.add({ kind: 'fill', sheet: sheet.id, area: source, to });
  const isDown = heightOf(to) > heightOf(source);
  const [from, count] = isDown ? [source.left, widthOf(source)] : [source.top, heightOf(source)];
  for (let line = from; line < from + count; line++) {
    const length = isDown ? heightOf(source) : widthOf(source);
    const place = (i: number) => (isDown ? ([source.top + i, line] as const) : ([line, source.left + i] as const));
    const numbers: number[] = [];
    for (let i = 0; i < length; i++) {
      if (batch.endsStep()) yield;
      const value = cells.value(...place(i));
      if (typeof value !== 'number' || cells.run(...place(i)) !== undefined) break;
      numbers.push(value);
    }
    const series = numbers.length === length ? yield* seriesOf(batch, numbers) : null;
    if (series === null) continue;
    const [start, end] = isDown ? [to.top, to.bottom] : [to.left, to.right];
    const first = isDown ? source.top : source.left;
    const values: number[] = [];
    for (let at = start; at <= end; at++) {
      if (batch.endsStep()) yield;
      values.push(series(at - first));
    }
    if (!isDown) {
      batch.put(sheet, line, start, [values], 'raw');
      continue;
    }
    for (let from = 0; from < values.length; from += CELLS_PER_EDIT) {
      const column = values.slice(from, from + CELLS_PER_EDIT).map((value) => [value]);
      batch.put(sheet, start + from, line, column, 'raw');
      yield;
    }
  }
}

/** The series that numbers form, by position. Null: there are less than two, or their steps differ. */
function* seriesOf(
  batch: RequestBatch,
  numbers: readonly number[],
): Generator<void, ((position: number) => number) | null> {
  const [first, second] = numbers;
  if (first === undefined || second === undefined) return null;
  const step = second - first;
  for (const [i, value] of numbers.entries()) {
    if (batch.endsStep()) yield;
    if (Math.abs(value - (first + i * step)) >= 1e-9 * Math.max(1, Math.abs(value))) return null;
  }
  return (position) => first + position * step;
}

export const randomizeRange: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['range'], place);
  const { sheet, range } = rangeOf(batch, members, 'range', place);
  batch.guard(sheet, range);
  const cells = batch.cells(sheet);
  const last = Math.min(range.bottom, cells.extent().rows - 1);
  const right = Math.min(range.right, cells.extent().columns - 1);
  batch.countScanned({ ...range, bottom: last, right });
  const rows: number[] = [];
  // Each row takes a random place among those before it, whose row comes last instead.
  for (let row = range.top; row <= last; row++) {
    if (batch.endsStep()) yield;
    const j = randomInt(rows.length + 1);
    rows.push(rows[j] ?? row);
    rows[j] = row;
  }
  const renderer = new CellRenderer(batch.currentState(), cells, 'en-US');
  const values = new CellRows<Input>((row, column, matrix) => batch.put(sheet, row, column, matrix, 'raw'));
  const formulas = new CellRows<Input>((row, column, matrix) => batch.put(sheet, row, column, matrix, 'user'));
  for (const [i, row] of rows.entries()) {
    for (let column = range.left; column <= right; column++) {
      if (batch.endsStep()) yield;
      const formula = renderer.formula(row, column);
      if (formula === null) values.add(range.top + i, column, inputOf(cells.value(row, column)));
      else formulas.add(range.top + i, column, formula);
    }
  }
  values.flush();
  formulas.flush();
  return {};
};
