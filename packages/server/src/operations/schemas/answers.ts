import { RECORD_TYPES } from '@cellwire/engine';
import { type TSchema, Type } from 'typebox';
import { LINES_TYPE } from './content-types.ts';

/** Schemas of answers, for the API's description. Answers are not filtered or converted by them. */
export const Count = Type.Integer({ minimum: 0 });
export const Time = Type.String({ format: 'date-time' });

const CellError = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'CellError' });
const Cell = Type.Unsafe<unknown>({
  title: 'Cell',
  type: ['object', 'string', 'number', 'boolean', 'null'],
  description: 'With `render`, only the value.',
  required: ['v', 'm'],
  properties: {
    v: { type: ['number', 'boolean', 'string'], description: 'Raw value; for a date its serial number.' },
    m: { type: 'string', description: 'The displayed text.' },
    f: { type: 'string', description: 'The formula; only for formula cells.' },
    t: { type: 'string', enum: ['d'], description: 'Only for dates.' },
    error: CellError,
  },
});

const Pagination = Type.Object(
  {
    offset: Count,
    limit: Count,
    total: Count,
    returned: Count,
    hasMore: Type.Boolean(),
    nextOffset: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  },
  { title: 'Pagination' },
);

const RANGE = {
  sheet: Type.String(),
  range: Type.String(),
  majorDimension: Type.Unsafe<string>({ type: 'string', enum: ['ROWS', 'COLUMNS'] }),
  cells: Type.Array(Type.Array(Cell)),
  pagination: Pagination,
};
const FAILED_RANGE = { range: Type.String(), error: Type.String() };
const ValueRange = Type.Object(RANGE, { title: 'ValueRange' });

/** Entries of a batchGet: pages, and errors of ranges that could not be read. */
function defineRangeEntries(range: TSchema, failed: TSchema) {
  return Type.Object({ valueRanges: Type.Array(Type.Unsafe<unknown>({ anyOf: [range, failed] })) });
}

/** The document of an entry in a read across documents. */
const FROM = {
  document: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null: the range names no document.' }),
};

const Figures = {
  updatedRange: Type.String(),
  updatedRows: Count,
  updatedColumns: Count,
  updatedCells: Count,
  cells: Count,
};

const Warnings = Type.Optional(
  Type.Array(Type.Object({ cell: Type.String(), message: Type.String() }), {
    description: 'Formulas that could not be parsed, values hidden by a merged range, and other warnings.',
  }),
);

const RecordWarnings = Type.Optional(
  Type.Array(
    Type.Object({
      record: Type.Optional(Type.Integer({ minimum: 0, description: 'Index of the record in the request or stream.' })),
      column: Type.Optional(Type.String()),
      cell: Type.Optional(
        Type.String({ description: 'For a warning about a cell, which has no `record` and `column`.' }),
      ),
      message: Type.String(),
    }),
    { description: 'Texts that look like other values of their column, and formulas that could not be parsed.' },
  ),
);

export const Sheet = Type.Object(
  {
    name: Type.String(),
    hidden: Type.Boolean(),
    order: Count,
    color: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  },
  { title: 'Sheet' },
);

const Refused = Type.Object({ message: Type.String() }, { title: 'Refused' });
const Closed = Type.Unsafe<unknown>({
  title: 'Closed',
  type: 'object',
  properties: {
    message: { type: 'string' },
    success: { type: 'boolean', enum: [false] },
    access: { type: 'boolean', enum: [false] },
  },
});
const Invalid = Type.Object(
  {
    message: Type.String(),
    errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  },
  { title: 'Invalid' },
);
const TooMany = Type.Object({ message: Type.String(), retryAfter: Type.Integer({ minimum: 1 }) }, { title: 'TooMany' });

const addDescription = <T extends object>(schema: T, description: string): T & { description: string } => ({
  ...schema,
  description,
});

const Value = Type.Unsafe<unknown>({ type: ['string', 'number', 'boolean', 'null'] });
const Field = Type.Unsafe<unknown>({
  type: ['string', 'number', 'boolean', 'null', 'object'],
  description:
    'Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`.',
});

/** Additional members of the answer to a dry run. `value`: schema of the cells' values. */
function defineDryRunMembers(value: typeof Value) {
  return {
    dryRun: Type.Optional(Type.Boolean()),
    changes: Type.Optional(
      Type.Array(
        Type.Object({
          cell: Type.String(),
          before: value,
          after: value,
          derived: Type.Optional(Type.Boolean({ description: 'The cell was recalculated, not written.' })),
          deleted: Type.Optional(
            Type.Boolean({
              description:
                'The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address.',
            }),
          ),
        }),
        { description: 'For a dry run: the cells that would change, up to 1,000.' },
      ),
    ),
    truncated: Type.Optional(Type.Boolean({ description: 'There are more changes.' })),
  };
}

export const DRY_RUN = defineDryRunMembers(Value);

const Results = Type.Array(
  Type.Object({
    row: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Null: the record does not exist and was skipped.',
    }),
    rows: Type.Optional(Type.Array(Type.Integer(), { description: 'All rows with the key, if `onMany` is `all`.' })),
    result: Type.Unsafe<string>({ type: 'string', enum: ['created', 'updated', 'unchanged', 'skipped', 'deleted'] }),
  }),
);

/**
 * Defines the answer to a record change. `name`: the member that holds the change; `figures`: names of the counts in
 * it.
 */
