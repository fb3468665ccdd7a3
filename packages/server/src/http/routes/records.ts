import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Needs } from '../../access/gate.ts';
import { atOnce } from '../../event-loop/slices.ts';
import { MAX_BODY_DEPTH, MAX_GATHERED_CHARACTERS } from '../../limits/http.ts';
import { MAX_RECORDS } from '../../limits/limits.ts';
import { appendRecords } from '../../service/records/append-records.ts';
import { deleteRecords, updateRecords } from '../../service/records/filtered-changes.ts';
import { type Make, type PreparedQuery, prepareQuery } from '../../service/records/query-records.ts';
import { type ChangeInBatches, streamRecords } from '../../service/records/stream-records.ts';
import { upsertRecords } from '../../service/records/upsert-records.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteRequest } from '../../service/write.ts';
import { ANSWERS, orBatchLines, orLines, REFUSALS } from '../answers.ts';
import { type Api, type App, accessOf, callerOf } from '../api.ts';
import { LINES_TYPE } from '../content-types.ts';
import { holdsTag, sendParts } from '../envelope.ts';
import { sendRefusal } from '../errors.ts';
import { idempotencyHook, sendReply, writeOf } from '../idempotency-hook.ts';
import { LongInteger, NoJson, parseInPieces } from '../json-pieces.ts';
import { acceptLines, LineBody, lineBatches } from '../line-bodies.ts';
import { sendLines, wantsLines } from '../lines.ts';
import { longIntegerRefusal } from '../long-integers.ts';
import {
  AppendRecordsBody,
  DeleteRecordsBody,
  orRecordLines,
  QueryRecordsBody,
  QueryRecordsQuery as QuerySchema,
  StreamQuery,
  StreamUpsertQuery,
  UpdateRecordsBody,
  UpsertRecordsBody,
} from '../record-schemas.ts';
import { DocumentPath, WriteQuery } from '../schemas.ts';

/** Also as POST, which only carries what is too long for an address. */
const READS: Needs = { scope: 'sheets.read' };

const WRITES: Needs = { scope: 'sheets.write', feature: 'valueWrites', writes: true };

const RECORDS = '/documents/:document/records';
const TAGS = ['Records'];
const RECORD_LINES = 'Without `limit` all records at one revision, each line `{ row, fields }`.';

