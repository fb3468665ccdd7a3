import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { loadAtFirstUse, loadGradually, pause } from '@cellwire/event-loop';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Caller, Credentials } from '../../access/callers.ts';
import { type AccessRequirements, addRequestId, type Gate } from '../../access/gate.ts';
import type { AccessRefusal } from '../../access/refusal.ts';
import { reportRefusedToken } from '../../service/accounts/security-events.ts';
import type { ServiceContext } from '../../service/context.ts';
import { resolveAlias } from '../../service/google/aliases.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { GoogleAnswer, GoogleCall } from '../call.ts';
import { createFileNotFoundProblem, toDriveBody } from '../drive/problem.ts';
import { createUnauthenticatedProblem, NOT_FOUND, Problem, toProblem } from '../problem.ts';
import { readBody } from './body.ts';
import { readCredentials } from './credentials.ts';
import { type GooglePath, parsePath } from './path.ts';
import type { RoutedMethod } from './routes.ts';
import { answerTokenRequest } from './token-endpoint.ts';

interface GoogleParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  /** Files that are removed after their answer, or at the next start after a crash. */
  readonly files: { createTransientPath(reply: FastifyReply): Promise<string> };
  /** Aborted when the connection of an answer closes. */
  createGoneSignal(reply: FastifyReply): AbortSignal;
  /** The HTTP status of the answer to an error. Logs the error if the operator must know. */
  toFailureStatus(error: Error, request: FastifyRequest): number;
}

const PREFIX = '/google';
const TOKEN_PATHS: ReadonlySet<string> = new Set(['token', 'oauth2/v4/token']);
const JSON_TYPE = 'application/json; charset=UTF-8';

/** The methods are 70 modules, which most services never use. */
const loadMethods = loadAtFirstUse(async () => {
  await loadGradually(new URL('./routes.ts', import.meta.url), {
    folder: new URL('../', import.meta.url),
    resolvePackage: () => null,
  });
  const [{ findRoute }, { refuseUnknownParameters }, { parseAnswerMask, selectAnswer }] = await Promise.all([
    import('./routes.ts'),
    import('./query.ts'),
    import('./answer-members.ts'),
  ]);
  return { findRoute, refuseUnknownParameters, parseAnswerMask, selectAnswer };
});

/** Adds Google's methods below `/google`. */
export function mountGoogle(app: FastifyInstance, parts: GoogleParts): void {
  app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      scope.setErrorHandler((error, request, reply) =>
        sendProblem(reply, toErrorProblem(parts, error, request), false),
      );
      scope.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url: '/*',
        schema: { hide: true },
        handler: (request, reply) => handle(parts, request, reply),
      });
    },
    { prefix: PREFIX },
  );
  // Programs derive an export's URL from `spreadsheetUrl`, which is the console's page of the document. This hook runs for
  // every request, so it is synchronous for all others.
  app.addHook('onRequest', (request, reply, done) => {
    const document = findExportedDocument(request);
    if (document === null) return done();
    answerRequest(parts, request, reply, `/spreadsheets/d/${document}/export`).catch(done);
  });
}

