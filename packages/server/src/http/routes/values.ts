import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Needs } from '../../access/gate.ts';
import { soon } from '../../event-loop/soon.ts';
import { MAX_READ_ROWS } from '../../limits/limits.ts';
import { readAcross } from '../../service/cross-book.ts';
import type { MakePage, PageRequest, TaggedPage, TaggedRanges } from '../../service/read-values.ts';
import {
  fillPage,
  heldTag,
  type Reading,
  readPastRange,
  readRange,
  readRanges,
  seenBy,
} from '../../service/read-values.ts';
import { invalidRequest, isRefusal } from '../../service/refusal.ts';
import { streamRange } from '../../service/stream-values.ts';
import { rangeTag } from '../../service/tags.ts';
import { batchUpdate } from '../../service/write-values.ts';
import { ANSWERS, orLines, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf, callerOf } from '../api.ts';
import { batchBody, holdsTag, rangeBody, sendAndKeep, sendKept, sendParts } from '../envelope.ts';
import { sendNotFound, sendRefusal } from '../errors.ts';
import { ASK_AGAIN } from '../fields.ts';
import { idempotencyHook, sendReply, writeOf } from '../idempotency-hook.ts';
import { answerKey } from '../kept-answers.ts';
import { sendLines, wantsLines } from '../lines.ts';
import { clearRebased, putRebased } from '../rebased-writes.ts';
import {
  AppendBody,
  BatchGetQuery,
  BatchUpdateBody,
  ClearBody,
  DocumentPath,
  PutBody,
  RangePath,
  ReadQuery,
  WriteQuery,
} from '../schemas.ts';
import { APPEND_ADDRESS, appendBlock, inputOptions, PUT_ADDRESS, RESERVED, VALUES, WRITES } from '../value-writes.ts';

const READS: Needs = { scope: 'sheets.read' };
const READS_ACROSS: Needs = { scope: 'sheets.crossbook.read' };

const TAGS = ['Values'];
const ROW_LINES = 'Without `limit` all rows at one revision, each line a row as in `cells`.';

/** Reads: the answers are ready bytes, never objects. */
export function readRoutes(app: App, api: Api): void {
  getValuesRoute(app, api);
  batchGetValuesRoute(app, api);
  batchGetAcrossDocumentsRoute(app, api);
}

