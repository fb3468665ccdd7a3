import type { Area, Sheet } from '@cellwire/engine';
import { CELLS_PER_EDIT } from '../../limits/google.ts';
import { flag, integer, object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { type ValueMatrix, widthOf } from '../values/matrix.ts';
import { CellRenderer } from '../values/render.ts';
import { CellRows } from './cell-rows.ts';
import { delimitedRows } from './delimited-text.ts';
import { dimensionRange } from './dimension-range.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

/** The filled part of an area. */
function clipToExtent(sheet: Sheet, { top, left, bottom, right }: Area): Area | null {
  const { rows, columns } = sheet.extent();
  const area = { top, left, bottom: Math.min(bottom, rows - 1), right: Math.min(right, columns - 1) };
  return area.bottom < top || area.right < left ? null : area;
}

export const findReplace: RequestHandler = function* (batch, members, place): RequestSteps {
  const ownMembers = ['find', 'replacement', 'matchCase', 'matchEntireCell', 'searchByRegex', 'includeFormulas'];
  refuseUnknown(members, [...ownMembers, 'range', 'sheetId', 'allSheets'], place);
  const find = text(members, 'find', place) ?? '';
  if (find === '') throw invalid('find must not be empty.');
  if (flag(members, 'searchByRegex', place)) throw invalid('searchByRegex is not supported.');
  const replacement = text(members, 'replacement', place) ?? '';
  const matchCase = flag(members, 'matchCase', place) ?? false;
  const isEntire = flag(members, 'matchEntireCell', place) ?? false;
  const withFormulas = flag(members, 'includeFormulas', place) ?? false;
  const pattern = new RegExp(find.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), matchCase ? 'gu' : 'giu');
  const counts = { valuesChanged: 0, formulasChanged: 0, rowsChanged: 0, sheetsChanged: 0, occurrencesChanged: 0 };
  for (const { sheet, area } of searchAreas(batch, members, place)) {
    const cells = batch.cells(sheet);
    const within = clipToExtent(cells, area ?? wholeSheet(sheet));
    if (within === null) continue;
    batch.countScanned(within);
    const renderer = new CellRenderer(batch.currentState(), cells);
    const writer = new CellRows<string>((row, column, matrix) => {
      batch.enter(sheet, row, column, matrix, 'USER_ENTERED');
    });
    let hasChanged = false;
    for (let row = within.top; row <= within.bottom; row++) {
      let rowHasChanged = false;
      for (let column = within.left; column <= within.right; column++) {
        if (batch.endsStep()) yield;
        const formula = renderer.formula(row, column);
        if (formula !== null && !withFormulas) continue;
        const shown = formula ?? String(renderer.value(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? '');
        const found = shown === '' ? 0 : occurrences(shown, pattern, isEntire);
        if (found === 0) continue;
        const next = isEntire ? replacement : shown.replaceAll(pattern, () => replacement);
        counts.occurrencesChanged += found;
        if (formula === null) counts.valuesChanged++;
        else counts.formulasChanged++;
        rowHasChanged = true;
        batch.guard(sheet, { top: row, left: column, bottom: row, right: column });
        writer.add(row, column, next);
        // Examining the protected ranges may take longer than examining the cell.
        yield;
      }
      if (rowHasChanged) counts.rowsChanged++;
      hasChanged ||= rowHasChanged;
    }
    writer.flush();
    if (hasChanged) counts.sheetsChanged++;
  }
  const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return { findReplace: shown };
};

function wholeSheet({ grid }: WorkingSheet): Area {
  return { top: 0, left: 0, bottom: grid.rows - 1, right: grid.columns - 1 };
}

function occurrences(shown: string, pattern: RegExp, isEntire: boolean): number {
  const matches = shown.match(pattern) ?? [];
  if (!isEntire) return matches.length;
  return matches.length === 1 && matches[0]?.length === shown.length ? 1 : 0;
}

function searchAreas(
  batch: RequestBatch,
  members: RequestObject,
  place: string,
): readonly { readonly sheet: WorkingSheet; readonly area: Area | null }[] {
  const range = object(members, 'range', place);
  if (range !== undefined) {
    const { sheet, range: area } = batch.range(range, `${place}.range`);
    return [{ sheet, area }];
  }
  if (flag(members, 'allSheets', place)) {
    const visibleSheets = batch.sheets.filter(({ id }) => !batch.access.hiddenSheets.has(id));
    return visibleSheets.map((sheet) => ({ sheet, area: null }));
  }
  if (integer(members, 'sheetId', place) === undefined)
    throw invalid('One of range, sheetId or allSheets must be set.');
  return [{ sheet: batch.sheet(members, place), area: null }];
}

export const pasteData: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['coordinate', 'data', 'type', 'delimiter', 'html'], place);
  if (flag(members, 'html', place)) throw invalid('html is not supported; send data with a delimiter.');
  const coordinate = object(members, 'coordinate', place) ?? {};
  const sheet = batch.sheet(coordinate, `${place}.coordinate`);
  const row = integer(coordinate, 'rowIndex', place) ?? 0;
  const column = integer(coordinate, 'columnIndex', place) ?? 0;
  batch.clampRange(sheet, { top: row, left: column, bottom: row, right: column });
  const delimiter = text(members, 'delimiter', place) ?? '';
  if (delimiter === '') throw invalid('delimiter must not be empty.');
  const matrix: (readonly string[])[] = [];
  for (const fields of delimitedRows(text(members, 'data', place) ?? '', delimiter)) {
    if (batch.endsStep(fields.length)) yield;
    matrix.push(fields);
  }
  yield* enterMatrix(batch, sheet, row, column, matrix);
  return {};
};

