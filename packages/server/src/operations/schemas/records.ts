import { type Static, type TSchema, Type } from 'typebox';
import {
  MAX_CONDITIONS,
  MAX_CURSOR_LENGTH,
  MAX_QUERY_NAMES,
  MAX_QUERY_TEXT_LENGTH,
  MAX_RECORDS,
} from '../../limits/records.ts';
import { MAX_CELL_LENGTH, MAX_MEMBERS, MAX_RANGE_LENGTH } from '../../limits/requests.ts';
import { LINES_TYPE } from './content-types.ts';
import {
  defineBody,
  defineChoice,
  defineCount,
  defineQuery,
  InputLocaleChoice,
  Offset,
  RangeText,
  WRITE_CONDITIONS,
  WriteQuery,
} from './requests.ts';

/** Schemas of requests about records. Values that depend on a document's columns are checked in the service. */

/** An object whose members are checked against the document's columns. */
function defineMembers(maxProperties: number, description: string, example: object) {
  return Type.Unsafe<unknown>({ type: 'object', maxProperties, description, examples: [example] });
}

/** The schema of a list of filter conditions, with one example. */
function defineConditions(description: string, example: readonly object[]) {
  const items = { type: 'object', maxProperties: MAX_CONDITIONS };
  return Type.Unsafe<unknown>({ type: 'array', maxItems: MAX_CONDITIONS, items, description, examples: [example] });
}

/** The schema of a list of column names, with examples. */
function defineNames(description: string, ...examples: readonly string[]) {
  const items = Type.String({ maxLength: MAX_CELL_LENGTH });
  return Type.Array(items, { maxItems: MAX_QUERY_NAMES, description, examples: [examples] });
}

function defineFlag(description: string) {
  return Type.Boolean({ description });
}

/** Accepted for consistency with other reads and writes. */
const INPUT_LOCALE = Type.Optional({
  ...InputLocaleChoice,
  description: 'Accepted as in other requests, but has no effect: records do not depend on a locale.',
});
const WHERE =
  'Conditions by column name; all must hold: a value, a list of values, or operators such as `{ "gte": 100 }`.';
const ANY = 'Conditions like `where`; at least one must hold.';
const NONE = 'Conditions like `where`; none may hold.';
const COLUMNS = 'Names for columns by letter, in place of the names in the header.';
const TYPES =
  'Types of columns: text, number, date, time, duration or boolean. By default the cell’s number format decides, then the majority of the column’s filled cells.';
const AGGREGATE = 'Returns groups in place of records: `groupBy`, and `measures` by name.';
const FORMULA = 'A formula that must be TRUE for the record; `[Sum]` is the record’s own cell.';
const SORT = 'Names of columns or measures; `-` before a name sorts in descending order.';
const CURSOR = '`pagination.nextCursor` of the previous page, with the same query.';
const AT_REVISION =
  'Reads the records at this revision. Together with `offset` it resumes a broken NDJSON response, within an hour on every plan.';
const RecordsRange = {
  ...RangeText,
  description: 'An A1 range whose first row is the header, a table or a defined name.',
};
const Cursor = Type.String({ maxLength: MAX_CURSOR_LENGTH, description: CURSOR });
const Limit = defineCount(1, 'Records; capped at 1000.');

/** Members that select records. */
const FILTER = {
  where: Type.Optional(defineMembers(MAX_CONDITIONS, WHERE, { Status: ['open', 'new'], Sum: { gte: 100 } })),
  ['any']: Type.Optional(defineConditions(ANY, [{ City: 'Riga' }, { Customer: { contains: 'nord' } }])),
  none: Type.Optional(defineConditions(NONE, [{ City: 'Riga' }])),
  formula: Type.Optional(
    Type.String({ maxLength: MAX_CELL_LENGTH, description: FORMULA, examples: ['=[Sum]>2*[Paid]'] }),
  ),
  caseSensitive: Type.Optional(defineFlag('Whether the case of texts matters; false by default.')),
  types: Type.Optional(defineMembers(MAX_QUERY_NAMES, TYPES, { Number: 'text', Date: 'date' })),
  columns: Type.Optional(defineMembers(MAX_QUERY_NAMES, COLUMNS, { 'Sum 2': 'D' })),
};

export const QueryRecordsBody = defineBody({
  range: RecordsRange,
  inputLocale: INPUT_LOCALE,
  ...FILTER,
  select: Type.Optional(defineNames('Names of the columns to return; all by default.', 'Number', 'Sum')),
  sort: Type.Optional(defineNames(SORT, '-Sum')),
  aggregate: Type.Optional(
    defineMembers(MAX_MEMBERS, AGGREGATE, {
      groupBy: ['City'],
      measures: { total: { sum: 'Sum' }, n: { count: '*' } },
    }),
  ),
  offset: Type.Optional(Offset),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
  revision: Type.Optional(defineCount(0, AT_REVISION)),
});

