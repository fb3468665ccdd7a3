import { type Static, Type } from 'typebox';
import type { Needs } from '../../access/gate.ts';
import { DEFAULT_CHANGES_PAGE, FEED_PAGE_LENGTH, MAX_CHANGES_PAGE } from '../../limits/notify.ts';
import { getChanges } from '../../service/changes/feed.ts';
import { NO_MOVES, trailOf, type WatchWanted } from '../../service/changes/watch.ts';
import { openTable } from '../../service/open-table.ts';
import type { Refusal } from '../../service/refusal.ts';
import { invalidRequest, isRefusal } from '../../service/refusal.ts';
import { REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf, callerOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { EventStreams } from '../event-streams.ts';
import { count, DocumentPath, query, WATCH } from '../schemas.ts';

const READS: Needs = { scope: 'sheets.read' };
const TAGS = ['Changes'];
const REVISION = /^[0-9]{1,15}$/;

const Since = Type.String({ pattern: '^[0-9]{1,15}$', description: 'A revision; what came after it is told.' });
const Incarnation = Type.String({
  maxLength: 64,
  description: 'What came with `since`: of another history the answer is `gap`.',
});
const FOLLOWED = {
  ...WATCH,
  values: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: `cells` has the changed cells with their values before and after.',
    }),
  ),
};
const ChangesQuery = query({
  since: Since,
  incarnation: Type.Optional(Incarnation),
  limit: Type.Optional(count(1, `${DEFAULT_CHANGES_PAGE} by default, capped at ${MAX_CHANGES_PAGE}.`)),
  ...FOLLOWED,
});
const EventsQuery = query({ since: Type.Optional(Since), incarnation: Type.Optional(Incarnation), ...FOLLOWED });

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
const Events = {
  description: 'Each event’s id is a revision, its data an entry of `changes`.',
  content: { 'text/event-stream': { schema: Type.String() } },
};

export function changeRoutes(app: App, api: Api): void {
  listChangesRoute(app, api);
  eventsRoute(app, api);
}

function listChangesRoute(app: App, api: Api): void {
  app.get(
    '/documents/:document/changes',
    {
      config: { needs: READS },
      schema: {
        operationId: 'listChanges',
        summary: 'List what happened to a document after a revision',
        tags: TAGS,
        params: DocumentPath,
        querystring: ChangesQuery,
        response: { 200: Changes, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { since, incarnation = null, limit = DEFAULT_CHANGES_PAGE } = request.query;
      const { maxResponseBytes } = api.context.config.limits;
      const watch = watchOf(request.query);
      if (isRefusal(watch)) return sendRefusal(reply, watch);
      // A character is up to four bytes of UTF-8.
      const maxLength = Math.min(maxResponseBytes / 4, FEED_PAGE_LENGTH);
      const page = { since: Number(since), incarnation, limit: Math.min(limit, MAX_CHANGES_PAGE), maxLength };
      const wanted = { ...page, watch, values: request.query.values === 'true' };
      const told = await getChanges(api.context, accessOf(request), wanted);
      if (isRefusal(told)) return sendRefusal(reply, told);
      const { watched: _watched, ...changes } = told;
      return reply.send({ changes });
    },
  );
}

/** What a query asks to be told of only; null: everything. */
function watchOf({ range, key = [] }: Static<typeof EventsQuery>): WatchWanted | Refusal | null {
  if (range !== undefined) return { range, key };
  return key.length === 0 ? null : invalidRequest('range', 'range is required with key: it holds the records');
}

const FULL: Refusal = { kind: 'refusal', reason: 'rateLimited', retryAfter: 5 };

function eventsRoute(app: App, api: Api): void {
  const streams = new EventStreams({ ...api, count: app.eventStreams });
  app.addHook('preClose', async () => streams.close());
  app.get(
    '/documents/:document/events',
    {
      config: { needs: READS },
      schema: {
        operationId: 'streamChanges',
        summary: 'Follow what happens to a document as server-sent events',
        tags: TAGS,
        params: DocumentPath,
        querystring: EventsQuery,
        response: { 200: Events, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const access = accessOf(request);
      const { 'last-event-id': lastId } = request.headers;
      const given = typeof lastId === 'string' ? lastId : request.query.since;
      if (given !== undefined && !REVISION.test(given)) {
        return sendRefusal(reply, invalidRequest('Last-Event-ID', 'Last-Event-ID must be a revision'));
      }
      const watch = watchOf(request.query);
      if (isRefusal(watch)) return sendRefusal(reply, watch);
      const snapshot = await openTable(api.context, access);
      if (isRefusal(snapshot)) return sendRefusal(reply, snapshot);
      const trail = watch && (await trailOf(access, watch, snapshot, snapshot.revision, NO_MOVES));
      if (isRefusal(trail)) return sendRefusal(reply, trail);
      if (!streams.hasRoom(callerOf(request).userId)) return sendRefusal(reply, FULL);
      reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.send();
      reply.hijack();
      reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      reply.raw.write(`retry: ${RECONNECT_MS}\n\n`);
      streams.add(reply.raw, api.credentialsOf(request), access, {
        position: given === undefined ? snapshot.revision : Number(given),
        incarnation: request.query.incarnation ?? null,
        watch,
        values: request.query.values === 'true',
      });
      return reply;
    },
  );
}

/** A reader whose connection broke comes back after so long, in milliseconds. */
const RECONNECT_MS = 2_000;
