import { type Static, type TUnsafe, Type } from 'typebox';
import { MAX_QUERY_NAMES } from '../limits/limits.ts';
import { body, count, Offset, PRECONDITIONS, RangeText } from './schemas.ts';

/** Schemas of requests about records. What depends on a document's columns is judged with them, in the service. */

function described(description: string, example?: unknown): TUnsafe<unknown> {
  return Type.Unsafe<unknown>(example === undefined ? { description } : { description, examples: [example] });
}

const WHERE = 'What columns hold, all of it: a value, a list of values, or operators such as `{ "gte": 100 }`.';
const ANY = 'Conditions such as `where`, of which one holds.';
const NONE = 'Conditions such as `where`, none of which holds.';
const COLUMNS = 'Names for columns by their letters, in place of the header’s.';
const TYPES = 'Types of columns: text, number, date or boolean. Without one the filled cells say.';
const AGGREGATE = 'Groups in place of records: `groupBy`, and `measures` by name.';
const FORMULA = 'A formula that is calculated for each record; `[Sum]` is the record’s own cell.';
const SORT = 'Names of columns, or of measures; `-` before one sorts downwards.';
const CURSOR = '`pagination.nextCursor` of the page before, with the same query.';
const RecordsRange = {
  ...RangeText,
  description: 'An A1 range whose first row is the header, a table or a defined name.',
};
const Cursor = Type.String({ description: CURSOR });
const Limit = count(1, 'Records; capped at 1000.');

/** What says which records are meant. */
export const FILTER = {
  where: Type.Optional(described(WHERE, { Status: ['open', 'new'], Sum: { gte: 100 } })),
  ['any']: Type.Optional(described(ANY, [{ City: 'Riga' }, { Customer: { contains: 'nord' } }])),
  none: Type.Optional(described(NONE, [{ City: 'Riga' }])),
  formula: Type.Optional(described(FORMULA, '=[Sum]>2*[Paid]')),
  caseSensitive: Type.Optional(described('Whether texts are told apart by case; false by default.')),
  types: Type.Optional(described(TYPES, { Number: 'text', Date: 'date' })),
  columns: Type.Optional(described(COLUMNS, { 'Sum 2': 'D' })),
};

export const QueryRecordsBody = body({
  range: RecordsRange,
  ...FILTER,
  select: Type.Optional(described('Names of the columns to answer with; all by default.', ['Number', 'Sum'])),
  sort: Type.Optional(described(SORT, ['-Sum'])),
  aggregate: Type.Optional(
    described(AGGREGATE, { groupBy: ['City'], measures: { total: { sum: 'Sum' }, n: { count: '*' } } }),
  ),
  offset: Type.Optional(Offset),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
});

const Records = described(
  'Fields by the names of their columns. Absent: left alone; `null` or `""`: cleared; `{ "value", "as" }` says the type.',
  [{ Number: 'A-1013', Date: '2026-03-26', Status: 'paid' }],
);
const All = Type.Optional(described('`true` where no filter is meant to say every record.'));
const TARGET = { ...PRECONDITIONS, range: RecordsRange, types: FILTER.types, columns: FILTER.columns };
const APPENDED = {
  ...TARGET,
  records: Records,
  fillFormulas: Type.Optional(
    described('Whether appended records get the formulas of the row above in the columns that they leave out.'),
  ),
};

export const AppendRecordsBody = body(APPENDED);
export const UpsertRecordsBody = body({
  ...APPENDED,
  key: described('The columns that tell records apart.', ['Number']),
  caseSensitive: FILTER.caseSensitive,
  onMatch: Type.Optional(described('What to do with a record whose key is there: update (default), skip, error.')),
  onMissing: Type.Optional(described('… whose key is not there: append (default), skip, error.')),
  onMany: Type.Optional(described('… whose key several rows have: error (default), first, all.')),
});
export const UpdateRecordsBody = body({
  ...PRECONDITIONS,
  range: RecordsRange,
  ...FILTER,
  all: All,
  set: described('What the records are to hold; as one record.', { Status: 'paid' }),
});
export const DeleteRecordsBody = body({ ...PRECONDITIONS, range: RecordsRange, ...FILTER, all: All });

function json(description: string) {
  return Type.Optional(Type.String({ description: `${description} As JSON.` }));
}

export const QueryRecordsQuery = Type.Object({
  range: RecordsRange,
  where: json(WHERE),
  ['any']: json(ANY),
  none: json(NONE),
  formula: Type.Optional(Type.String({ description: FORMULA })),
  caseSensitive: Type.Optional(Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] })),
  types: json(TYPES),
  columns: json(COLUMNS),
  select: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_QUERY_NAMES, description: 'Sent as `select[]=…`.' })),
  sort: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_QUERY_NAMES, description: 'Sent as `sort[]=…`.' })),
  aggregate: json(AGGREGATE),
  offset: Type.Optional(Offset),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
});
export type QueryRecordsQuery = Static<typeof QueryRecordsQuery>;
