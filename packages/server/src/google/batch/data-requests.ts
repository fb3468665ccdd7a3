import { CELLS_PER_EDIT } from '../../limits/google.ts';
import type { PlanSteps } from '../call.ts';
import {
  type RequestObject,
  readFlag,
  readInteger,
  readObject,
  readObjects,
  readText,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { measureWidth, type ValueMatrix } from '../values/matrix.ts';
import { CellRenderer } from '../values/render.ts';
import { CellRows } from './cell-rows.ts';
import { parseDelimitedRows } from './delimited-text.ts';
import { parseDimensionRange } from './dimension-range.ts';
import { clipToExtent } from './filled-area.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

/** Enters a text with delimited fields from a cell on. */
export const pasteData: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['coordinate', 'data', 'type', 'delimiter', 'html'], path);
  if (readFlag(members, 'html', path)) throw createInvalidProblem('html is not supported; send data with a delimiter.');
  const coordinate = readObject(members, 'coordinate', path) ?? {};
  refuseUnknownMembers(coordinate, ['sheetId', 'rowIndex', 'columnIndex'], `${path}.coordinate`);
  const sheet = batch.requireSheet(coordinate, `${path}.coordinate`);
  const row = readInteger(coordinate, 'rowIndex', path) ?? 0;
  const column = readInteger(coordinate, 'columnIndex', path) ?? 0;
  batch.clampRange(sheet, { top: row, left: column, bottom: row, right: column });
  const delimiter = readText(members, 'delimiter', path) ?? '';
  if (delimiter === '') throw createInvalidProblem('delimiter must not be empty.');
  const matrix: (readonly string[])[] = [];
  for (const fields of parseDelimitedRows(readText(members, 'data', path) ?? '', delimiter)) {
    if (batch.endsStep(fields.length)) yield;
    matrix.push(fields);
  }
  yield* enterMatrix(batch, sheet, row, column, matrix);
  return {};
};

const DELIMITERS: Readonly<Record<string, string>> = { COMMA: ',', SEMICOLON: ';', PERIOD: '.', SPACE: ' ' };

/** Divides the texts of one column at a delimiter into several columns. */
export const textToColumns: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['source', 'delimiter', 'delimiterType'], path);
  const named = readDelimiter(members, path);
  const source = readObject(members, 'source', path);
  if (source === undefined) throw createInvalidProblem('source is required.');
  const { sheet, range } = batch.parseRange(source, `${path}.source`);
  if (range.left !== range.right) throw createInvalidProblem('The source must be one column.');
  const cells = yield* batch.calculateSheet(sheet);
  const within = clipToExtent(cells, range);
  if (within === null) return {};
  batch.countScannedCells(within);
  const renderer = new CellRenderer(yield* batch.calculateState(), cells);
  const texts: string[] = [];
  for (let row = within.top; row <= within.bottom; row++) {
    if (batch.endsStep()) yield;
    texts.push(String(renderer.renderValue(row, within.left, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? ''));
  }
  const delimiter = named ?? (yield* detectDelimiter(batch, texts));
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
): PlanSteps<void> {
  const width = Math.max(1, measureWidth(matrix));
  const area = { top: row, left: column, bottom: row + matrix.length - 1, right: column + width - 1 };
  batch.refuseProtectedArea(sheet, area);
  batch.growGrid(sheet, { rows: area.bottom + 1, columns: area.right + 1 });
  const rowsPerEdit = Math.max(1, Math.floor(CELLS_PER_EDIT / width));
  for (let from = 0; from < matrix.length; from += rowsPerEdit) {
    batch.enterMatrix(sheet, row + from, column, matrix.slice(from, from + rowsPerEdit), 'USER_ENTERED');
    yield;
  }
}

/** The delimiter that a request names; null: it has to be detected. */
function readDelimiter(members: RequestObject, path: string): string | null {
  const type = readText(members, 'delimiterType', path) ?? 'AUTODETECT';
  if (type === 'AUTODETECT') return null;
  if (type === 'CUSTOM') {
    const own = readText(members, 'delimiter', path) ?? '';
    if (own === '') throw createInvalidProblem('delimiter must not be empty.');
    return own;
  }
  const delimiter = DELIMITERS[type];
  if (delimiter === undefined) throw createInvalidProblem(`delimiterType ${type.slice(0, 50)} is not known.`);
  return delimiter;
}

/** The delimiter that most texts contain; the comma if none does. */
function* detectDelimiter(batch: RequestBatch, texts: readonly string[]): PlanSteps<string> {
  const marks = Object.values(DELIMITERS);
  const counts = marks.map(() => 0);
  for (const one of texts) {
    if (batch.endsStep()) yield;
    for (const [i, mark] of marks.entries()) if (one.includes(mark)) counts[i] = (counts[i] ?? 0) + 1;
  }
  return marks[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Removes the blanks at the ends of texts and repeated blanks within them. */
export const trimWhitespace: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range'], path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  batch.refuseProtectedArea(sheet, range);
  const cells = yield* batch.calculateSheet(sheet);
  const within = clipToExtent(cells, range);
  if (within !== null) batch.countScannedCells(within);
  const writer = new CellRows<string>((row, column, matrix) => batch.putValues(sheet, row, column, matrix, 'raw'));
  let cellsChangedCount = 0;
  for (let row = within?.top ?? 0; within !== null && row <= within.bottom; row++) {
    for (let column = within.left; column <= within.right; column++) {
      if (batch.endsStep()) yield;
      const value = cells.value(row, column);
      if (typeof value !== 'string' || cells.run(row, column) !== undefined) continue;
      const trimmed = value.trim().replaceAll(/\s+/g, ' ');
      if (trimmed === value) continue;
      cellsChangedCount++;
      writer.addCell(row, column, trimmed);
    }
  }
  writer.flushRows();
  return { trimWhitespace: cellsChangedCount === 0 ? {} : { cellsChangedCount } };
};

/** Deletes rows of a range whose values repeat the values of an earlier row. */
export const deleteDuplicates: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range', 'comparisonColumns'], path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  batch.refuseProtectedArea(sheet, range);
  const within = clipToExtent(yield* batch.calculateSheet(sheet), range);
  const listed = readObjects(members, 'comparisonColumns', path) ?? [];
  const columns = listed.flatMap((column, i) => {
    const { axis, first, last } = parseDimensionRange(batch, column, `${path}.comparison_columns[${i}]`);
    if (axis !== 'columns') throw createInvalidProblem('comparisonColumns must be columns.');
    return Array.from({ length: last - first + 1 }, (_, j) => first + j);
  });
  const all = Array.from({ length: range.right - range.left + 1 }, (_, i) => range.left + i);
  batch.addEdits({
    kind: 'removeDuplicates',
    sheet: sheet.id,
    area: range,
    columns: columns.length > 0 ? columns : all,
  });
  const edit = batch.edits.length - 1;
  const width = within === null ? 1 : within.right - within.left + 1;
  return (cells) => {
    const removedRows = Math.round(cells(edit) / width);
    return { deleteDuplicates: removedRows === 0 ? {} : { duplicatesRemovedCount: removedRows } };
  };
};