const Records = Type.Unsafe<unknown>({
  type: 'array',
  minItems: 1,
  maxItems: MAX_RECORDS,
  items: { type: 'object', maxProperties: MAX_QUERY_NAMES },
  description:
    'Fields by column name. Absent fields stay unchanged; `null` or `""` clears; `{ "value", "as" }` states the type.',
  examples: [[{ Number: 'A-1013', Date: '2026-03-26', Status: 'paid' }]],
});
const All = Type.Optional(defineFlag('`true`: every record; required if there is no filter.'));
const TARGET = {
  ...WRITE_CONDITIONS,
  inputLocale: INPUT_LOCALE,
  range: RecordsRange,
  types: FILTER.types,
  columns: FILTER.columns,
};
const APPENDED = {
  ...TARGET,
  records: Records,
  fillFormulas: Type.Optional(
    defineFlag('Whether absent fields of appended records get the formulas of the row above.'),
  ),
};

export const AppendRecordsBody = defineBody(APPENDED);
export const UpsertRecordsBody = defineBody({
  ...APPENDED,
  key: Type.Array(Type.String({ maxLength: MAX_CELL_LENGTH }), {
    minItems: 1,
    maxItems: MAX_QUERY_NAMES,
    description: 'The columns that identify a record.',
    examples: [['Number']],
  }),
  caseSensitive: FILTER.caseSensitive,
  onMatch: Type.Optional(
    defineChoice(['update', 'skip', 'error'], 'For a record whose key exists: update (default), skip, error.'),
  ),
  onMissing: Type.Optional(
    defineChoice(['append', 'skip', 'error'], 'For a record whose key does not exist: append (default), skip, error.'),
  ),
  onMany: Type.Optional(
    defineChoice(
      ['error', 'first', 'all'],
      'For a record whose key occurs in several rows: error (default), first, all.',
    ),
  ),
});
export const UpdateRecordsBody = defineBody({
  ...WRITE_CONDITIONS,
  inputLocale: INPUT_LOCALE,
  range: RecordsRange,
  ...FILTER,
  all: All,
  set: defineMembers(MAX_QUERY_NAMES, 'The new fields, in the form of one record.', { Status: 'paid' }),
});
export const DeleteRecordsBody = defineBody({
  ...WRITE_CONDITIONS,
  inputLocale: INPUT_LOCALE,
  range: RecordsRange,
  ...FILTER,
  all: All,
});

/** The schema of a query parameter that contains JSON text. */
function defineJsonBody(description: string) {
  return Type.Optional(Type.String({ maxLength: MAX_QUERY_TEXT_LENGTH, description: `${description} JSON text.` }));
}

const TEXT_FLAG = Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] });

export const QueryRecordsQuery = defineQuery({
  range: RecordsRange,
  inputLocale: INPUT_LOCALE,
  where: defineJsonBody(WHERE),
  ['any']: defineJsonBody(ANY),
  none: defineJsonBody(NONE),
  formula: Type.Optional(Type.String({ maxLength: MAX_QUERY_TEXT_LENGTH, description: FORMULA })),
  caseSensitive: Type.Optional(Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] })),
  types: defineJsonBody(TYPES),
  columns: defineJsonBody(COLUMNS),
  select: Type.Optional(defineNames('Sent as `select[]=…`.', 'Number')),
  sort: Type.Optional(defineNames('Sent as `sort[]=…`.', '-Sum')),
  aggregate: defineJsonBody(AGGREGATE),
  offset: Type.Optional(Offset),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
  revision: Type.Optional(defineCount(0, AT_REVISION)),
});
export type QueryRecordsQuery = Static<typeof QueryRecordsQuery>;

/** Query parameters of an NDJSON body. */
export const StreamQuery = defineQuery({
  ...WriteQuery.properties,
  inputLocale: INPUT_LOCALE,
  range: Type.Optional(
    Type.String({ maxLength: MAX_RANGE_LENGTH, description: 'For an NDJSON body: the range of the records.' }),
  ),
  batch: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_RECORDS,
      description: 'For an NDJSON body: records per commit; by default one commit for all.',
    }),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'For an NDJSON body: the number of its first batch, 1 by default. Earlier batches must have been written with the same `Idempotency-Key`.',
    }),
  ),
  types: defineJsonBody(TYPES),
  columns: defineJsonBody(COLUMNS),
  fillFormulas: Type.Optional(TEXT_FLAG),
});
export type StreamQuery = Static<typeof StreamQuery>;
export const StreamUpsertQuery = defineQuery({
  ...StreamQuery.properties,
  key: Type.Optional(defineNames('For an NDJSON body; sent as `key[]=…`.', 'Number')),
  caseSensitive: Type.Optional(TEXT_FLAG),
  onMatch: Type.Optional(defineChoice(['update', 'skip', 'error'], 'For an NDJSON body.')),
  onMissing: Type.Optional(defineChoice(['append', 'skip', 'error'], 'For an NDJSON body.')),
  onMany: Type.Optional(defineChoice(['error', 'first', 'all'], 'For an NDJSON body.')),
});

const LINE_RECORDS = Type.Unsafe<unknown>({ description: 'Records, one JSON object per line.' });

/** Defines a body that is one JSON value or NDJSON records. */
export function addRecordLines<T extends TSchema>(schema: T) {
  return { content: { 'application/json': { schema }, [LINES_TYPE]: { schema: LINE_RECORDS } } };
}
