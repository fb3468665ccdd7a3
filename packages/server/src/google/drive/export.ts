import type { Sheet, Snapshot } from '@cellwire/engine';
import { exportFile } from '../../service/document/export.ts';
import { getDocument } from '../../service/document/list-documents.ts';
import { VALUES_HIDDEN } from '../../service/refusal.ts';
import {
  actionOf,
  documentOf,
  type GoogleAnswer,
  type GoogleCall,
  type GoogleMethod,
  READS,
  requireSuccess,
  snapshotOf,
} from '../call.ts';
import { invalid, Problem, problemOf } from '../problem.ts';
import { sheetWithId } from '../sheets/state.ts';
import { CellRenderer } from '../values/render.ts';
import { CSV_TYPE, TSV_TYPE, XLSX_TYPE } from './file.ts';

/** GET `files/{id}/export`. */
export const exportSpreadsheet: GoogleMethod = {
  requires: READS,
  writes: false,
  run(call) {
    const type = call.query.get('mimeType');
    if (type === CSV_TYPE) return textAnswer(call, ({ sheets }) => sheets[0], 'csv');
    if (type === TSV_TYPE) return textAnswer(call, ({ sheets }) => sheets[0], 'tsv');
    if (type === XLSX_TYPE) return xlsxAnswer(call);
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
    if (format === 'xlsx') return xlsxAnswer(call);
    if (format !== 'csv' && format !== 'tsv') throw invalid('The requested conversion is not supported.');
    const choose = (snapshot: Snapshot) =>
      gid === null || gid === '' ? snapshot.sheets[0] : sheetWithId(snapshot, Number(gid));
    return textAnswer(call, choose, format);
  },
};

async function xlsxAnswer(call: GoogleCall): Promise<GoogleAnswer> {
  const path = await call.temporaryFile();
  const csv = { delimiter: undefined, decimal: undefined, bom: undefined };
  const request = { format: 'xlsx', csv, isReport: false, holds: () => false, path, signal: call.abandoned() } as const;
  const { name } = requireSuccess(await exportFile(call.context, actionOf(call), request));
  return { kind: 'file', path, type: XLSX_TYPE, name };
}

type TextFormat = 'csv' | 'tsv';

async function textAnswer(
  call: GoogleCall,
  choose: (snapshot: Snapshot) => Sheet | undefined,
  format: TextFormat,
): Promise<GoogleAnswer> {
  const snapshot = await snapshotOf(call);
  const sheet = choose(snapshot);
  if (sheet === undefined) throw invalid('There is no sheet with this gid.');
  if (documentOf(call).hiddenSheets.has(sheet.id)) throw problemOf(VALUES_HIDDEN);
  const { document } = requireSuccess(await getDocument(call.context, documentOf(call)));
  const type = format === 'csv' ? CSV_TYPE : TSV_TYPE;
  return { kind: 'lines', type, name: `${document.title}.${format}`, pieces: textLines(snapshot, sheet, format) };
}

/**
 * The displayed values of a sheet, without a line end after the last row. Fields are quoted according to RFC 4180 or
 * separated by tabs; in the latter case tabs and line ends in texts become spaces, as in Google.
 */
function* textLines(snapshot: Snapshot, sheet: Sheet, format: TextFormat): Generator<string> {
  const field = format === 'csv' ? csvField : tsvField;
  const divider = format === 'csv' ? ',' : '\t';
  const renderer = new CellRenderer(snapshot, sheet);
  const { rows, columns } = sheet.extent();
  for (let row = 0; row < rows; row++) {
    const fields = Array.from({ length: columns }, (_, column) =>
      field(String(renderer.value(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? '')),
    );
    yield `${row === 0 ? '' : '\r\n'}${fields.join(divider)}`;
  }
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tsvField(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, ' ');
}
