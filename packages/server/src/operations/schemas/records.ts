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
  body,
  choice,
  count,
  InputLocaleChoice,
  Offset,
  query,
  RangeText,
  WRITE_CONDITIONS,
  WriteQuery,
} from './requests.ts';

/** Schemas of requests about records. What depends on a document's columns is judged with them, in the service. */

/** An object whose members are judged with the document's columns. */
function members(maxProperties: number, description: string, example: object) {
  return Type.Unsafe<unknown>({ type: 'object', maxProperties, description, examples: [example] });
}

function conditions(description: string, example: readonly object[]) {
  const items = { type: 'object', maxProperties: MAX_CONDITIONS };
  return Type.Unsafe<unknown>({ type: 'array', maxItems: MAX_CONDITIONS, items, description, examples: [example] });
}

function names(description: string, ...examples: readonly string[]) {
  const items = Type.String({ maxLength: MAX_CELL_LENGTH });
  return Type.Array(items, { maxItems: MAX_QUERY_NAMES, description, examples: [examples] });
}

function flag(description: string) {
  return Type.Boolean({ description });
}

/** Accepted as on other reads and writes. */
const INPUT_LOCALE = Type.Optional({
  ...InputLocaleChoice,
  description: 'As elsewhere. Records are never read or shown by the habits of a locale: it changes nothing here.',
});
const WHERE = 'What columns hold, all of it: a value, a list of values, or operators such as `{ "gte": 100 }`.';
const ANY = 'Conditions such as `where`, of which one holds.';
const NONE = 'Conditions such as `where`, none of which holds.';
const COLUMNS = 'Names for columns by their letters, in place of the header’s.';
const TYPES =
  'Types of columns: text, number, date, time, duration or boolean. Without one each cell’s number format says, then most of the column’s filled cells.';
const AGGREGATE = 'Groups in place of records: `groupBy`, and `measures` by name.';
const FORMULA = 'A formula that is calculated for each record; `[Sum]` is the record’s own cell.';
const SORT = 'Names of columns, or of measures; `-` before one sorts downwards.';
const CURSOR = '`pagination.nextCursor` of the page before, with the same query.';
const AT_REVISION =
  'Reads the records as they were at this revision: to take up a stream of lines where it broke, together with `offset`, within an hour on every plan.';
const RecordsRange = {
  ...RangeText,
  description: 'An A1 range whose first row is the header, a table or a defined name.',
};
const Cursor = Type.String({ maxLength: MAX_CURSOR_LENGTH, description: CURSOR });
const Limit = count(1, 'Records; capped at 1000.');

/** What says which records are meant. */
const FILTER = {
  where: Type.Optional(members(MAX_CONDITIONS, WHERE, { Status: ['open', 'new'], Sum: { gte: 100 } })),
  ['any']: Type.Optional(conditions(ANY, [{ City: 'Riga' }, { Customer: { contains: 'nord' } }])),
  none: Type.Optional(conditions(NONE, [{ City: 'Riga' }])),
  formula: Type.Optional(
    Type.String({ maxLength: MAX_CELL_LENGTH, description: FORMULA, examples: ['=[Sum]>2*[Paid]'] }),
  ),
  caseSensitive: Type.Optional(flag('Whether texts are told apart by case; false by default.')),
  types: Type.Optional(members(MAX_QUERY_NAMES, TYPES, { Number: 'text', Date: 'date' })),
  columns: Type.Optional(members(MAX_QUERY_NAMES, COLUMNS, { 'Sum 2': 'D' })),
};

export const QueryRecordsBody = body({
  range: RecordsRange,
  inputLocale: INPUT_LOCALE,
  ...FILTER,
  select: Type.Optional(names('Names of the columns to answer with; all by default.', 'Number', 'Sum')),
  sort: Type.Optional(names(SORT, '-Sum')),
  aggregate: Type.Optional(
    members(MAX_MEMBERS, AGGREGATE, { groupBy: ['City'], measures: { total: { sum: 'Sum' }, n: { count: '*' } } }),
  ),
  offset: Type.Optional(Offset),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
  revision: Type.Optional(count(0, AT_REVISION)),
});

