import { Type } from 'typebox';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { EXPORT_DELIMITERS, EXPORT_FORMATS } from '../../service/document/csv-output.ts';
import { exportFile, notesIn } from '../../service/document/export.ts';
import { isRefusal } from '../../service/refusal.ts';
import { holdsTag } from '../../service/tags.ts';
import { changeOf } from '../call.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, Count, REFUSALS } from '../schemas/answers.ts';
import { CSV_TYPE, XLSX_TYPE } from '../schemas/content-types.ts';
import { choice, DocumentPath, query } from '../schemas/requests.ts';

const BINARY = Type.String({ format: 'binary' });

const ExportNotes = Type.Object({
  report: Type.Object({
    leftOut: Type.Array(Type.Object({ kind: Type.String(), count: Count, what: Type.String() }), {
      description: 'What of the document the file does not hold as it is.',
    }),
    renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: 'Sheets whose names the file cannot hold.',
    }),
    shortened: Type.Array(Type.Object({ cell: Type.String(), length: Count }), {
      description: 'Cells whose texts are cut; `length` is that of the whole text.',
    }),
  }),
});

const FileAnswer = {
  description:
    'The file; `Content-Disposition` names it, and `Cellwire-Export-Notes` counts the entries of its report, if there are any. With `report=true` the report itself.',
  content: {
    [XLSX_TYPE]: { schema: BINARY },
    [CSV_TYPE]: { schema: BINARY },
    'application/json': { schema: ExportNotes },
  },
};

export const exportDocument = defineRead({
  id: 'exportDocument',
  http: { method: 'GET', path: '/documents/{document}/export' },
  requires: { scope: 'sheets.read' },
  tag: 'Documents',
  summary: 'Read a document as a file: all of it as .xlsx, or the values of one sheet as .csv',
  description:
    'Raw values, dates as ISO texts, in a `.csv` file; formulas, styles and what an imported file brought along in an `.xlsx` file. 403 for who may not see all sheets. The file is made before its first byte is sent: its length is known. `Cellwire-Export-Notes` counts what the file does not hold as it is; `report=true` lists it.',
  params: DocumentPath,
  query: query({
    format: Type.Optional(choice(EXPORT_FORMATS, '`xlsx` by default.')),
    sheet: Type.Optional(
      Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'Of a .csv file: the first sheet by default.' }),
    ),
    delimiter: Type.Optional(choice(EXPORT_DELIMITERS, 'Of a .csv file: `,` by default.')),
    decimal: Type.Optional(choice(['.', ','], 'Of a .csv file: `.` by default.')),
    bom: Type.Optional(choice(['true', 'false'], 'Of a .csv file: `true` puts a byte order mark in front, for Excel.')),
    report: Type.Optional(
      choice(['true', 'false'], '`true`: the answer says what the file does not hold as it is, without the file.'),
    ),
  }),
  answers: { 200: FileAnswer, 304: ANSWERS.unchanged, ...REFUSALS },
  example: {
    answer: {
      report: {
        leftOut: [{ kind: 'protections', count: 1, what: 'protection of a sheet' }],
        renamed: [{ from: 'Q1/2027', to: 'Q1_2027' }],
        shortened: [{ cell: 'Notes!A2', length: 40_000 }],
      },
    },
    texts: { 'text/csv': 'Number,Sum\r\nA-1013,860\r\n' },
  },

  async run(call, { format = 'xlsx', sheet, delimiter, decimal, bom, report }) {
    const { context, ifNoneMatch } = call;
    const path = await call.temporaryFile();
    const isReport = report === 'true';
    const exported = await exportFile(context, changeOf(call), {
      format,
      sheet,
      csv: { delimiter, decimal, bom: bom === undefined ? undefined : bom === 'true' },
      isReport,
      holds: (tag) => holdsTag(ifNoneMatch ?? undefined, tag),
      path,
      signal: call.abandoned(),
    });
    if (isRefusal(exported)) return exported;
    const { tag, name } = exported;
    if (exported.kind === 'unchanged') return { kind: 'file', tag, file: null, notes: 0, report: null };
    return {
      kind: 'file',
      tag,
      file: { path, name, contentType: format === 'xlsx' ? XLSX_TYPE : `${CSV_TYPE}; charset=utf-8` },
      notes: notesIn(exported.report),
      report: isReport ? exported.report : null,
    };
  },
});
