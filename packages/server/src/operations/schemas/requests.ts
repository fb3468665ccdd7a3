import { MAX_ROWS } from '@cellwire/engine';
import type { Static, TObject, TProperties } from 'typebox';
import { Type } from 'typebox';
import { INPUT_LOCALES } from '../../access/input-locale.ts';
import { MAX_PATH_SEGMENT_LENGTH } from '../../limits/http.ts';
import { MAX_PROPOSAL_NOTE_LENGTH, MAX_PROPOSAL_TITLE_LENGTH } from '../../limits/proposals.ts';
import { MAX_QUERY_NAMES, MAX_REVISION_LENGTH } from '../../limits/records.ts';
import {
  MAX_BATCH_RANGES,
  MAX_CELL_LENGTH,
  MAX_EXPECTATIONS,
  MAX_MEMBERS,
  MAX_RANGE_LENGTH,
  MAX_SENT_NAME_LENGTH,
} from '../../limits/requests.ts';
import type { SentCell } from '../../service/cells/inputs.ts';

/**
 * Schemas of requests. Values are not converted: a cell keeps its JSON type. A cell's schema has a list of types and no
 * union of schemas, which with conversion would turn `1` into `"1"`.
 */
const Input = Type.Unsafe<SentCell>({
  type: ['string', 'number', 'boolean', 'null', 'object'],
  description:
    'An object states its type: `{ "value": "00501", "as": "text" }` (or number, date, time, duration, boolean, formula), `{ "error": "#N/A" }`. A cell that already has this value is not changed, even if it is a formula.',
  // The configured limits are lower than the limits of the schema.
  maxLength: MAX_CELL_LENGTH,
  maxProperties: MAX_MEMBERS,
});

export const Matrix = Type.Array(Type.Array(Input, { maxItems: MAX_ROWS }), {
  minItems: 1,
  maxItems: MAX_ROWS,
  description: 'Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell unchanged, `""` clears it.',
});

export function defineChoice<const T extends string>(values: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], description });
}

const Major = defineChoice(['ROWS', 'COLUMNS'], 'Whether the inner lists are rows or columns; ROWS by default.');
const Rendering = defineChoice(
  ['plain', 'display'],
  'Cells as single values. `plain`: raw values, dates as ISO texts, times as `08:30:00`; `display`: displayed texts. Errors are codes.',
);
export const InputLocaleChoice = defineChoice(
  INPUT_LOCALES,
  'Locale for typed texts and for formulas, or `document` for the document’s locale. By default the locale of the token, then the document’s input locale, then the API’s grammar (`;`, decimal comma).',
);
const InputOption = defineChoice(
  ['RAW', 'USER_ENTERED'],
  'USER_ENTERED (default) interprets texts as if typed: formulas, numbers, dates. RAW stores texts unchanged.',
);
export const RangeText = Type.String({
  maxLength: MAX_RANGE_LENGTH,
  description: "An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`.",
});

/** An integer in a query. `parseQuery` returns no greater integers. */
export function defineCount(minimum: 0 | 1, description: string) {
  return Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description });
}

export const Offset = defineCount(0, '0 by default.');

/** A body, or an object within one. Other members are refused (`unknown-input.ts`). */
export function defineBody<const T extends TProperties>(members: T) {
  return Type.Object(members, { additionalProperties: false });
}

/** A body that may be absent. */
export function defineOptionalBody<const T extends TProperties>(members: T) {
  return Type.Unsafe<StaticObject<T> | null>({ ...defineBody(members), type: ['object', 'null'] });
}

type StaticObject<T extends TProperties> = Static<TObject<T>>;

/** The parameters of a query string. Others are refused. */
export function defineQuery<const T extends TProperties>(parameters: T) {
  return Type.Object(parameters, { additionalProperties: false });
}

/** A path segment. A name that does not exist is answered with 404 and not with 422. */
export function definePathSegment(description: string) {
  return Type.String({ maxLength: MAX_PATH_SEGMENT_LENGTH, description });
}

export const DocumentPath = Type.Object({ document: definePathSegment('UUID of a document.') });
export const RangePath = Type.Object({ ...DocumentPath.properties, range: RangeText });
export const SheetPath = Type.Object({ ...DocumentPath.properties, sheet: definePathSegment('Name of a sheet.') });