/** The console's page of a document, with an export's format in the query. */
const PAGE = /^\/documents\/([^/?]+)\?(?:[^#]*&)?format=/;

/** Null: the request is not for an export. A browser that opens the page sends no `Authorization` header. */
function findExportedDocument({ method, raw: { url = '' }, headers }: FastifyRequest): string | null {
  if (method !== 'GET' || !/^bearer /i.test(headers.authorization ?? '')) return null;
  return PAGE.exec(url)?.[1] ?? null;
}

/** Converts the framework's errors about a body, and unexpected errors. */
function toErrorProblem(parts: GoogleParts, error: unknown, request: FastifyRequest): Problem {
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  if (statusCode === 413) return new Problem(413, 'Request payload size exceeds the limit.');
  if (statusCode >= 400 && statusCode < 500) return new Problem(400, 'Bad Request');
  return parts.toFailureStatus(error as Error, request) === 503
    ? new Problem(503, 'The service is currently unavailable.', [], 1)
    : new Problem(500, 'Internal error encountered.');
}

function handle(parts: GoogleParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { url = '/' } = request.raw;
  return answerRequest(
    parts,
    request,
    reply,
    readRawPath(url, new URL(url, 'http://localhost').pathname).slice(PREFIX.length),
  );
}

/** `sentPath`: the path after `/google`. */
async function answerRequest(
  parts: GoogleParts,
  request: FastifyRequest,
  reply: FastifyReply,
  sentPath: string,
): Promise<FastifyReply> {
  const { pathname, searchParams } = new URL(request.raw.url ?? '/', 'http://localhost');
  const path = parsePath(sentPath);
  const isDrive = /^\/google\/(?:upload\/)?drive\//.test(pathname);
  try {
    if (path === null) return sendProblem(reply, new Problem(400, 'Bad Request'), isDrive);
    if (request.method === 'POST' && TOKEN_PATHS.has(path.segments.join('/'))) {
      return sendJson(reply, ...(await answerTokenRequest(parts, request)));
    }
    const { findRoute, refuseUnknownParameters, parseAnswerMask, selectAnswer } = await loadMethods();
    const routed = findRoute(request.method, path, searchParams);
    if (routed === null) return sendUnknown(reply);
    const call = await createGoogleCall(parts, request, reply, routed, searchParams);
    refuseUnknownParameters(searchParams, routed.query);
    const mask = parseAnswerMask(routed.method, searchParams.get('fields'));
    const answer = selectAnswer(await routed.method.run(call, routed.parameters), mask);
    return await sendAnswer(reply, answer, () => mayContinueReading(call));
  } catch (error) {
    const problem = error instanceof Problem ? error : toErrorProblem(parts, error, request);
    return sendProblem(reply, isDrive ? nameMissingFile(problem, path) : problem, isDrive);
  }
}

/** Drive's errors name the file that was not found. */
function nameMissingFile(problem: Problem, path: GooglePath | null): Problem {
  const id = path?.segments[path.segments.indexOf('files') + 1];
  const isFile = id !== undefined && problem.code === 404 && problem.message === NOT_FOUND;
  return isFile ? createFileNotFoundProblem(id) : problem;
}

/** The path as sent. The URL parser would normalise percent-encoded characters. */
function readRawPath(url: string, fallback: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return path.startsWith('/') ? path : fallback;
}

/** Creates the call of a request whose caller is authorized. Throws a `Problem` otherwise. */
async function createGoogleCall(
  parts: GoogleParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { method, document }: RoutedMethod,
  query: URLSearchParams,
): Promise<GoogleCall> {
  const { context, access, gate, files, createGoneSignal } = parts;
  const { credentials, isReadOnly, isShown } = await readCredentials(context, request, query);
  if (credentials === null) throw createUnauthenticatedProblem(isShown);
  if (method.writes && isReadOnly) throw createUnauthenticatedProblem(true);
  const documentId = document === null ? null : await resolveAlias(context, document);
  const question = { credentials, documentId };
  // Google's methods have no answer for a write that waits for consent.
  const needs = { ...method.requires, bypassesConsent: method.writes };
  const { caller, outcome } = await gate.admitRequest({ ...question, isReplay: async () => false }, needs);
  request.knownCaller = caller;
  if (isRefusal(outcome)) {
    if (outcome.reason === 'unauthenticated') noteRefusedToken(parts, credentials, request);
    throw toRefusalProblem(outcome, isShown);
  }
  const admitted = addGoogleOrigin(addRequestId(outcome, request.id));
  request.admitted = admitted;
  const renew = async () => {
    const renewed = await gate.reauthorize(question, needs, admitted);
    return isRefusal(renewed) ? renewed : addGoogleOrigin(addRequestId(renewed, request.id));
  };
  const body = readBody(request);
  return {
    context,
    access,
    caller: admitted.caller,
    isKey: credentials.kind === 'key',
    document: admitted.document,
    sentDocumentId: document,
    query,
    ...body,
    renewCaller: async () => {
      const renewed = await renew();
      return isRefusal(renewed) ? renewed : renewed.caller;
    },
    renewDocument: async () => {
      const renewed = await renew();
      if (isRefusal(renewed)) return renewed;
      if (renewed.document === null) throw new Error('the method has no document');
      return renewed.document;
    },
    openOther: (id, needs) => openOther(parts, credentials, id, needs, admitted.caller),
    createAbortSignal: () => createGoneSignal(reply),
    createTemporaryFile: () => files.createTransientPath(reply),
    origin: context.config.publicUrl ?? `${request.protocol}://${request.host}`,
  };
}

/** Reports an unusable token of the API. The answer does not wait for that. */
function noteRefusedToken(
  { context, toFailureStatus }: GoogleParts,
  credentials: Credentials,
  request: FastifyRequest,
): void {
  if (credentials.kind !== 'token') return;
  const { id: requestId, ip: address } = request;
  // A failure is only logged.
  reportRefusedToken(context, credentials.hash, { address, requestId }).catch((error: Error) =>
    toFailureStatus(error, request),
  );
}

/** False if the caller has lost the right to read the content of the answer being sent. */
async function mayContinueReading({ document, renewCaller, renewDocument }: GoogleCall): Promise<boolean> {
  if (document === null) return !isRefusal(await renewCaller());
  const now = await renewDocument();
  return !isRefusal(now) && now.hiddenSheets.isSubsetOf(document.hiddenSheets);
}

/** Marks records with Google's methods as their origin. */
function addGoogleOrigin<A extends { readonly caller: Caller; readonly document: DocumentAccess | null }>(
  admitted: A,
): A {
  const caller: Caller = { ...admitted.caller, via: 'google' };
  return { ...admitted, caller, document: admitted.document && { ...admitted.document, caller } };
}

async function openOther(
  { context, gate }: GoogleParts,
  credentials: Credentials,
  id: string,
  needs: AccessRequirements,
  caller: Caller,
): Promise<DocumentAccess> {
  const documentId = await resolveAlias(context, id);
  const outcome = await gate.reauthorize({ credentials, documentId }, needs, {
    caller: { ...caller, epoch: -1 },
    document: null,
  });
  if (isRefusal(outcome)) throw toRefusalProblem(outcome, true);
  if (outcome.document === null) throw new Error('no document was opened');
  return { ...outcome.document, caller };
}

function toRefusalProblem(refusal: AccessRefusal, isShown: boolean): Problem {
  return refusal.reason === 'unauthenticated' ? createUnauthenticatedProblem(isShown) : toProblem(refusal);
}

/** Checks whether the caller may still read. It runs before each piece of a long answer. */
type ReadPermissionCheck = () => Promise<boolean>;

async function sendAnswer(
  reply: FastifyReply,
  answer: GoogleAnswer,
  mayRead: ReadPermissionCheck,
): Promise<FastifyReply> {
  const stream = (pieces: AsyncIterable<Buffer>) =>
    reply.send(Readable.from(sendWhileReadable(reply, pieces, mayRead), { objectMode: false }));
  reply.header('cache-control', 'private').header('vary', 'Origin, X-Origin, Referer');
  switch (answer.kind) {
    case 'json':
      return sendJson(reply, 200, answer.body);
    case 'text':
      return reply.type(JSON_TYPE).serializer(keepPayload).send(answer.text);
    case 'nothing':
      return reply.code(204).send();
    case 'pieces':
      reply.type(JSON_TYPE);
      return stream(joinIntoChunks(answer.pieces));
    case 'lines': {
      const name = encodeURIComponent(answer.name);
      reply.type(answer.type).header('content-disposition', `attachment; filename*=UTF-8''${name}`);
      return stream(joinIntoChunks(answer.pieces));
    }
    case 'file': {
      const { size } = await stat(answer.path);
      reply.type(answer.type).header('content-length', size);
      const name = encodeURIComponent(answer.name);
      reply.header('content-disposition', `attachment; filename*=UTF-8''${name}`);
      return stream(createReadStream(answer.path));
    }
  }
}

function keepPayload(payload: unknown): string {
  // The framework also sends bytes unchanged.
  return payload as string;
}

function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type(JSON_TYPE).serializer(keepPayload).send(JSON.stringify(body));
}

function sendProblem(reply: FastifyReply, problem: Problem, isDrive: boolean): FastifyReply {
  if (problem.retryAfter !== null) reply.header('retry-after', String(problem.retryAfter));
  if (problem.code === 401) reply.header('www-authenticate', 'Bearer realm="https://accounts.google.com/"');
  return sendJson(reply, problem.code, isDrive ? toDriveBody(problem) : problem.toBody());
}

function sendUnknown(reply: FastifyReply): FastifyReply {
  return sendJson(reply, 404, new Problem(404, 'Method not found.').toBody());
}

/** Characters in a chunk. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Closes the connection if the reader's rights end. Otherwise a slow reader could continue to read without limit. */
async function* sendWhileReadable(
  { raw }: FastifyReply,
  pieces: AsyncIterable<Buffer>,
  mayRead: ReadPermissionCheck,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    if (!(await mayRead())) {
      raw.destroy();
      return;
    }
    yield piece;
  }
}

/** Joins pieces to chunks, and yields to other work between them. */
async function* joinIntoChunks(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(text);
      text = '';
    }
    const turn = pause();
    if (turn !== null) await turn;
  }
  if (text !== '') yield Buffer.from(text);
}