const Records = Type.Unsafe<unknown>({
  type: 'array',
  minItems: 1,
  maxItems: MAX_RECORDS,
  items: { type: 'object', maxProperties: MAX_QUERY_NAMES },
  description:
    'Fields by the names of their columns. Absent: left alone; `null` or `""`: cleared; `{ "value", "as" }` says the type.',
  examples: [[{ Number: 'A-1013', Date: '2026-03-26', Status: 'paid' }]],
});
const All = Type.Optional(flag('`true` where no filter is meant to say every record.'));
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
    flag('Whether appended records get the formulas of the row above in the columns that they leave out.'),
  ),
};

export const AppendRecordsBody = body(APPENDED);
export const UpsertRecordsBody = body({
  ...APPENDED,
  key: Type.Array(Type.String({ maxLength: MAX_CELL_LENGTH }), {
    minItems: 1,
    maxItems: MAX_QUERY_NAMES,
    description: 'The columns that tell records apart.',
    examples: [['Number']],
  }),
  caseSensitive: FILTER.caseSensitive,
  onMatch: Type.Optional(
    choice(['update', 'skip', 'error'], 'What to do with a record whose key is there: update (default), skip, error.'),
  ),
  onMissing: Type.Optional(
    choice(['append', 'skip', 'error'], '… whose key is not there: append (default), skip, error.'),
  ),
  onMany: Type.Optional(
    choice(['error', 'first', 'all'], '… whose key several rows have: error (default), first, all.'),
  ),
});
export const UpdateRecordsBody = body({
  ...WRITE_CONDITIONS,
  inputLocale: INPUT_LOCALE,
  range: RecordsRange,
  ...FILTER,
  all: All,
  set: members(MAX_QUERY_NAMES, 'What the records are to hold; as one record.', { Status: 'paid' }),
});
export const DeleteRecordsBody = body({
  ...WRITE_CONDITIONS,
  inputLocale: INPUT_LOCALE,
  range: RecordsRange,
  ...FILTER,
  all: All,
});

function json(description: string) {
  return Type.Optional(Type.String({ maxLength: MAX_QUERY_TEXT_LENGTH, description: `${description} As JSON.` }));
}

const TEXT_FLAG = Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] });

export const QueryRecordsQuery = query({
  range: RecordsRange,
  inputLocale: INPUT_LOCALE,
  where: json(WHERE),
  ['any']: json(ANY),
  none: json(NONE),
  formula: Type.Optional(Type.String({ maxLength: MAX_QUERY_TEXT_LENGTH, description: FORMULA })),
  caseSensitive: Type.Optional(Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] })),
  types: json(TYPES),
  columns: json(COLUMNS),
  select: Type.Optional(names('Sent as `select[]=…`.', 'Number')),
  sort: Type.Optional(names('Sent as `sort[]=…`.', '-Sum')),
  aggregate: json(AGGREGATE),
  offset: Type.Optional(Offset),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
  revision: Type.Optional(count(0, AT_REVISION)),
});
export type QueryRecordsQuery = Static<typeof QueryRecordsQuery>;

/** What a body of lines leaves to the query. */
export const StreamQuery = query({
  ...WriteQuery.properties,
  inputLocale: INPUT_LOCALE,
  range: Type.Optional(
    Type.String({ maxLength: MAX_RANGE_LENGTH, description: 'Of a body of lines: where the records stand.' }),
  ),
  batch: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_RECORDS,
      description: 'Of a body of lines: records of one commit; without it all are one.',
    }),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Of a body of lines: the number of its first batch, 1 by default. Those before it must have been written under the same `Idempotency-Key`.',
    }),
  ),
  types: json(TYPES),
  columns: json(COLUMNS),
  fillFormulas: Type.Optional(TEXT_FLAG),
});
export type StreamQuery = Static<typeof StreamQuery>;
export const StreamUpsertQuery = query({
  ...StreamQuery.properties,
  key: Type.Optional(names('Of a body of lines, sent as `key[]=…`.', 'Number')),
  caseSensitive: Type.Optional(TEXT_FLAG),
  onMatch: Type.Optional(choice(['update', 'skip', 'error'], 'Of a body of lines.')),
  onMissing: Type.Optional(choice(['append', 'skip', 'error'], 'Of a body of lines.')),
  onMany: Type.Optional(choice(['error', 'first', 'all'], 'Of a body of lines.')),
});

const LINE_RECORDS = Type.Unsafe<unknown>({ description: 'Records, each an object on a line of its own.' });

/** A body that is one JSON value, or lines of records. */
export function orRecordLines<T extends TSchema>(schema: T) {
  return { content: { 'application/json': { schema }, [LINES_TYPE]: { schema: LINE_RECORDS } } };
}
