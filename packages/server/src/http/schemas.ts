import type { Static } from 'typebox';
import { Type } from 'typebox';
import { ROLES } from '../access/roles.ts';
import {
  MAX_BATCH_RANGES,
  MAX_BOT_TOKEN_LENGTH,
  MAX_CHAT_ID_LENGTH,
  MAX_WEBHOOK_URL_LENGTH,
} from '../limits/limits.ts';

/**
 * Schemas of requests. Nothing is converted: a cell's type is what was sent. A cell is a list of types and never a
 * union of schemas, which with conversion would turn `1` into `"1"`.
 */
const Input = Type.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'] });

const Matrix = Type.Array(Type.Array(Input), {
  minItems: 1,
  description: 'Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell as it is, `""` clears it.',
});

function choice<const T extends string>(values: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], description });
}

const Major = choice(['ROWS', 'COLUMNS'], 'What the inner lists are; ROWS by default.');
const InputOption = choice(
  ['RAW', 'USER_ENTERED'],
  'USER_ENTERED (default) reads texts as if typed: formulas, numbers, dates. RAW stores them as they are.',
);
const RangeText = Type.String({ description: "An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`." });
const Offset = Type.Integer({ minimum: 0, description: '0 by default.' });

export const DocumentPath = Type.Object({
  document: Type.String({ description: 'UUID of a document.' }),
});
export const RangePath = Type.Object({ ...DocumentPath.properties, range: RangeText });
export const SheetPath = Type.Object({
  ...DocumentPath.properties,
  sheet: Type.String({ description: 'Name of a sheet.' }),
});
export const WebhookPath = Type.Object({
  ...DocumentPath.properties,
  webhook: Type.String({ description: 'Number of a subscription.' }),
});

export const ListQuery = Type.Object({
  type: Type.Optional(Type.String({ description: 'E.g. `table`.' })),
  permission: Type.Optional(choice(ROLES, 'The caller’s role; `edit` includes documents that the caller owns.')),
});
export const ReadQuery = Type.Object({
  offset: Type.Optional(Offset),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Rows; capped at 1000.' })),
  majorDimension: Type.Optional(Major),
});
export const BatchGetQuery = Type.Object({
  ranges: Type.Array(RangeText, {
    minItems: 1,
    maxItems: MAX_BATCH_RANGES,
    description: 'Sent as `ranges[]=…`, once a range.',
  }),
  majorDimension: Type.Optional(Major),
});
export const AuditQuery = Type.Object({
  offset: Type.Optional(Offset),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: '50 by default, capped at 200.' })),
});

const WriteOptions = {
  valueInputOption: Type.Optional(InputOption),
  majorDimension: Type.Optional(Major),
};
export const PutBody = Type.Object({ values: Matrix, ...WriteOptions });
export const BatchUpdateBody = Type.Object({
  data: Type.Array(Type.Object({ range: RangeText, values: Matrix }), { minItems: 1 }),
  ...WriteOptions,
});
export const AppendBody = Type.Object({ range: RangeText, values: Matrix, ...WriteOptions });
export const ClearBody = Type.Object({ range: RangeText });

const SheetName = Type.String({ description: '1–255 characters; unique in the document, whatever the case.' });
/** The body as a whole may be left out. */
export const AddSheetBody = Type.Unsafe<{ readonly name?: string } | null>({
  type: ['object', 'null'],
  properties: { name: SheetName },
});
export const RenameSheetBody = Type.Object({ name: SheetName });

export const WebhookBody = Type.Object({
  channel: Type.Optional(choice(['http', 'messenger'], '`http` by default.')),
  url: Type.Optional(Type.String({ maxLength: MAX_WEBHOOK_URL_LENGTH, description: 'For channel `http`.' })),
  botToken: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_BOT_TOKEN_LENGTH, description: 'For channel `messenger`.' }),
  ),
  chatId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_CHAT_ID_LENGTH,
      description: 'For channel `messenger`; a group’s begins with `-`.',
    }),
  ),
  events: Type.Optional(Type.Array(choice(['document.updated'], 'The only event.'), { minItems: 1 })),
});

export type PutBody = Static<typeof PutBody>;
export type BatchUpdateBody = Static<typeof BatchUpdateBody>;
export type AppendBody = Static<typeof AppendBody>;
export type WebhookBody = Static<typeof WebhookBody>;