const DELIMITERS: Readonly<Record<string, string>> = { COMMA: ',', SEMICOLON: ';', PERIOD: '.', SPACE: ' ' };

export const textToColumns: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['source', 'delimiter', 'delimiterType'], place);
  const source = object(members, 'source', place);
  if (source === undefined) throw invalid('source is required.');
  const { sheet, range } = batch.range(source, `${place}.source`);
  if (range.left !== range.right) throw invalid('The source must be one column.');
  const cells = batch.cells(sheet);
  const within = clipToExtent(cells, range);
  if (within === null) return {};
  batch.countScanned(within);
  const renderer = new CellRenderer(batch.currentState(), cells);
  const texts: string[] = [];
  for (let row = within.top; row <= within.bottom; row++) {
    if (batch.endsStep()) yield;
    texts.push(String(renderer.value(row, within.left, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? ''));
  }
  const delimiter = yield* delimiterOf(batch, members, texts, place);
  const matrix: ValueMatrix[number][] = [];
  for (const one of texts) {
    if (batch.endsStep()) yield;
    matrix.push(one === '' ? [null] : one.split(delimiter));
  }
  yield* enterMatrix(batch, sheet, within.top, within.left, matrix);
  return {};
};

/** Enters a matrix, some rows with each edit. */
function* enterMatrix(
  batch: RequestBatch,
  sheet: WorkingSheet,
  row: number,
  column: number,
  matrix: ValueMatrix,
): Generator<void, void> {
  const width = Math.max(1, widthOf(matrix));
  const area = { top: row, left: column, bottom: row + matrix.length - 1, right: column + width - 1 };
  batch.guard(sheet, area);
  batch.grow(sheet, { rows: area.bottom + 1, columns: area.right + 1 });
  const rowsPerEdit = Math.max(1, Math.floor(CELLS_PER_EDIT / width));
  for (let from = 0; from < matrix.length; from += rowsPerEdit) {
    batch.enter(sheet, row + from, column, matrix.slice(from, from + rowsPerEdit), 'USER_ENTERED');
    yield;
  }
}

function* delimiterOf(
  batch: RequestBatch,
  members: RequestObject,
  texts: readonly string[],
  place: string,
): Generator<void, string> {
  const type = text(members, 'delimiterType', place) ?? 'AUTODETECT';
  if (type === 'CUSTOM') {
    const own = text(members, 'delimiter', place) ?? '';
    if (own === '') throw invalid('delimiter must not be empty.');
    return own;
  }
  if (type !== 'AUTODETECT') {
    const delimiter = DELIMITERS[type];
    if (delimiter === undefined) throw invalid(`delimiterType ${type.slice(0, 50)} is not known.`);
    return delimiter;
  }
  const marks = Object.values(DELIMITERS);
  const counts = marks.map(() => 0);
  for (const one of texts) {
    if (batch.endsStep()) yield;
    for (const [i, mark] of marks.entries()) if (one.includes(mark)) counts[i] = (counts[i] ?? 0) + 1;
  }
  return marks[counts.indexOf(Math.max(...counts))] ?? ',';
}

export const trimWhitespace: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['range'], place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  batch.guard(sheet, range);
  const cells = batch.cells(sheet);
  const within = clipToExtent(cells, range);
  if (within !== null) batch.countScanned(within);
  const writer = new CellRows<string>((row, column, matrix) => batch.put(sheet, row, column, matrix, 'raw'));
  let cellsChangedCount = 0;
  for (let row = within?.top ?? 0; within !== null && row <= within.bottom; row++) {
    for (let column = within.left; column <= within.right; column++) {
      if (batch.endsStep()) yield;
      const value = cells.value(row, column);
      if (typeof value !== 'string' || cells.run(row, column) !== undefined) continue;
      const trimmed = value.trim().replaceAll(/\s+/g, ' ');
      if (trimmed === value) continue;
      cellsChangedCount++;
      writer.add(row, column, trimmed);
    }
  }
  writer.flush();
  return { trimWhitespace: cellsChangedCount === 0 ? {} : { cellsChangedCount } };
};

export const deleteDuplicates: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range', 'comparisonColumns'], place);
  const sent = object(members, 'range', place);
  if (sent === undefined) throw invalid('range is required.');
  const { sheet, range } = batch.range(sent, `${place}.range`);
  batch.guard(sheet, range);
  const within = clipToExtent(batch.cells(sheet), range);
  const listed = objects(members, 'comparisonColumns', place) ?? [];
  const columns = listed.flatMap((column, i) => {
    const { axis, first, last } = dimensionRange(batch, column, `${place}.comparison_columns[${i}]`);
    if (axis !== 'columns') throw invalid('comparisonColumns must be columns.');
    return Array.from({ length: last - first + 1 }, (_, j) => first + j);
  });
  const all = Array.from({ length: range.right - range.left + 1 }, (_, i) => range.left + i);
  batch.add({ kind: 'removeDuplicates', sheet: sheet.id, area: range, columns: columns.length > 0 ? columns : all });
  const edit = batch.edits.length - 1;
  const width = within === null ? 1 : within.right - within.left + 1;
  return (cells) => {
    const removedRows = Math.round(cells(edit) / width);
    return { deleteDuplicates: removedRows === 0 ? {} : { duplicatesRemovedCount: removedRows } };
  };
};
