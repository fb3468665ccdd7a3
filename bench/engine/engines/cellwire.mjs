import {
  encodeCheckpoint,
  isError,
  pageBytes,
  restoreCheckpoint,
  Workbook,
} from '../../../packages/engine/src/index.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' };
const CONTEXT = {
  now: Date.UTC(2026, 0, 15, 12),
  seed: 1,
  budget: { cells: 1_000_000_000, milliseconds: 600_000, clock: () => performance.now() },
};

const EQUALS = '='.charCodeAt(0);

export const name = 'cellwire';
export const title = 'Cellwire';
export const version = 'this commit';

/**
 * Converts rows to the input of an import as a file reader passes it: cells column by column, formulas as dynamic ones.
 */
export function prepare(rows) {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const cells = [];
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows.length; row++) {
      const value = rows[row][column] ?? null;
      if (value === null) continue;
      if (typeof value === 'string' && value.charCodeAt(0) === EQUALS) {
        cells.push({ row, column, value: null, formula: value.slice(1), dynamic: true });
      } else cells.push({ row, column, value });
    }
  }
  return cells;
}

/** Imports and calculates the prepared cells. Returns the workbook. */
export function build(cells) {
  const workbook = Workbook.import(
    {
      settings: SETTINGS,
      names: [],
      tables: [],
      sheets: [{ name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells }],
    },
    CONTEXT,
  );
  if (!(workbook instanceof Workbook)) throw new Error(`refused: ${workbook.reason}`);
  return workbook;
}

/** Writes a value into a cell and recalculates. */
export function edit(workbook, row, column, value) {
  const sheet = workbook.head.sheets[0].id;
  const outcome = workbook.apply([{ kind: 'setValues', sheet, row, column, values: [[value]], mode: 'raw' }], CONTEXT);
  if (outcome.kind !== 'applied') throw new Error(`refused: ${outcome.reason}`);
}

/** Returns the value of a cell of the first sheet. */
export function read(workbook, row, column) {
  const value = workbook.head.sheets[0].value(row, column);
  return isError(value) ? value.code : value;
}

/** Returns the checkpoint of a workbook, as the service stores it. */
export function store(workbook) {
  return encodeCheckpoint(workbook.head, -1);
}

/** Opens a stored checkpoint. */
export function restore({ meta, chunks }) {
  return Workbook.open(restoreCheckpoint(meta, chunks));
}

/** JSON bytes of a page: rows from `top`, columns from A. */
export function readPage(workbook, top, rows, columns) {
  const area = { top, left: 0, bottom: top + rows - 1, right: columns - 1 };
  return pageBytes(workbook.head, workbook.head.sheets[0].id, area, 'ROWS');
}

/** Inserts an empty row before `row` (zero-based) and recalculates. */
export function insertRow(workbook, row) {
  moveRows(workbook, 'insert', row);
}

/** Deletes a zero-based row and recalculates. */
export function deleteRow(workbook, row) {
  moveRows(workbook, 'delete', row);
}

/** Inserts or deletes one row. `kind`: `insert` or `delete`. `at`: the zero-based row. */
function moveRows(workbook, kind, at) {
  const sheet = workbook.head.sheets[0].id;
  const outcome = workbook.apply([{ kind: 'moveCells', move: { kind, sheet, axis: 'rows', at, count: 1 } }], CONTEXT);
  if (outcome.kind !== 'applied') throw new Error(`refused: ${outcome.reason}`);
}
