import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initSync, Model } from '@ironcalc/wasm';
import { readPackageVersion } from '../../lib/machine.mjs';

const require = createRequire(import.meta.url);
const { memory } = initSync({
  module: readFileSync(require.resolve('@ironcalc/wasm').replace(/wasm\.js$/, 'wasm_bg.wasm')),
});

export const name = 'ironcalc';
export const title = 'IronCalc (wasm)';
export const version = readPackageVersion('@ironcalc/wasm');

/** Converts rows to the input of IronCalc: typed text, cell by cell. */
export function prepare(rows) {
  return rows.map((row) => row.map((value) => (value === null ? null : String(value))));
}

/** Enters all cells into a new model and calculates it. */
export function build(rows) {
  const model = new Model('book', 'en', 'UTC', 'en');
  model.pauseEvaluation();
  rows.forEach((values, row) => {
    values.forEach((value, column) => {
      if (value !== null) model.setUserInput(0, row + 1, column + 1, value);
    });
  });
  model.resumeEvaluation();
  model.evaluate();
  return model;
}

/** Enters a value into a cell and recalculates. */
export function edit(model, row, column, value) {
  model.setUserInput(0, row + 1, column + 1, String(value));
}

/** Reads a cell. IronCalc returns texts with nine digits. */
export function read(model, row, column) {
  const text = model.getFormattedCellValue(0, row + 1, column + 1);
  const number = Number(text.replaceAll(',', ''));
  return text === '' || Number.isNaN(number) ? text : number;
}

/** Frees the memory of a model, which is outside of the JavaScript heap. */
export function dispose(model) {
  model.free();
}

/** WebAssembly memory, which V8 does not count. */
export function measureForeignBytes() {
  return memory.buffer.byteLength;
}

/** Inserts an empty row before `row` (zero-based) and recalculates. */
export function insertRow(model, row) {
  model.insertRows(0, row + 1, 1);
}

/** Deletes a zero-based row and recalculates. */
export function deleteRow(model, row) {
  model.deleteRows(0, row + 1, 1);
}
