import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readPackageVersion } from '../../lib/machine.mjs';
import { formatCellText } from '../cell-text.mjs';

// Suppresses the message that the package prints at every load.
console.debug = () => {};
const require = createRequire(import.meta.url);
const file = require.resolve('@odoo/o-spreadsheet').replace('o_spreadsheet.cjs', 'o_spreadsheet.esm.js');
const { Model } = await import(pathToFileURL(file).href);

export const name = 'o-spreadsheet';
export const title = 'o-spreadsheet';
export const version = readPackageVersion('@odoo/o-spreadsheet');

/** Converts rows to the file format of o-spreadsheet: cell contents as texts by address. */
export function prepare(rows) {
  const cells = {};
  rows.forEach((values, row) => {
    values.forEach((value, column) => {
      if (value !== null) cells[formatCellText(row, column)] = String(value);
    });
  });
  const colNumber = rows.reduce((most, row) => Math.max(most, row.length), 26);
  return { sheets: [{ id: 's', name: 'Sheet1', colNumber, rowNumber: rows.length + 1, cells }] };
}

/** Opens the file content as a calculated model. */
export function build({ sheets }) {
  return new Model({ sheets });
}

/** Writes a value into a cell and recalculates. */
export function edit(model, row, col, value) {
  const result = model.dispatch('UPDATE_CELL', { sheetId: 's', col, row, content: String(value) });
  if (!result.isSuccessful) throw new Error(`refused: ${result.reasons}`);
}

/** Returns the value of a cell. */
export function read(model, row, col) {
  return model.getters.getEvaluatedCell({ sheetId: 's', col, row }).value;
}
