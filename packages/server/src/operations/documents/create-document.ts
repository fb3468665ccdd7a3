import { MAX_COLUMNS } from '@cellwire/engine';
import { type Static, Type } from 'typebox';
import { MAX_COLUMNS_LENGTH, MAX_SMALL_BODY_BYTES } from '../../limits/http.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { withAccessRetry } from '../../service/access-retry.ts';
import { createDocumentFor, UNTITLED } from '../../service/document/create.ts';
import { importFile } from '../../service/document/import.ts';
import { isTabSeparated, listedColumns } from '../../service/document/read-file.ts';
import { documentSettings, localeOfNew } from '../../service/document/store-document.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { type Call, creationOf, type UploadedFile } from '../call.ts';
import { defineChange } from '../operation.ts';
import { Count, REFUSALS } from '../schemas/answers.ts';
import { ANY_TYPE, CSV_TYPE, XLSX_TYPE } from '../schemas/content-types.ts';
import { choice, optionalBody, query } from '../schemas/requests.ts';
import { createDocumentView } from './document-json.ts';
import { FULL_DOCUMENT_EXAMPLE } from './examples.ts';
import { DocumentWithContent, Title } from './schemas.ts';

const Locale = Type.String({
  maxLength: MAX_SENT_NAME_LENGTH,
  description: 'How values are shown: `en-US`, `de-DE`, …',
});

const NewDocument = optionalBody({ title: Type.Optional(Title), locale: Type.Optional(Locale) });
const File = Type.Unsafe<unknown>({ description: 'The file as it is.' });
/** The caller may leave the body out, or send a file in its place. */
const CreateDocumentBody = {
  content: {
    'application/json': { schema: NewDocument },
    [CSV_TYPE]: { schema: File },
    [XLSX_TYPE]: { schema: File },
    [ANY_TYPE]: { schema: File },
  },
};

/** How a file is read. Without a file only `title` and `locale` count, if the body does not have them. */
const CreateDocumentQuery = query({
  title: Type.Optional(Title),
  locale: Type.Optional(Locale),
  columns: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      type: ['string', 'array'],
      maxLength: MAX_COLUMNS_LENGTH,
      maxItems: MAX_COLUMNS,
      items: { type: 'string', maxLength: MAX_SENT_NAME_LENGTH },
      description: 'What columns of a .csv file are, `Name:type` with commas between, or repeated.',
    }),
  ),
  delimiter: Type.Optional(Type.String({ maxLength: 3, description: 'Of a .csv file: one character, or `tab`.' })),
  decimal: Type.Optional(choice(['.', ','], 'The decimal mark of a .csv file; found out by default.')),
  encoding: Type.Optional(
    Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'Of a .csv file: `utf-8`, `windows-1252`, …' }),
  ),
  sheet: Type.Optional(
    Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'The sheet to make of a .csv file.' }),
  ),
});

const MadeDocument = Type.Object({
  document: DocumentWithContent,
  columns: Type.Optional(
    Type.Array(
      Type.Object({
        column: Type.String(),
        name: Type.Optional(Type.String()),
        type: Type.String(),
        why: Type.String(),
      }),
      { description: 'What the columns of a .csv file were taken for.' },
    ),
  ),
  csv: Type.Optional(
    Type.Object(
      {
        delimiter: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: '`tab` for a tab; null: every line is one field.',
        }),
        encoding: Type.String(),
        decimal: Type.Unsafe<string>({ type: 'string', enum: ['.', ','] }),
        dateOrder: Type.Unsafe<string>({
          type: 'string',
          enum: ['dmy', 'mdy'],
          description: 'Of dates with slashes.',
        }),
        preview: Type.Array(Type.Array(Type.Unknown()), {
          description: 'The first five rows as they are stored; dates as ISO texts, errors as codes.',
        }),
      },
      { description: 'How a .csv file was read.' },
    ),
  ),
  leftOut: Type.Optional(
    Type.Array(Type.Object({ kind: Type.String(), count: Count, what: Type.String() }), {
      description: 'What of the file the document does not hold.',
    }),
  ),
  cached: Type.Optional(
    Type.Array(
      Type.Object({ kind: Type.String(), count: Count, what: Type.String(), cells: Type.Array(Type.String()) }),
      {
        description: 'Formulas that cannot be calculated, and keep the file’s values; `cells` names the first ones.',
      },
    ),
  ),
});

export const createDocument = defineChange({
  id: 'createDocument',
  isKeyed: true,
  http: { method: 'POST', path: '/documents' },
  requires: { scope: 'documents.write', createsDocument: true, feature: 'valueWrites' },
  tag: 'Documents',
  summary: 'Make a document of the caller’s: with one empty sheet, or of a .csv or .xlsx file',
  description:
    'A JSON body (or none) makes an empty document. A file as the body, with its content type, makes one of what it holds; the answer then says what columns of a `.csv` were taken for, what is left out, and which formulas keep the file’s values. What is wrong with the file is named by `errors.file`. Needs the scope `documents.write`, a plan with writing, and a token that is not limited to documents.',
  query: CreateDocumentQuery,
  body: CreateDocumentBody,
  accepts: 'file',
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  answers: { 200: MadeDocument, ...REFUSALS },
  example: {
    request: { title: 'Orders', locale: 'en-US' },
    answer: { document: FULL_DOCUMENT_EXAMPLE },
  },

  run: (call, input) => (call.file === null ? createEmpty(call, input) : createFromFile(call, call.file, input)),
});

type CreateInput = Static<typeof CreateDocumentQuery>;

/** Makes a document with one empty sheet. */
async function createEmpty(call: Call, { title = UNTITLED, locale }: CreateInput): Promise<WriteReply | Refusal> {
  const { context } = call;
  const action = creationOf(call);
  const chosenLocale = await localeOfNew(context, action.by.caller.userId, locale);
  const wanted = documentSettings({ title, locale: chosenLocale }, context.config);
  if (isRefusal(wanted)) return wanted;
  const show = createDocumentView(call);
  return withAccessRetry(context, action, (by) =>
    createDocumentFor(context, { by, keyed: action.keyed }, wanted, null, show),
  );
}

function createFromFile(call: Call, file: UploadedFile, input: CreateInput): Promise<WriteReply | Refusal> {
  const { title, locale, columns = [], delimiter, decimal, encoding, sheet } = input;
  const { path, format } = file;
  const hasTabs = format === 'csv' && (file.isTabbed || isTabSeparated(title ?? ''));
  const csv = {
    decimal,
    encoding,
    sheet,
    columns: (typeof columns === 'string' ? [columns] : columns).flatMap(listedColumns),
    delimiter: delimiter ?? (hasTabs ? 'tab' : undefined),
  };
  const upload = { file: { path, format }, title, locale, csv, signal: call.abandoned() };
  return importFile(call.context, creationOf(call), upload, createDocumentView(call));
}
