import type { Sheet, Snapshot } from '@cellwire/engine';
import { exportFile } from '../../service/document/export.ts';
import { getDocument } from '../../service/document/list-documents.ts';
import { VALUES_HIDDEN } from '../../service/refusal.ts';
import {
  type GoogleAnswer,
  type GoogleCall,
  type GoogleMethod,
  READS,
  readSnapshot,
  requireCallDocument,
  requireSuccess,
  toDocumentAction,
} from '../call.ts';
import { createInvalidProblem, Problem, toProblem } from '../problem.ts';
import { findSheetById } from '../sheets/state.ts';
import { CellRenderer } from '../values/render.ts';
import { CSV_TYPE, TSV_TYPE, XLSX_TYPE } from './file.ts';

/** GET `files/{id}/export`. */
export const exportSpreadsheet: GoogleMethod = {
  requires: READS,
  writes: false,
  run(call) {
    const type = call.query.get('mimeType');
    if (type === CSV_TYPE) return answerText(call, ({ sheets }) => sheets[0], 'csv');
    if (type === TSV_TYPE) return answerText(call, ({ sheets }) => sheets[0], 'tsv');
    if (type === XLSX_TYPE) return answerXlsx(call);
    throw new Problem(400, 'The requested conversion is not supported.');
  },
};

/** GET `/spreadsheets/d/{id}/export?format=`. */
export const exportFromDocs: GoogleMethod = {
  requires: READS,
  writes: false,
  run(call) {
    const format = call.query.get('format') ?? 'xlsx';
    const gid = call.query.get('gid');
    if (format === 'xlsx') return answerXlsx(call);
    if (format !== 'csv' && format !== 'tsv') throw createInvalidProblem('The requested conversion is not supported.');
    const choose = (snapshot: Snapshot) =>
      gid === null || gid === '' ? snapshot.sheets[0] : findSheetById(snapshot, Number(gid));
    return answerText(call, choose, format);
  },
};

async function answerXlsx(call: GoogleCall): Promise<GoogleAnswer> {
  const path = await call.createTemporaryFile();
  const csv = { delimiter: undefined, decimal: undefined, bom: undefined };
  const request = {
    format: 'xlsx',
    csv,
    isReport: false,
    holds: () => false,
    path,
    signal: call.createAbortSignal(),
  } as const;
  const { name } = requireSuccess(await exportFile(call.context, toDocumentAction(call), request));
  return { kind: 'file', path, type: XLSX_TYPE, name };
}

type TextFormat = 'csv' | 'tsv';

/** Answers with one sheet as CSV or TSV. Throws a `Problem` if it does not exist or its values are hidden. */
async function answerText(
  call: GoogleCall,
  choose: (snapshot: Snapshot) => Sheet | undefined,
  format: TextFormat,
): Promise<GoogleAnswer> {
  const snapshot = await readSnapshot(call);
  const sheet = choose(snapshot);
  if (sheet === undefined) throw createInvalidProblem('There is no sheet with this gid.');
  if (requireCallDocument(call).hiddenSheets.has(sheet.id)) throw toProblem(VALUES_HIDDEN);
  const { document } = requireSuccess(await getDocument(call.context, requireCallDocument(call)));
  const type = format === 'csv' ? CSV_TYPE : TSV_TYPE;
  return { kind: 'lines', type, name: `${document.title}.${format}`, pieces: writeTextLines(snapshot, sheet, format) };
}

/**
 * The displayed values of a sheet, without a line end after the last row. Fields are quoted according to RFC 4180 or
 * separated by tabs; in the latter case tabs and line ends in texts become spaces, as in Google.
 */
function* writeTextLines(snapshot: Snapshot, sheet: Sheet, format: TextFormat): Generator<string> {
  const field = format === 'csv' ? formatCsvField : formatTsvField;
  const divider = format === 'csv' ? ',' : '\t';
  const renderer = new CellRenderer(snapshot, sheet);
  const { rows, columns } = sheet.extent();
  for (let row = 0; row < rows; row++) {
    const fields = Array.from({ length: columns }, (_, column) =>
      field(String(renderer.renderValue(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? '')),
    );
    yield `${row === 0 ? '' : '\r\n'}${fields.join(divider)}`;
  }
}

function formatCsvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function formatTsvField(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, ' ');
}