export const ReadQuery = defineQuery({
  revision: Type.Optional(defineCount(0, 'Reads the document at this revision.')),
  offset: Type.Optional(Offset),
  limit: Type.Optional(defineCount(1, 'Rows; capped at 1000.')),
  majorDimension: Type.Optional(Major),
  render: Type.Optional(Rendering),
  inputLocale: Type.Optional(InputLocaleChoice),
});
export const BatchGetQuery = defineQuery({
  ranges: Type.Array(RangeText, {
    minItems: 1,
    maxItems: MAX_BATCH_RANGES,
    description: 'Sent as `ranges[]=…`, once for each range.',
  }),
  majorDimension: Type.Optional(Major),
  render: Type.Optional(Rendering),
  inputLocale: Type.Optional(InputLocaleChoice),
});

const IF_REVISION = 'Writes only if the document has this revision; otherwise 412.';
const DRY_RUN = '`true`: nothing is written, and the answer shows what would change.';
/** Body members of every write of cells. `ifRevision` and `dryRun` may be query parameters instead. */
export const WRITE_CONDITIONS = {
  ifRevision: Type.Optional(
    Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      maxLength: MAX_REVISION_LENGTH,
      maximum: Number.MAX_SAFE_INTEGER,
      description: IF_REVISION,
    }),
  ),
  expect: Type.Optional(
    Type.Unsafe<unknown>({
      type: 'array',
      maxItems: MAX_EXPECTATIONS,
      // The service checks the members, not the schema.
      items: { type: 'object', maxProperties: MAX_MEMBERS },
      description:
        'Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form.',
      examples: [[{ range: 'Orders!B3', values: [[99]] }]],
    }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: DRY_RUN })),
};
/** The body of a write without other members. The API's description leaves it out, because the query has the same. */
export const ConditionsBody = defineOptionalBody(WRITE_CONDITIONS);

/** Options for interpreting submitted values. */
export const INPUT_OPTIONS = {
  valueInputOption: Type.Optional(InputOption),
  inputLocale: Type.Optional(InputLocaleChoice),
  majorDimension: Type.Optional(Major),
};

const bodiesOfCells = new WeakSet<object>();

/** The body of a write that may contain a million cells. */
export function defineCellsBody<const T extends TProperties>(members: T) {
  const schema = defineBody({ ...members, ...WRITE_CONDITIONS });
  bodiesOfCells.add(schema);
  return schema;
}

/** Whether a body may contain a million cells, so that checking it must be fast. */
export function canHoldManyCells(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && bodiesOfCells.has(schema);
}

export const SheetName = Type.String({
  maxLength: MAX_SENT_NAME_LENGTH,
  description: '1–255 characters; unique in the document, regardless of case.',
});

/** Query parameters that turn a write into a proposal, and its texts. */
export const PROPOSE = {
  propose: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: nothing is written; the answer is 202 with a proposal that a person applies or rejects.',
    }),
  ),
  title: Type.Optional(Type.String({ maxLength: MAX_PROPOSAL_TITLE_LENGTH, description: 'Title of the proposal.' })),
  note: Type.Optional(
    Type.String({ maxLength: MAX_PROPOSAL_NOTE_LENGTH, description: 'Note for the person who decides.' }),
  ),
};

/** The query of every write. */
export const WriteQuery = defineQuery({
  ifRevision: Type.Optional(Type.String({ maxLength: MAX_REVISION_LENGTH, description: IF_REVISION })),
  dryRun: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      description: DRY_RUN,
    }),
  ),
  ...PROPOSE,
});

/** Members that limit changes or a subscription to some cells or records. */
export const WATCH = {
  range: Type.Optional(
    Type.String({
      maxLength: MAX_RANGE_LENGTH,
      description: 'Limits changes to these cells, also after they have moved.',
    }),
  ),
  key: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_CELL_LENGTH }), {
      minItems: 1,
      maxItems: MAX_QUERY_NAMES,
      description:
        'Columns of `range` that identify its records (in a query `key[]=…`). `records` then has the changed records.',
    }),
  ),
};