function defineRecordChange(name: string, figures: readonly string[]) {
  const counts = Object.fromEntries(figures.map((figure) => [figure, Count]));
  const change = Type.Object({ sheet: Type.String(), ...counts, records: Results, revisionId: Type.String() });
  return Type.Object({
    [name]: change,
    ...defineDryRunMembers(Field),
    warnings: RecordWarnings,
    warningsTruncated: Type.Optional(Type.Boolean({ description: 'There are more than 100 warnings.' })),
  });
}

export const ANSWERS = {
  protection: Type.Object({
    protection: Type.Object({
      sheet: Type.String(),
      hideValues: Type.Boolean(),
      lock: Type.Boolean(),
      allow: Type.Array(Type.Integer(), {
        description: 'Ids of users. Users other than the owner see only their own id.',
      }),
    }),
  }),
  values: Type.Object({ values: ValueRange }),
  unchanged: Type.Unsafe<undefined>({
    description: 'The content still has the ETag in `If-None-Match`.',
    type: 'null',
  }),
  valueRanges: defineRangeEntries(ValueRange, Type.Object(FAILED_RANGE)),
  bookRanges: defineRangeEntries(Type.Object({ ...FROM, ...RANGE }), Type.Object({ ...FROM, ...FAILED_RANGE })),
  written: Type.Object({
    updated: Type.Object({ sheet: Type.String(), ...Figures }),
    warnings: Warnings,
    ...DRY_RUN,
  }),
  batchWritten: Type.Object({
    updated: Type.Object({
      ranges: Type.Array(Type.Object({ sheet: Type.String(), range: Type.String(), ...Figures })),
      cells: Count,
    }),
    warnings: Warnings,
    ...DRY_RUN,
  }),
  appended: Type.Object({
    updated: Type.Object({ sheet: Type.String(), startRow: Type.Integer({ minimum: 1 }), ...Figures }),
    warnings: Warnings,
    ...DRY_RUN,
  }),
  cleared: Type.Object({ updated: Type.Object({ sheet: Type.String(), cells: Count }), ...DRY_RUN }),
  sheet: Type.Object({ sheet: Sheet, ...DRY_RUN }),
  records: Type.Object({
    records: Type.Array(
      Type.Object({
        row: Type.Optional(Type.Integer({ minimum: 1, description: 'Row of the sheet; absent for groups.' })),
        fields: Type.Record(Type.String(), Field),
      }),
    ),
    columns: Type.Array(
      Type.Object({
        name: Type.String(),
        column: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'Letter of the column; null: the column is a measure.',
        }),
        type: Type.Unsafe<string>({ type: 'string', enum: [...RECORD_TYPES, 'mixed', 'empty'] }),
      }),
    ),
    revisionId: Type.String(),
    pagination: Type.Object({
      ...Pagination.properties,
      nextCursor: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: '`cursor` of the next page of the same query, at this revision.',
      }),
    }),
  }),
  recordsAppended: defineRecordChange('appended', ['created', 'cells']),
  recordsUpserted: defineRecordChange('upserted', ['created', 'updated', 'unchanged', 'skipped', 'cells']),
  recordsUpdated: defineRecordChange('updated', ['updated', 'unchanged', 'cells']),
  recordsDeleted: defineRecordChange('deleted', ['deleted']),
} as const;

/** An answer that is also available as NDJSON if `Accept` requests it. */
export function addLinesVariant(schema: TSchema, line: string) {
  const description = `${line} The last line is \`{ "end": true, "records", "revisionId" }\`.`;
  return {
    description: 'Default Response',
    content: { 'application/json': { schema }, [LINES_TYPE]: { schema: Type.String({ description }) } },
  };
}

/** Like `addLinesVariant`, for NDJSON that reports commits. */
export function addBatchLines(schema: TSchema) {
  const description =
    'For an NDJSON body: `{ "batch": 1, … }` for each commit, with its `warnings`, and `"replayed": true` if it was already written. The last line is `{ "end": true, "records", "batches", "revisionId" }`, or `{ "batch", "status", "message" }` if a batch was refused.';
  return {
    description: 'Default Response',
    content: { 'application/json': { schema }, [LINES_TYPE]: { schema: Type.String({ description }) } },
  };
}

/** Refusals that are possible for every operation. */
export const REFUSALS = {
  401: addDescription(Refused, 'The token is missing, wrong, expired or revoked.'),
  403: addDescription(Closed, 'Scope, token, access, plan, role or protection forbid it.'),
  404: addDescription(Refused, 'There is no such document, sheet or subscription.'),
  422: addDescription(Invalid, 'The request is not valid.'),
  412: addDescription(
    Type.Object(
      {
        message: Type.String(),
        revisionId: Type.String(),
        differences: Type.Optional(
          Type.Array(Type.Object({ cell: Type.String(), expected: Field, actual: Field }), {
            description: 'Cells that do not have the values in `expect`, up to 100.',
          }),
        ),
      },
      { title: 'PreconditionFailed' },
    ),
    'The condition in `If-Match`, `ifRevision` or `expect` does not hold; `revisionId` is the newest revision.',
  ),
  429: addDescription(TooMany, 'Too many requests.'),
} as const;

/** Failures that are possible for every request. */
export const FAILURES = {
  413: addDescription(Refused, 'The body is too large.'),
  503: addDescription(Refused, 'The service is busy; `Retry-After` says when to try again.'),
  500: addDescription(
    Type.Object({ message: Type.String(), requestId: Type.String() }, { title: 'ServerError' }),
    'An internal error; the service’s log has the reason under the same id.',
  ),
} as const;
