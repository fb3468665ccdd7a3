import { Type } from 'typebox';
import { DEFAULT_CHANGES_PAGE, FEED_PAGE_LENGTH, MAX_CHANGES_PAGE } from '../../limits/notify.ts';
import { changesFrom } from '../../service/changes/feed.ts';
import { LogReads } from '../../service/changes/log-reads.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { json } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { count, DocumentPath, query } from '../schemas/requests.ts';
import { CHANGE_EXAMPLE } from './examples.ts';
import { FOLLOW_OPTIONS, Incarnation, parseWatch, Since, showsPlaces } from './follow-options.ts';

const Author = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
});
const ChangedCell = Type.Unsafe<unknown>({
  type: 'object',
  description: 'Values are raw; null: empty.',
  properties: {
    cell: { type: 'string' },
    before: { type: ['string', 'number', 'boolean', 'null'] },
    after: { type: ['string', 'number', 'boolean', 'null'] },
    derived: { type: 'boolean', description: 'Recalculated, not written.' },
  },
  examples: [{ cell: 'Orders!H14', before: 'open', after: 'paid' }],
});
const ChangedRecord = Type.Unsafe<unknown>({
  type: 'object',
  description: 'Fields by the names of their columns. A record that only went to another row has not changed.',
  properties: {
    result: { type: 'string', enum: ['created', 'updated', 'deleted'] },
    key: { type: 'object' },
    row: { type: 'integer', description: 'Of a deleted record where it stood.' },
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
  from: Type.String({ description: 'The cells leave it.' }),
  to: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'They take the place of what is there. Null: they are deleted, or gone to a sheet that is not told of, and no others come where they were.',
  }),
  together: Type.Optional(Type.Literal(true, { description: 'At the same time as the one before.' })),
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
      description: 'Cells that were written, or cut from a sheet that is not told of.',
    }),
    derived: Type.Array(Type.String(), { description: 'Cells recalculated because of them.' }),
    truncated: Type.Boolean(),
    moved: Type.Optional(
      Type.Array(MovedCells, {
        description: 'Where cells went that changed places, one after the other, before any were written.',
      }),
    ),
    structure: Type.Array(Type.Unsafe<object>({ type: 'object' }), {
      description:
        'What was done to sheets as such, each as one member with its names; without what concerns a sheet whose values are hidden from the reader.',
    }),
    incarnation: Type.String({ description: 'As below, of this revision.' }),
    cells: Type.Optional(Type.Array(ChangedCell, { description: 'With `values=true`; the first of many.' })),
    records: Type.Optional(Type.Array(ChangedRecord, { description: 'With `key`; the first of many.' })),
  },
  { title: 'Change' },
);
const Changes = Type.Object({
  changes: Type.Object({
    entries: Type.Array(Change),
    revision: Type.Integer({ description: 'The newest revision.' }),
    next: Type.Integer({ description: 'The `since` to go on with.' }),
    hasMore: Type.Boolean(),
    incarnation: Type.String({ description: 'Names the history that `next` is a place of: to be given back with it.' }),
    gap: Type.Boolean({ description: 'The log does not reach back to `since`: read the document anew.' }),
  }),
});

/** Maximum bytes of a character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

export const listChanges = defineRead({
  id: 'listChanges',
  http: { method: 'GET', path: '/documents/{document}/changes' },
  requires: { scope: 'sheets.read' },
  tag: 'Changes',
  summary: 'List what happened to a document after a revision',
  description:
    'Commits after a revision, oldest first, to follow a document by asking. `gap` says that some are not there any more: read anew.',
  params: DocumentPath,
  query: query({
    since: Since,
    incarnation: Type.Optional(Incarnation),
    limit: Type.Optional(count(1, `${DEFAULT_CHANGES_PAGE} by default, capped at ${MAX_CHANGES_PAGE}.`)),
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
    const wanted = {
      since: Number(since),
      incarnation,
      limit: Math.min(limit, MAX_CHANGES_PAGE),
      maxLength: Math.min(context.config.limits.maxResponseBytes / MAX_CHARACTER_BYTES, FEED_PAGE_LENGTH),
      watch,
      values: values === 'true',
      places: showsPlaces(document),
    };
    const log = new LogReads(context, document.documentId, reading);
    const found = await changesFrom(context, document, wanted, log);
    if (isRefusal(found)) return found;
    const { watched: _watched, ...changes } = found;
    return json({ changes });
  },
});
