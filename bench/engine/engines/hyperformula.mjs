import { HyperFormula } from 'hyperformula';
import { readPackageVersion } from '../../lib/machine.mjs';

/**
 * The fastest settings of HyperFormula: no history, and each of the other options only for workloads that gain from it.
 */
const CONFIG = { licenseKey: 'gpl-v3', maxRows: 1_048_576, undoLimit: 0 };
const CONFIG_OF = { lookups: { useColumnIndex: true }, arrays: { useArrayArithmetic: true } };

export const name = 'hyperformula';
export const title = 'HyperFormula';
export const version = readPackageVersion('hyperformula');

/**
 * Converts rows to sheet contents and settings of HyperFormula. `trait`: selects settings for workloads that gain from
 * them.
 */
export function prepare(rows, trait) {
  return { rows, config: { ...CONFIG, ...CONFIG_OF[trait] } };
}

/** Builds and calculates a sheet. */
export function build({ rows, config }) {
  return HyperFormula.buildFromArray(rows, config);
}

/** Writes a value into a cell and recalculates. */
export function edit(model, row, col, value) {
  model.setCellContents({ sheet: 0, row, col }, value);
}

/** Returns the value of a cell. */
export function read(model, row, col) {
  const value = model.getCellValue({ sheet: 0, row, col });
  return typeof value === 'object' && value !== null ? value.value : value;
}

/** Inserts an empty row before `row` (zero-based) and recalculates. */
export function insertRow(model, row) {
  model.addRows(0, [row, 1]);
}

/** Deletes a zero-based row and recalculates. */
export function deleteRow(model, row) {
  model.removeRows(0, [row, 1]);
}
