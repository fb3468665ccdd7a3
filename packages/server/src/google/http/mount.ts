import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GoogleAnswer } from '../call.ts';
import {
  answerProblem,
  answerRequest,
  type GoogleParts,
  JSON_TYPE,
  joinIntoChunks,
  type PreparedAnswer,
  toErrorProblem,
} from './answer-request.ts';
import { parseRequestAddress, type SentRequest } from './sent-request.ts';

interface MountParts extends GoogleParts {
  /** Files that are removed after their answer, or at the next start after a crash. */
  readonly files: { createTransientPath(reply: FastifyReply): Promise<string> };
  /** Aborted when the connection of an answer closes. */
  createGoneSignal(reply: FastifyReply): AbortSignal;
  /** The HTTP status of the answer to an error. Logs the error if the operator must know. */
  toFailureStatus(error: Error, request: FastifyRequest): number;
}

const PREFIX = '/google';

/** Adds Google's methods below `/google`. */
export function mountGoogle(app: FastifyInstance, parts: MountParts): void {
  app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      scope.setErrorHandler((error, request, reply) => {
        const problem = toErrorProblem(error, (failure) => parts.toFailureStatus(failure, request));
        return sendAnswer(reply, answerProblem(problem, false));
      });
      scope.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url: '/*',
        schema: { hide: true },
        handler: (request, reply) => handleRequest(parts, request, reply),
      });
    },
    { prefix: PREFIX },
  );
  // Programs derive an export's URL from `spreadsheetUrl`, which is the console's page of the document. This hook runs for
  // every request, so it is synchronous for all others.
  app.addHook('onRequest', (request, reply, done) => {
    const document = findExportedDocument(request);
    if (document === null) return done();
    answerPath(parts, request, reply, `/spreadsheets/d/${document}/export`).catch(done);
  });
}

/** The console's page of a document, with an export's format in the query. */
const PAGE = /^\/documents\/([^/?]+)\?(?:[^#]*&)?format=/;

/**
 * The document whose export a request asks for. Null: the request is for no export. A browser that opens the page sends
 * no `Authorization` header.
 */
function findExportedDocument({ method, raw: { url = '' }, headers }: FastifyRequest): string | null {
  if (method !== 'GET' || !/^bearer /i.test(headers.authorization ?? '')) return null;
  return PAGE.exec(url)?.[1] ?? null;
}

function handleRequest(parts: MountParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { url = '/' } = request.raw;
  const path = readRawPath(url, new URL(url, 'http://localhost').pathname);
  return answerPath(parts, request, reply, path.slice(PREFIX.length));
}

/** The path as sent. The URL parser would normalise percent-encoded characters. */
function readRawPath(url: string, fallback: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return path.startsWith('/') ? path : fallback;
}

/** Answers a request of Google's API. `path` is the path after `/google`. */
async function answerPath(
  parts: MountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<FastifyReply> {
  return sendAnswer(reply, await answerRequest(parts, toSentRequest(parts, request, reply, path)));
}

/** The framework's request in the form that all of Google's methods take. */
function toSentRequest(parts: MountParts, request: FastifyRequest, reply: FastifyReply, path: string): SentRequest {
  const { raw, body, id, ip, host, protocol } = request;
  return {
    raw,
    address: parseRequestAddress(raw.url ?? '/', path),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    id,
    clientAddress: ip,
    host,
    origin: `${protocol}://${host}`,
    recordCaller(caller, admitted) {
      request.knownCaller = caller;
      request.admitted = admitted;
    },
    toFailureStatus: (error) => parts.toFailureStatus(error, request),
    createGoneSignal: () => parts.createGoneSignal(reply),
    createTemporaryFile: () => parts.files.createTransientPath(reply),
  };
}

async function sendAnswer(
  reply: FastifyReply,
  { status, fields, content, mayRead }: PreparedAnswer,
): Promise<FastifyReply> {
  const stream = (pieces: AsyncIterable<Buffer>) =>
    reply.send(Readable.from(sendWhileReadable(reply, pieces, mayRead), { objectMode: false }));
  reply.code(status);
  for (let i = 0; i < fields.length; i += 2) reply.header(fields[i] as string, fields[i + 1]);
  switch (content.kind) {
    case 'text':
      return reply.type(JSON_TYPE).serializer(keepPayload).send(content.text);
    case 'nothing':
      return reply.send();
    case 'pieces':
      reply.type(JSON_TYPE);
      return stream(joinIntoChunks(content.pieces));
    case 'lines':
      setFileHeaders(reply, content);
      return stream(joinIntoChunks(content.pieces));
    case 'file': {
      const { size } = await stat(content.path);
      setFileHeaders(reply, content).header('content-length', size);
      return stream(createReadStream(content.path));
    }
  }
}

type NamedContent = Extract<GoogleAnswer, { readonly kind: 'lines' | 'file' }>;

function setFileHeaders(reply: FastifyReply, { type, name }: NamedContent): FastifyReply {
  return reply.type(type).header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
}

/** Returns an answer unchanged, because Google’s answers are already JSON text. */
function keepPayload(payload: unknown): string {
  // The framework also sends bytes unchanged.
  return payload as string;
}

/** Closes the connection if the reader's rights end. Otherwise a slow reader could continue to read without limit. */
async function* sendWhileReadable(
  { raw }: FastifyReply,
  pieces: AsyncIterable<Buffer>,
  mayRead: PreparedAnswer['mayRead'],
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    if (!(await mayRead())) {
      raw.destroy();
      return;
    }
    yield piece;
  }
}
