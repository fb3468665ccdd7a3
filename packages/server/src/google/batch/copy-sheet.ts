import { type Input, isError, type Sheet, type Snapshot } from '@cellwire/engine';
import type { AccessRequirements } from '../../access/gate.ts';
import { VALUES_HIDDEN } from '../../service/refusal.ts';
import {
  commitPlannedEdits,
  type GoogleCall,
  type GoogleMethod,
  openCallReading,
  READS,
  readSnapshot,
  requireCallDocument,
  requireRequestBody,
  toJsonAnswer,
} from '../call.ts';
import { readText } from '../json.ts';
import { createInvalidProblem, toProblem } from '../problem.ts';
import { describeSheet } from '../sheets/properties.ts';
import { computeGridSize, findSheetById } from '../sheets/state.ts';
import { readSheetView } from '../sheets/views.ts';
import { CellRenderer } from '../values/render.ts';
import { findFreeCopyName } from './copy-name.ts';
import { RequestBatch, type WorkingSheet } from './state.ts';

/** POST `spreadsheets/{id}/sheets/{sheetId}:copyTo`. */
export const copySheet: GoogleMethod = {
  requires: READS,
  writes: true,
  async run(call, { sheetId = '' }) {
    const body = requireRequestBody(call, ['destinationSpreadsheetId']);
    const destination = readText(body, 'destinationSpreadsheetId', '') ?? '';
    if (destination === '') throw createInvalidProblem('destinationSpreadsheetId is required.');
    // The rights on the destination are checked first.
    const needs: AccessRequirements = { scope: 'sheets.write', feature: 'sheetOperations', writes: true };
    const target = await call.openOther(destination, needs);
    const { snapshot } = await openCallReading(call);
    const source = findSheetById(snapshot, Number(sheetId));
    if (source === undefined) throw createInvalidProblem(`No grid with id: ${sheetId.slice(0, 20)}`);
    if (requireCallDocument(call).hiddenSheets.has(source.id)) throw toProblem(VALUES_HIDDEN);
    const inside: GoogleCall = { ...call, document: target, renewDocument: () => call.openOther(destination, needs) };
    let added = -1;
    await commitPlannedEdits(inside, function* (before, access) {
      const batch = new RequestBatch(call.context, before, access);
      added = yield* copySheetIntoDocument(batch, snapshot, source);
      return {
        edits: batch.finishEdits(),
        describe: () => ({ body: {}, notes: [{ action: 'sheet.create', range: '', cells: 0 }] }),
      };
    });
    const after = await readSnapshot(inside);
    const index = after.sheets.findIndex(({ id }) => id === added);
    return toJsonAnswer(describeSheet(after.sheets[index] as Sheet, index));
  },
};

/** Adds a sheet with the cells of another document's; gives its id. */
function* copySheetIntoDocument(batch: RequestBatch, snapshot: Snapshot, source: Sheet): Generator<void, number> {
  const name = findFreeCopyName(batch.sheets, source.name);
  const id = batch.takeSheetId();
  const record = { of: id, sheetId: batch.chooseSheetId(undefined) };
  const sheet: WorkingSheet = {
    id,
    sheetId: record.sheetId,
    name,
    isHidden: false,
    grid: computeGridSize(source),
    view: { frozenRows: 0, frozenColumns: 0, hidesGridlines: false, isRightToLeft: false },
    record,
  };
  batch.addEdits({ kind: 'addSheet', name });
  batch.addSheet(sheet, batch.sheets.length);
  batch.setRecord(sheet, record);
  batch.setGrid(sheet, sheet.grid);
  if (source.layout.carried['sheetViews'] !== undefined) batch.setView(sheet, readSheetView(source));
  yield* copyCells(batch, snapshot, source, sheet);
  if (source.layout.merges.length > 0) batch.addEdits({ kind: 'mergeCells', sheet: id, areas: source.layout.merges });
  return id;
}

/** Adds edits that copy values, formulas and formats of the source's used area to the sheet. Pauses between cells. */
function* copyCells(
  batch: RequestBatch,
  snapshot: Snapshot,
  source: Sheet,
  sheet: WorkingSheet,
): Generator<void, void> {
  const { rows, columns } = source.extent();
  if (rows === 0) return;
  const renderer = new CellRenderer(snapshot, source, 'en-US');
  const values: Input[][] = [];
  const formulas: Input[][] = [];
  for (let row = 0; row < rows; row++) {
    const line: Input[] = [];
    const inputs: Input[] = [];
    for (let column = 0; column < columns; column++) {
      if (batch.endsStep()) yield;
      const formula = renderer.renderFormula(row, column);
      const value = source.value(row, column);
      inputs.push(formula);
      line.push(
        formula !== null || value === null ? null : isError(value) ? { as: 'error', value: value.code } : value,
      );
      const { code, style } = snapshot.formats.get(source.format(row, column));
      if (style === '' && code === 'General') continue;
      const area = { top: row, left: column, bottom: row, right: column };
      batch.addEdits({ kind: 'styleCells', sheet: sheet.id, area, styles: [['', style]], code });
    }
    values.push(line);
    formulas.push(inputs);
  }
  batch.putValues(sheet, 0, 0, values, 'raw');
  batch.putValues(sheet, 0, 0, formulas, 'user');
}
