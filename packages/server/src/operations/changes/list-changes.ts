import { Type } from 'typebox';
import { DEFAULT_CHANGES_PAGE, FEED_PAGE_LENGTH, MAX_CHANGES_PAGE } from '../../limits/notify.ts';
import { readChangesAfter } from '../../service/changes/feed.ts';
import { LogReads } from '../../service/changes/log-reads.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineCount, defineQuery } from '../schemas/requests.ts';
import { CHANGE_EXAMPLE } from './examples.ts';
import { FOLLOW_OPTIONS, Incarnation, includesMoves, parseWatch, Since } from './follow-options.ts';

const Author = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
});
const ChangedCell = Type.Unsafe<unknown>({
  type: 'object',
  description: 'Values are raw values; null: the cell is empty.',
  properties: {
    cell: { type: 'string' },
    before: { type: ['string', 'number', 'boolean', 'null'] },
    after: { type: ['string', 'number', 'boolean', 'null'] },
    derived: { type: 'boolean', description: 'The cell was recalculated, not written.' },
  },
  examples: [{ cell: 'Orders!H14', before: 'open', after: 'paid' }],
});
const ChangedRecord = Type.Unsafe<unknown>({
  type: 'object',
  description: 'Fields by column name. A record that only moved to another row is not a changed record.',
  properties: {
    result: { type: 'string', enum: ['created', 'updated', 'deleted'] },
    key: { type: 'object' },
    row: { type: 'integer', description: 'For a deleted record: its last row.' },
    before: { type: ['object', 'null'] },
    after: { type: ['object', 'null'] },
  },
  examples: [
    {
      result: 'updated',
      key: { Number: 'A-1013' },
      row: 14,
      before: { Number: 'A-1013', Status: 'open' },
      after: { Number: 'A-1013', Status: 'paid' },
    },
  ],
});
const MovedCells = Type.Object({
  from: Type.String({ description: 'The source range.' }),
  to: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'The destination, whose cells are replaced. Null: the cells were deleted, or moved to a sheet that the caller does not follow or see; their source is empty afterwards.',
  }),
  together: Type.Optional(
    Type.Literal(true, { description: 'The move happens at the same time as the previous move.' }),
  ),
});
const Change = Type.Object(
  {
    revision: Type.Integer(),
    changedAt: Type.String({ format: 'date-time' }),
    origin: Type.String(),
    sourceToken: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    author: Author,
    cellCount: Type.Integer(),
    ranges: Type.Array(Type.String(), {
      description: 'Cells that were written, or moved here from a sheet that the caller does not follow or see.',
    }),
    derived: Type.Array(Type.String(), { description: 'Cells that were recalculated as a result.' }),
    truncated: Type.Boolean(),
    moved: Type.Optional(
      Type.Array(MovedCells, {
        description: 'Moves of cells, in order. They happened before the writes.',
      }),
    ),
    structure: Type.Array(Type.Unsafe<object>({ type: 'object' }), {
      description:
        'Operations on sheets, rows and columns, each an object with one member. Operations on sheets whose values are hidden from the caller are left out.',
    }),
    incarnation: Type.String({ description: 'The `incarnation` of this revision.' }),
    cells: Type.Optional(
      Type.Array(ChangedCell, { description: 'With `values=true`: the changed cells, up to a limit.' }),
    ),
    records: Type.Optional(
      Type.Array(ChangedRecord, { description: 'With `key`: the changed records, up to a limit.' }),
    ),
  },
  { title: 'Change' },
);
const Changes = Type.Object({
  changes: Type.Object({
    entries: Type.Array(Change),
    revision: Type.Integer({ description: 'The newest revision.' }),
    next: Type.Integer({ description: 'The `since` of the next request.' }),
    hasMore: Type.Boolean(),
    incarnation: Type.String({
      description: 'Id of the document’s history. Send it together with `next` in the next request.',
    }),
    gap: Type.Boolean({ description: 'The log no longer has the changes after `since`: read the document again.' }),
  }),
});

/** Maximum bytes of a character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

export const listChanges = defineRead({
  id: 'listChanges',
  http: { method: 'GET', path: '/documents/{document}/changes' },
  requires: { scope: 'sheets.read' },
  tag: 'Changes',
  summary: 'List the changes of a document after a revision',
  description:
    'Commits after a revision, oldest first, for following a document by polling. If `gap` is true, some commits are no longer available: read the document again.',
  params: DocumentPath,
  query: defineQuery({
    since: Since,
    incarnation: Type.Optional(Incarnation),
    limit: Type.Optional(defineCount(1, `${DEFAULT_CHANGES_PAGE} by default, capped at ${MAX_CHANGES_PAGE}.`)),
    ...FOLLOW_OPTIONS,
  }),
  answers: { 200: Changes, ...REFUSALS },
  example: {
    answer: {
      changes: {
        entries: [CHANGE_EXAMPLE],
        revision: 42,
        next: 42,
        hasMore: false,
        incarnation: CHANGE_EXAMPLE.incarnation,
        gap: false,
      },
    },
  },

  async run({ context, document }, { since, incarnation = null, limit = DEFAULT_CHANGES_PAGE, values, ...sentWatch }) {
    const watch = parseWatch(sentWatch);
    if (isRefusal(watch)) return watch;
    const reading = await openReading(context, document);
    if (isRefusal(reading)) return reading;
    const request = {
      since: Number(since),
      incarnation,
      limit: Math.min(limit, MAX_CHANGES_PAGE),
      maxLength: Math.min(context.config.limits.maxResponseBytes / MAX_CHARACTER_BYTES, FEED_PAGE_LENGTH),
      watch,
      values: values === 'true',
      places: includesMoves(document),
    };
    const log = new LogReads(context, document.documentId, reading);
    const found = await readChangesAfter(context, document, request, log);
    if (isRefusal(found)) return found;
    const { watched: _watched, ...changes } = found;
    return toJsonContent({ changes });
  },
});