export function recordQueryRoutes(app: App, api: Api): void {
  app.get(
    `${RECORDS}/query`,
    {
      config: { needs: READS },
      schema: {
        operationId: 'getRecords',
        summary: 'Filter, sort, group and page rows as records',
        tags: TAGS,
        params: DocumentPath,
        querystring: QuerySchema,
        response: { 200: orLines(ANSWERS.records, RECORD_LINES), 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const sent = membersOf(request.query, JSON_MEMBERS);
      const prepared = isRefusal(sent) ? sent : await prepareQuery(api.context, accessOf(request), sent);
      if (isRefusal(prepared)) return sendRefusal(reply, prepared);
      const tag = prepared.tagOf(wantsLines(request.headers) ? 'lines' : 'value');
      reply.header('etag', tag).header('cache-control', 'private, no-cache').header('vary', 'accept');
      if (holdsTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
      return sendRecords(api, request, reply, prepared);
    },
  );
  app.post(
    `${RECORDS}/query`,
    {
      config: { needs: READS },
      schema: {
        operationId: 'queryRecords',
        summary: 'Filter, sort, group and page rows as records; for queries too long for an address',
        tags: TAGS,
        params: DocumentPath,
        body: QueryRecordsBody,
        response: { 200: orLines(ANSWERS.records, RECORD_LINES), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const prepared = await prepareQuery(api.context, accessOf(request), request.body);
      return isRefusal(prepared) ? sendRefusal(reply, prepared) : sendRecords(api, request, reply, prepared);
    },
  );
}

async function sendRecords(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, lines, revision }: PreparedQuery,
): Promise<FastifyReply> {
  const { longAnswers } = request.server;
  const asked = {
    user: callerOf(request).userId,
    maxBytes: api.context.config.limits.maxResponseBytes,
    response: reply.raw,
  };
  const make: Make = (begin) => longAnswers.make(asked, begin);
  if (wantsLines(request.headers)) {
    const made = await lines(make);
    return isRefusal(made) ? sendRefusal(reply, made) : sendLines(api, request, reply, { lines: made, revision });
  }
  const text = await answer(make);
  return typeof text === 'string' ? sendParts(request, reply, [text]) : sendRefusal(reply, text);
}

/** Members of a query, and of what is said beside lines, that are JSON in an address; and those that are booleans. */
const JSON_MEMBERS = ['where', 'any', 'none', 'columns', 'types', 'aggregate'];
const JSON_OPTIONS = ['columns', 'types'];
const FLAGS = ['caseSensitive', 'fillFormulas'];

/** The members that a body would have. */
function membersOf(
  query: Readonly<Record<string, unknown>>,
  asJson: readonly string[],
): Readonly<Record<string, unknown>> | Refusal {
  const members: Record<string, unknown> = { ...query };
  for (const name of asJson) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    try {
      members[name] = atOnce(parseInPieces(Buffer.from(text)));
    } catch (error) {
      if (error instanceof LongInteger) return longIntegerRefusal([name, ...error.path], error.integer);
      if (!(error instanceof NoJson)) throw error;
      return invalidRequest(name, `${name} must be JSON, nested at most ${MAX_BODY_DEPTH} levels`);
    }
  }
  for (const name of FLAGS) if (query[name] !== undefined) members[name] = query[name] === 'true';
  return members;
}

const STREAMED = [
  {
    path: 'append',
    operationId: 'appendRecords',
    change: appendRecords,
    body: AppendRecordsBody,
    query: StreamQuery,
    answer: ANSWERS.recordsAppended,
    summary: 'Append records below those of a range',
  },
  {
    path: 'upsert',
    operationId: 'upsertRecords',
    change: upsertRecords,
    body: UpsertRecordsBody,
    query: StreamUpsertQuery,
    answer: ANSWERS.recordsUpserted,
    summary: 'Update records by a key, and append those whose key is not there',
  },
] as const;

const CHANGES = [
  {
    path: 'update',
    operationId: 'updateRecords',
    change: updateRecords,
    body: UpdateRecordsBody,
    answer: ANSWERS.recordsUpdated,
    summary: 'Set fields of the records that a filter holds for',
  },
  {
    path: 'delete',
    operationId: 'deleteRecords',
    change: deleteRecords,
    body: DeleteRecordsBody,
    answer: ANSWERS.recordsDeleted,
    summary: 'Delete the records that a filter holds for; what is below moves up',
  },
] as const;

interface ChangeSchema<Query, Body, Answer> {
  readonly operationId: string;
  readonly summary: string;
  readonly query: Query;
  readonly body: Body;
  readonly answer: Answer;
}

/** What the routes that change records have in common. */
function changeRoute<Query, Body, Answer>(
  api: Api,
  { operationId, summary, query: querystring, body, answer }: ChangeSchema<Query, Body, Answer>,
) {
  return {
    config: { needs: WRITES, keyed: true },
    preValidation: idempotencyHook(api),
    schema: {
      operationId,
      summary,
      tags: TAGS,
      params: DocumentPath,
      querystring,
      body,
      response: { 200: answer, ...REFUSALS },
    },
  };
}

export function recordChangeRoutes(app: App, api: Api): void {
  app.register(async (plugin) => streamedRoutes(plugin as App, api));
  for (const { path, change, ...schema } of CHANGES) {
    app.post(`${RECORDS}/${path}`, changeRoute(api, { ...schema, query: WriteQuery }), async (request, reply) => {
      const write = writeOf(api, request);
      return sendReply(api, request, reply, await change(api.context, write, request.body));
    });
  }
}

/** Changes that take lines of records, too. */
function streamedRoutes(scope: App, api: Api): void {
  acceptLines(scope);
  for (const { path, change, body, answer, ...schema } of STREAMED) {
    scope.post(
      `${RECORDS}/${path}`,
      changeRoute(api, { ...schema, body: orRecordLines(body), answer: orBatchLines(answer) }),
      async (request, reply) => {
        const { body: sent } = request;
        const write = writeOf(api, request);
        if (sent instanceof LineBody) return answerStream(api, request, reply, { change, write, sent });
        const misplaced = streamOption(request.query);
        if (misplaced !== null) return sendRefusal(reply, misplaced);
        const members = sent as Readonly<Record<string, unknown>>;
        return sendReply(api, request, reply, await change(api.context, write, members));
      },
    );
  }
}

/** Refuses parameters that are options of a body of lines. A JSON body has members for them. */
function streamOption(query: object): Refusal | null {
  const name = Object.keys(query).find((parameter) => !Object.hasOwn(WriteQuery.properties, parameter));
  return name === undefined
    ? null
    : invalidRequest(name, `${name} goes with a body of lines; send it in the JSON body`);
}

interface Stream {
  readonly change: ChangeInBatches;
  readonly write: WriteRequest;
  readonly sent: LineBody;
}

/** Takes lines as they come, and answers by batch; a refusal before the first commit is a plain one. */
async function answerStream(
  { context }: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { change, write, sent }: Stream,
): Promise<FastifyReply> {
  if (write.dryRun) return sendRefusal(reply, invalidRequest('dryRun', 'Lines of records cannot be tried out'));
  const query = request.query as StreamQuery;
  const { batch, from = 1, dryRun: _dryRun, ifRevision: _ifRevision, ...given } = query;
  const options = membersOf(given, JSON_OPTIONS);
  if (isRefusal(options)) return sendRefusal(reply, options);
  const bounds = { lines: batch ?? MAX_RECORDS + 1, bytes: context.config.limits.maxBodyBytes };
  const batches = lineBatches(sent, bounds);
  const lines = streamRecords(context, write, { change, options, from, batches });
  const first = (await lines.next()).value ?? '';
  if (typeof first !== 'string') return sendRefusal(reply, first);
  request.server.answers.settle(reply.raw);
  const answer = after(first, lines);
  reply.type(`${LINES_TYPE}; charset=utf-8`);
  const wantsAfterBody = request.headers[ANSWER_FIELD] === AFTER_BODY;
  return reply.send(Readable.from(wantsAfterBody ? gathered(answer) : answer));
}

/**
 * A proxy that stops sending a body once the answer has begun, as nginx does, asks for the answer after the body by this
 * header.
 */
const ANSWER_FIELD = 'cellwire-answer';
const AFTER_BODY = 'after-body';

/** All lines as one text, up to the bound; those beyond it follow as they come. */
async function* gathered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < MAX_GATHERED_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function* after(first: string, others: AsyncIterable<string | Refusal>): AsyncGenerator<string> {
  yield first;
  for await (const line of others) if (typeof line === 'string') yield line;
}
