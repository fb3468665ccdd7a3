import { MAX_COLUMNS } from '@cellwire/engine';
import { type Static, Type } from 'typebox';
import { MAX_COLUMNS_LENGTH, MAX_SMALL_BODY_BYTES } from '../../limits/http.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { withAccessRetry } from '../../service/access-retry.ts';
import { createDocumentFor, UNTITLED } from '../../service/document/create.ts';
import { importFile } from '../../service/document/import.ts';
import { isTabSeparated, splitColumnList } from '../../service/document/read-file.ts';
import { chooseNewLocale, parseDocumentSettings } from '../../service/document/store-document.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { type Call, toCreationAction, type UploadedFile } from '../call.ts';
import { defineChange } from '../operation.ts';
import { Count, REFUSALS } from '../schemas/answers.ts';
import { ANY_TYPE, CSV_TYPE, XLSX_TYPE } from '../schemas/content-types.ts';
import { defineChoice, defineOptionalBody, defineQuery } from '../schemas/requests.ts';
import { createDocumentView } from './document-json.ts';
import { FULL_DOCUMENT_EXAMPLE } from './examples.ts';
import { DocumentWithContent, Title } from './schemas.ts';

const Locale = Type.String({
  maxLength: MAX_SENT_NAME_LENGTH,
  description: 'Locale for displaying values: `en-US`, `de-DE`, …',
});

const NewDocument = defineOptionalBody({ title: Type.Optional(Title), locale: Type.Optional(Locale) });
const File = Type.Unsafe<unknown>({ description: 'The content of the file.' });
/** The caller may omit the body, or send a file in its place. */
const CreateDocumentBody = {
  content: {
    'application/json': { schema: NewDocument },
    [CSV_TYPE]: { schema: File },
    [XLSX_TYPE]: { schema: File },
    [ANY_TYPE]: { schema: File },
  },
};

/** Parameters for reading a file. Without a file only `title` and `locale` count, unless the body has them. */
const CreateDocumentQuery = defineQuery({
  title: Type.Optional(Title),
  locale: Type.Optional(Locale),
  columns: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      type: ['string', 'array'],
      maxLength: MAX_COLUMNS_LENGTH,
      maxItems: MAX_COLUMNS,
      items: { type: 'string', maxLength: MAX_SENT_NAME_LENGTH },
      description: 'Types of columns of a .csv file: `Name:type`, separated by commas, or as a repeated parameter.',
    }),
  ),
  delimiter: Type.Optional(Type.String({ maxLength: 3, description: 'For a .csv file: one character, or `tab`.' })),
  decimal: Type.Optional(defineChoice(['.', ','], 'The decimal mark of a .csv file; detected by default.')),
  encoding: Type.Optional(
    Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'For a .csv file: `utf-8`, `windows-1252`, …' }),
  ),
  sheet: Type.Optional(
    Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'Name of the sheet for a .csv file.' }),
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
      { description: 'Detected types of the columns of a .csv file.' },
    ),
  ),
  csv: Type.Optional(
    Type.Object(
      {
        delimiter: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: '`tab`: a tab; null: each line is one field.',
        }),
        encoding: Type.String(),
        decimal: Type.Unsafe<string>({ type: 'string', enum: ['.', ','] }),
        dateOrder: Type.Unsafe<string>({
          type: 'string',
          enum: ['dmy', 'mdy'],
          description: 'Order in dates with slashes.',
        }),
        preview: Type.Array(Type.Array(Type.Unknown()), {
          description: 'The first five rows in stored form; dates are ISO texts, errors are codes.',
        }),
      },
      { description: 'How a .csv file was read.' },
    ),
  ),
  leftOut: Type.Optional(
    Type.Array(Type.Object({ kind: Type.String(), count: Count, what: Type.String() }), {
      description: 'Parts of the file that the document does not contain.',
    }),
  ),
  cached: Type.Optional(
    Type.Array(
      Type.Object({ kind: Type.String(), count: Count, what: Type.String(), cells: Type.Array(Type.String()) }),
      {
        description:
          'Formulas that cannot be calculated and keep the values of the file; `cells` has the first of them.',
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
  summary: 'Create a document with one empty sheet, or from a .csv or .xlsx file',
  description:
    'A JSON body (or none) creates a document with one empty sheet. With a file as the body and its content type, the document gets the content of the file; the answer then has the detected column types of a `.csv` file, the parts that are left out, and the formulas that keep the values of the file. Errors of the file are in `errors.file`. Requires the scope `documents.write`, a plan with writing, and a token that is not limited to documents.',
  query: CreateDocumentQuery,
  body: CreateDocumentBody,
  accepts: 'file',
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  answers: { 200: MadeDocument, ...REFUSALS },
  example: {
    request: { title: 'Orders', locale: 'en-US' },
    answer: { document: FULL_DOCUMENT_EXAMPLE },
  },

  run: (call, input) =>
    call.file === null ? createEmptyDocument(call, input) : createFromFile(call, call.file, input),
});

type CreateInput = Static<typeof CreateDocumentQuery>;

/** Options for reading a .csv file. */
const FILE_OPTIONS = ['columns', 'delimiter', 'decimal', 'encoding', 'sheet'] as const;

/** Creates a document with one empty sheet. */
async function createEmptyDocument(call: Call, input: CreateInput): Promise<WriteReply | Refusal> {
  const { context } = call;
  const { title = UNTITLED, locale } = input;
  const unused = refuseUnusedOption(call, input);
  if (unused !== null) return unused;
  const action = toCreationAction(call);
  const chosenLocale = await chooseNewLocale(context, action.by.caller.userId, locale);
  const settings = parseDocumentSettings({ title, locale: chosenLocale }, context.config);
  if (isRefusal(settings)) return settings;
  const show = createDocumentView(call);
  return withAccessRetry(context, action, (by) =>
    createDocumentFor(context, { by, keyed: action.keyed }, { settings, content: null, show }),
  );
}

/** Refuses the first parameter that has no effect on a document made without a file. */
function refuseUnusedOption({ query: sent }: Call, input: CreateInput): Refusal | null {
  const option = FILE_OPTIONS.find((name) => input[name] !== undefined);
  if (option !== undefined) {
    return invalidRequest(option, `${option} is for a .csv file; send the file as the body, with its content type`);
  }
  // A member of the body replaces the parameter of the same name.
  const name = (['title', 'locale'] as const).find((one) => sent[one] !== undefined && sent[one] !== input[one]);
  return name === undefined ? null : invalidRequest(name, `${name} differs between the query and the body`);
}

function createFromFile(call: Call, file: UploadedFile, input: CreateInput): Promise<WriteReply | Refusal> {
  const { title, locale, columns = [], delimiter, decimal, encoding, sheet } = input;
  const { path, format } = file;
  const hasTabs = format === 'csv' && (file.isTabbed || isTabSeparated(title ?? ''));
  const csv = {
    decimal,
    encoding,
    sheet,
    columns: (typeof columns === 'string' ? [columns] : columns).flatMap(splitColumnList),
    delimiter: delimiter ?? (hasTabs ? 'tab' : undefined),
  };
  const upload = { file: { path, format }, title, locale, csv, signal: call.createAbortSignal() };
  return importFile(call.context, toCreationAction(call), upload, createDocumentView(call));
}
