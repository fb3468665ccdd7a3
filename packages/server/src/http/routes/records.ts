import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Needs } from '../../access/gate.ts';
import { atOnce } from '../../event-loop/slices.ts';
import { MAX_BODY_DEPTH } from '../../limits/http.ts';
import { appendRecords } from '../../service/records/append-records.ts';
import { deleteRecords, updateRecords } from '../../service/records/filtered-changes.ts';
import { type Make, type PreparedQuery, prepareQuery } from '../../service/records/query-records.ts';
import { upsertRecords } from '../../service/records/upsert-records.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import { ANSWERS, orLines, REFUSALS } from '../answers.ts';
import { type Api, type App, accessOf, callerOf } from '../api.ts';
import { holdsTag, sendParts } from '../envelope.ts';
import { sendRefusal } from '../errors.ts';
import { idempotencyHook, sendReply, writeOf } from '../idempotency-hook.ts';
import { NoJson, parseInPieces } from '../json-pieces.ts';
import { sendLines, wantsLines } from '../lines.ts';
import {
  AppendRecordsBody,
  DeleteRecordsBody,
  QueryRecordsBody,
  type QueryRecordsQuery,
  QueryRecordsQuery as QuerySchema,
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
      const sent = membersOf(request.query);
      const prepared = isRefusal(sent) ? sent : await prepareQuery(api.context, accessOf(request), sent);
      if (isRefusal(prepared)) return sendRefusal(reply, prepared);
      const tag = prepared.tagOf(wantsLines(request) ? 'lines' : 'value');
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
  { context }: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, lines }: PreparedQuery,
): Promise<FastifyReply> {
  const { longAnswers } = request.server;
  const asked = {
    user: callerOf(request).userId,
    maxBytes: context.config.limits.maxResponseBytes,
    response: reply.raw,
  };
  const make: Make = (begin) => longAnswers.make(asked, begin);
  if (wantsLines(request)) {
    const made = await lines(make);
    return isRefusal(made) ? sendRefusal(reply, made) : sendLines(request, reply, made);
  }
  const text = await answer(make);
  return typeof text === 'string' ? sendParts(request, reply, [text]) : sendRefusal(reply, text);
}

/** Members of a query that are JSON in an address. */
const JSON_MEMBERS = ['where', 'any', 'none', 'columns', 'types', 'aggregate'] as const;

/** The members that a body would have. */
function membersOf(query: QueryRecordsQuery): Readonly<Record<string, unknown>> | Refusal {
  const members: Record<string, unknown> = { ...query };
  for (const name of JSON_MEMBERS) {
    const text = query[name];
    if (text === undefined) continue;
    try {
      members[name] = atOnce(parseInPieces(Buffer.from(text)));
    } catch (error) {
      if (!(error instanceof NoJson)) throw error;
      return invalidRequest(name, `${name} must be JSON, nested at most ${MAX_BODY_DEPTH} levels`);
    }
  }
  if (query.caseSensitive !== undefined) members['caseSensitive'] = query.caseSensitive === 'true';
  return members;
}

const CHANGES = [
  {
    path: 'append',
    operationId: 'appendRecords',
    change: appendRecords,
    body: AppendRecordsBody,
    answer: ANSWERS.recordsAppended,
    summary: 'Append records below those of a range',
  },
  {
    path: 'upsert',
    operationId: 'upsertRecords',
    change: upsertRecords,
    body: UpsertRecordsBody,
    answer: ANSWERS.recordsUpserted,
    summary: 'Update records by a key, and append those whose key is not there',
  },
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

export function recordChangeRoutes(app: App, api: Api): void {
  for (const { path, operationId, summary, change, body, answer } of CHANGES) {
    app.post(
      `${RECORDS}/${path}`,
      {
        config: { needs: WRITES, keyed: true },
        preValidation: idempotencyHook(api),
        schema: {
          operationId,
          summary,
          tags: TAGS,
          params: DocumentPath,
          querystring: WriteQuery,
          body,
          response: { 200: answer, ...REFUSALS },
        },
      },
      async (request, reply) => {
        const write = writeOf(api, request);
        return sendReply(api, request, reply, await change(api.context, write, request.body));
      },
    );
  }
}
