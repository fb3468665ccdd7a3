import { Type } from 'typebox';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { EXPORT_DELIMITERS, EXPORT_FORMATS } from '../../service/document/csv-output.ts';
import { countReportEntries, exportFile } from '../../service/document/export.ts';
import { isRefusal } from '../../service/refusal.ts';
import { includesTag } from '../../service/tags.ts';
import { toDocumentAction } from '../call.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, Count, REFUSALS } from '../schemas/answers.ts';
import { CSV_TYPE, XLSX_TYPE } from '../schemas/content-types.ts';
import { DocumentPath, defineChoice, defineQuery } from '../schemas/requests.ts';

const BINARY = Type.String({ format: 'binary' });

const ExportNotes = Type.Object({
  report: Type.Object({
    leftOut: Type.Array(Type.Object({ kind: Type.String(), count: Count, what: Type.String() }), {
      description: 'Parts of the document that the file does not contain, or contains in another form.',
    }),
    renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: 'Sheets whose names are not possible in the file.',
    }),
    shortened: Type.Array(Type.Object({ cell: Type.String(), length: Count }), {
      description: 'Cells whose texts are cut; `length` is the length of the full text.',
    }),
  }),
});

const FileAnswer = {
  description:
    'The file. `Content-Disposition` has its name, and `Cellwire-Export-Notes` the number of entries in its report, if there are any. With `report=true` the report.',
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
  summary: 'Export a document as an .xlsx file, or one sheet’s values as a .csv file',
  description:
    'A `.csv` file has raw values, with dates as ISO texts. An `.xlsx` file has formulas, styles and other parts of an imported file. Answers 403 if the caller may not see all sheets. The file is complete before it is sent, so its length is known. `Cellwire-Export-Notes` counts the parts that the file does not contain or contains in another form; `report=true` lists them.',
  params: DocumentPath,
  query: defineQuery({
    format: Type.Optional(defineChoice(EXPORT_FORMATS, '`xlsx` by default.')),
    sheet: Type.Optional(
      Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'For a .csv file; the first sheet by default.' }),
    ),
    delimiter: Type.Optional(defineChoice(EXPORT_DELIMITERS, 'For a .csv file; `,` by default.')),
    decimal: Type.Optional(defineChoice(['.', ','], 'For a .csv file; `.` by default.')),
    bom: Type.Optional(
      defineChoice(['true', 'false'], 'For a .csv file: `true` writes a byte order mark at the beginning, for Excel.'),
    ),
    report: Type.Optional(defineChoice(['true', 'false'], '`true`: answers with the report instead of the file.')),
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
    const path = await call.createTemporaryFile();
    const isReport = report === 'true';
    const exported = await exportFile(context, toDocumentAction(call), {
      format,
      sheet,
      csv: { delimiter, decimal, bom: bom === undefined ? undefined : bom === 'true' },
      isReport,
      holds: (tag) => includesTag(ifNoneMatch ?? undefined, tag),
      path,
      signal: call.createAbortSignal(),
    });
    if (isRefusal(exported)) return exported;
    const { tag, name } = exported;
    if (exported.kind === 'unchanged') return { kind: 'file', tag, file: null, notes: 0, report: null };
    return {
      kind: 'file',
      tag,
      file: { path, name, contentType: format === 'xlsx' ? XLSX_TYPE : `${CSV_TYPE}; charset=utf-8` },
      notes: countReportEntries(exported.report),
      report: isReport ? exported.report : null,
    };
  },
});
