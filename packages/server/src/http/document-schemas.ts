import { MAX_COLUMNS } from '@cellwire/engine';
import { Type } from 'typebox';
import { MAX_ALLOWED_USERS, MAX_COLUMNS_LENGTH } from '../limits/http.ts';
import { MAX_SENT_NAME_LENGTH } from '../limits/limits.ts';
import { EXPORT_DELIMITERS, EXPORT_FORMATS } from '../service/document/csv-output.ts';
import { GIVEN_ROLES } from '../service/document/share.ts';
import { ANY_TYPE, CSV_TYPE, XLSX_TYPE } from './content-types.ts';
import { body, choice, optionalBody, query } from './schemas.ts';

/** Schemas of requests that are about documents as wholes. */
const Title = Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: '1–255 characters.' });

const User = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: MAX_SENT_NAME_LENGTH,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The id or the e-mail address of a user.',
});

const Locale = Type.String({
  maxLength: MAX_SENT_NAME_LENGTH,
  description: 'How values are shown: `en-US`, `de-DE`, …',
});

const NewDocument = optionalBody({ title: Type.Optional(Title), locale: Type.Optional(Locale) });
const File = Type.Unsafe<unknown>({ description: 'The file as it is.' });
/** The body as a whole may be left out; a file stands in its place. */
export const CreateDocumentBody = {
  content: {
    'application/json': { schema: NewDocument },
    [CSV_TYPE]: { schema: File },
    [XLSX_TYPE]: { schema: File },
    [ANY_TYPE]: { schema: File },
  },
};
export type NewDocumentBody = { readonly title?: string; readonly locale?: string } | null | undefined;
/** The body as a whole may be left out. */
export const CopyDocumentBody = optionalBody({ title: Type.Optional(Title) });
/** How a file is read; of a document without one `title` and `locale` alone, where its body does not have them. */
export const CreateDocumentQuery = query({
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

export const ExportQuery = query({
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
});

export const RenameDocumentBody = body({ title: Title });
export const ShareBody = body({
  user: User,
  role: choice(GIVEN_ROLES, '`none` ends the user’s access.'),
});
export const ProtectionBody = body({
  hideValues: Type.Optional(Type.Boolean({ description: 'Only the owner and `allow` see the sheet’s values.' })),
  lock: Type.Optional(Type.Boolean({ description: 'Only the owner and `allow` may edit, rename and delete it.' })),
  allow: Type.Optional(Type.Array(User, { maxItems: MAX_ALLOWED_USERS, description: 'Nobody by default.' })),
});