function getValuesRoute(app: App, api: Api): void {
  app.get(
    `${VALUES}/:range`,
    {
      config: { needs: READS },
      schema: {
        operationId: 'getValues',
        summary: 'Read a range',
        tags: TAGS,
        params: RangePath,
        querystring: ReadQuery,
        response: { 200: orLines(ANSWERS.values, ROW_LINES), 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    (request, reply) => {
      if (wantsLines(request.headers)) return streamValues(api, request, reply);
      const { offset = 0, limit = MAX_READ_ROWS, majorDimension: major = 'ROWS', revision } = request.query;
      const { render = null, inputLocale = null } = request.query;
      const wanted = { range: request.params.range, offset, limit, major, render, inputLocale };
      if (revision !== undefined) return sendPastRange(api, request, reply, revision, wanted);
      return soon(readRange(api.context, accessOf(request), wanted), (page) =>
        isRefusal(page) ? sendRefusal(reply, page) : sendPage(api, request, reply, page),
      );
    },
  );
}

/** A page as the newest state has it, or that the caller has it already. */
function sendPage(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  page: TaggedPage,
): FastifyReply | Promise<FastifyReply> {
  const { 'if-none-match': ifNoneMatch } = request.headers;
  const held = ifNoneMatch === undefined ? null : heldTag(api.context, accessOf(request), page, ifNoneMatch);
  return soon(held, (heldAs) => {
    const key = keyOf(request, page.reading);
    const kept = request.server.keptAnswers.find(key);
    const tag = kept?.etag ?? rangeTag(page.tag);
    reply.header('etag', heldAs ?? tag).header('cache-control', ASK_AGAIN);
    if (heldAs !== null) return reply.code(304).send();
    if (kept !== null) return sendKept(api, request, reply, kept);
    return soon(fillPage(pageMaker(api, request, reply), page, api.context.config.limits.maxResponseBytes), (filled) =>
      isRefusal(filled)
        ? sendRefusal(reply, filled)
        : sendAndKeep(api, request, reply, { key, etag: tag }, rangeBody(filled)),
    );
  });
}

async function sendPastRange(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  revision: number,
  wanted: PageRequest,
): Promise<FastifyReply> {
  const old = await readPastRange(api.context, accessOf(request), revision, wanted);
  if (isRefusal(old)) return sendRefusal(reply, old);
  const filled = await fillPage(pageMaker(api, request, reply), old, api.context.config.limits.maxResponseBytes);
  return isRefusal(filled) ? sendRefusal(reply, filled) : sendParts(request, reply, rangeBody(filled));
}

/** Rows as lines, all of them unless a limit is sent. */
async function streamValues(
  api: Api,
  request: FastifyRequest<{ Params: Static<typeof RangePath>; Querystring: Static<typeof ReadQuery> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { offset = 0, limit = null, majorDimension, revision = null } = request.query;
  const { render = null, inputLocale = null } = request.query;
  if (majorDimension === 'COLUMNS') {
    return sendRefusal(reply, invalidRequest('majorDimension', 'majorDimension must be ROWS: lines are rows'));
  }
  const rows = { range: request.params.range, offset, limit, revision, render, inputLocale };
  const lines = await streamRange(api.context, accessOf(request), rows);
  return isRefusal(lines) ? sendRefusal(reply, lines) : sendLines(api, request, reply, lines);
}

function batchGetValuesRoute(app: App, api: Api): void {
  app.get(
    `${VALUES}/batchGet`,
    {
      config: { needs: READS },
      schema: {
        operationId: 'batchGetValues',
        summary: 'Read up to 20 ranges at one revision',
        tags: TAGS,
        params: DocumentPath,
        querystring: BatchGetQuery,
        response: { 200: ANSWERS.valueRanges, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    (request, reply) => {
      const { ranges, majorDimension: major = 'ROWS', render = null, inputLocale = null } = request.query;
      return soon(readRanges(api.context, accessOf(request), ranges, { major, render, inputLocale }), (read) =>
        isRefusal(read) ? sendRefusal(reply, read) : sendRanges(api, request, reply, read),
      );
    },
  );
}

function sendRanges(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  read: TaggedRanges,
): FastifyReply | Promise<FastifyReply> {
  const key = keyOf(request, read.reading);
  const kept = request.server.keptAnswers.find(key);
  const etag = kept?.etag ?? read.tag();
  reply.header('etag', etag).header('cache-control', ASK_AGAIN);
  // The console shows cells in the places of one revision.
  if (callerOf(request).principal.kind === 'session') reply.header('x-revision', read.reading.snapshot.revision);
  if (holdsTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (kept !== null) return sendKept(api, request, reply, kept);
  return read
    .entries(pageMaker(api, request, reply))
    .then((entries) =>
      isRefusal(entries)
        ? sendRefusal(reply, entries)
        : sendAndKeep(api, request, reply, { key, etag }, batchBody(entries.map((entry) => ({ entry })))),
    );
}

/** An address says all that is asked for, and takes less than its parts to look up. */
function keyOf(request: FastifyRequest, reading: Reading): string {
  return answerKey(seenBy(accessOf(request), reading), request.url);
}

function batchGetAcrossDocumentsRoute(app: App, api: Api): void {
  app.get(
    '/values/batchGet',
    {
      config: { needs: READS_ACROSS },
      schema: {
        operationId: 'batchGetAcrossDocuments',
        summary: 'Read ranges of several documents, each as `{document}!{range}`',
        tags: TAGS,
        querystring: BatchGetQuery,
        response: { 200: ANSWERS.bookRanges, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { ranges, majorDimension: major = 'ROWS', render = null, inputLocale = null } = request.query;
      const make = pageMaker(api, request, reply);
      const entries = await readAcross(
        api.context,
        api.access,
        callerOf(request),
        ranges,
        { major, render, inputLocale },
        make,
      );
      if (isRefusal(entries)) return sendRefusal(reply, entries);
      return sendParts(request, reply, batchBody(entries));
    },
  );
}

/** Makes the pages of an answer; the first large one takes room for all that the answer may hold. */
function pageMaker({ context }: Api, request: FastifyRequest, { raw }: FastifyReply): MakePage {
  const { longAnswers } = request.server;
  const asked = { user: callerOf(request).userId, maxBytes: context.config.limits.maxResponseBytes, response: raw };
  return (begin) => longAnswers.make(asked, begin);
}

export function writeRoutes(app: App, api: Api): void {
  putValuesRoute(app, api);
  batchUpdateValuesRoute(app, api);
  appendValuesRoute(app, api);
  clearValuesRoute(app, api);
}

function putValuesRoute(app: App, api: Api): void {
  app.put(
    PUT_ADDRESS,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'putValues',
        summary: 'Write a block of values from a cell on',
        tags: TAGS,
        params: RangePath,
        querystring: WriteQuery,
        body: PutBody,
        response: { 200: ANSWERS.written, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const outcome = await putRebased(api, request, request.params.range, request.body);
      return sendReply(api, request, reply, outcome);
    },
  );
}

function batchUpdateValuesRoute(app: App, api: Api): void {
  app.post(
    `${VALUES}/batchUpdate`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'batchUpdateValues',
        summary: 'Write several blocks, all or none',
        tags: TAGS,
        params: DocumentPath,
        querystring: WriteQuery,
        body: BatchUpdateBody,
        response: { 200: ANSWERS.batchWritten, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { data, ...options } = request.body;
      const outcome = await batchUpdate(api.context, writeOf(api, request), data, inputOptions(options));
      return sendReply(api, request, reply, outcome);
    },
  );
}

function appendValuesRoute(app: App, api: Api): void {
  app.post(
    APPEND_ADDRESS,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'appendValues',
        summary: 'Write below the last filled row of a sheet',
        tags: TAGS,
        params: DocumentPath,
        querystring: WriteQuery,
        body: AppendBody,
        response: { 200: ANSWERS.appended, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const outcome = await appendBlock(api.context, writeOf(api, request), request.body);
      return sendReply(api, request, reply, outcome);
    },
  );
}

function clearValuesRoute(app: App, api: Api): void {
  app.post(
    `${VALUES}/clear`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'clearValues',
        summary: 'Clear the filled cells of a range',
        tags: TAGS,
        params: DocumentPath,
        querystring: WriteQuery,
        body: ClearBody,
        response: { 200: ANSWERS.cleared, ...REFUSALS },
      },
    },
    async (request, reply) => sendReply(api, request, reply, await clearRebased(api, request, request.body.range)),
  );
}

/**
 * The static segments win over a range (decisions §1.2), also for methods that they do not have: a sheet that is
 * called `append` is reached as `'append'`.
 */
export function reservedRoutes(app: App): void {
  const notFound = async (request: FastifyRequest, reply: FastifyReply) => sendNotFound(request, reply);
  const hide = { schema: { hide: true } };
  for (const segment of RESERVED) {
    if (segment !== 'batchGet') app.get(`${VALUES}/${segment}`, hide, notFound);
    app.put(`${VALUES}/${segment}`, hide, notFound);
  }
}

function keyedRoute(api: Api) {
  return { config: { needs: WRITES, keyed: true }, preValidation: idempotencyHook(api) };
}
