import type { IncomingMessage } from 'node:http';
import { loadAtFirstUse, loadGradually, pause } from '@cellwire/event-loop';
import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Caller, Credentials } from '../../access/callers.ts';
import { type AccessRequirements, addRequestId, type Gate } from '../../access/gate.ts';
import { isUnauthenticated } from '../../access/refusal.ts';
import { reportRefusedToken } from '../../service/accounts/security-events.ts';
import type { ServiceContext } from '../../service/context.ts';
import { resolveAlias } from '../../service/google/aliases.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { GoogleAnswer, GoogleCall } from '../call.ts';
import { createFileNotFoundProblem, toDriveBody } from '../drive/problem.ts';
import { createInvalidKeyProblem, createUnauthenticatedProblem, NOT_FOUND, Problem, toProblem } from '../problem.ts';
import { readBody } from './body.ts';
import { type CredentialSource, readCredentials } from './credentials.ts';
import type { GooglePath } from './path.ts';
import type { RoutedMethod } from './routes.ts';
import type { SentRequest } from './sent-request.ts';
import { answerTokenRequest } from './token-endpoint.ts';

/** Parts of the service that Google's methods use. */
export interface GoogleParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  /** The credentials of a request with a token of the API. */
  readonly readTokenCredentials: (request: IncomingMessage) => Credentials;
}

/** A response without the headers that every response of the service has. */
export interface PreparedAnswer {
  readonly status: number;
  /** Alternating names and values. */
  readonly fields: readonly string[];
  readonly content: NonJsonAnswer;
  /** Checks whether the caller may still read. It runs before each piece of a long answer. */
  readonly mayRead: () => Promise<boolean>;
}

type NonJsonAnswer = Exclude<GoogleAnswer, { readonly kind: 'json' }>;

const SHEETS_HOST = 'sheets.googleapis.com';
const DRIVE_HOST = 'drive.googleapis.com';
const TOKEN_PATHS: ReadonlySet<string> = new Set(['token', 'oauth2/v4/token']);
export const JSON_TYPE = 'application/json; charset=UTF-8';
const SUCCESS_FIELDS = ['cache-control', 'private', 'vary', 'Origin, X-Origin, Referer'] as const;

interface LoadedMethods {
  readonly findApiDescription: typeof import('./discovery.ts').findApiDescription;
  readonly findRoute: typeof import('./routes.ts').findRoute;
  readonly isSmallMethod: typeof import('./routes.ts').isSmallMethod;
  readonly refuseUnknownParameters: typeof import('./query.ts').refuseUnknownParameters;
  readonly parseAnswerMask: typeof import('./answer-members.ts').parseAnswerMask;
  readonly selectAnswer: typeof import('./answer-members.ts').selectAnswer;
}

let loadedMethods: LoadedMethods | null = null;

/** The methods if a request has loaded them. */
export function findLoadedMethods(): LoadedMethods | null {
  return loadedMethods;
}

/** The methods are 70 modules, which most services never use. */
const loadMethods = loadAtFirstUse(async () => {
  await loadGradually(new URL('./routes.ts', import.meta.url), {
    folder: new URL('../', import.meta.url),
    resolvePackage: () => null,
  });
  const [discovery, routes, queries, answers] = await Promise.all([
    import('./discovery.ts'),
    import('./routes.ts'),
    import('./query.ts'),
    import('./answer-members.ts'),
  ]);
  loadedMethods = {
    findApiDescription: discovery.findApiDescription,
    findRoute: routes.findRoute,
    isSmallMethod: routes.isSmallMethod,
    refuseUnknownParameters: queries.refuseUnknownParameters,
    parseAnswerMask: answers.parseAnswerMask,
    selectAnswer: answers.selectAnswer,
  };
  return loadedMethods;
});

/** Answers a request of any method, or of the token endpoint. */
export async function answerRequest(parts: GoogleParts, sent: SentRequest): Promise<PreparedAnswer> {
  const { path, query } = sent.address;
  const { method = '' } = sent.raw;
  try {
    if (path === null) throw new Problem(400, 'Bad Request');
    if (method === 'POST' && TOKEN_PATHS.has(path.segments.join('/'))) {
      const [status, body] = await answerTokenRequest(parts, sent);
      return createJsonAnswer(status, body);
    }
    const methods = await loadMethods();
    const origin = parts.context.config.publicUrl ?? sent.origin;
    const description = method === 'GET' ? methods.findApiDescription(path.segments, query, origin) : null;
    if (description !== null) return createJsonAnswer(200, description);
    const routed = methods.findRoute(method, path);
    if (routed === null) throw new Problem(404, 'Method not found.');
    return await answerMethod(parts, sent, routed, methods);
  } catch (error) {
    return answerError(sent, error);
  }
}

/** Answers a request of a method. */
export async function answerMethod(
  parts: GoogleParts,
  sent: SentRequest,
  routed: RoutedMethod,
  { refuseUnknownParameters, parseAnswerMask, selectAnswer }: LoadedMethods,
): Promise<PreparedAnswer> {
  const { query } = sent.address;
  try {
    const call = await createGoogleCall(parts, sent, routed);
    refuseUnknownParameters(query, routed.query);
    const mask = parseAnswerMask(routed.method, query.get('fields'));
    const answer = selectAnswer(await routed.method.run(call, routed.parameters), mask);
    return {
      status: answer.kind === 'nothing' ? 204 : 200,
      fields: SUCCESS_FIELDS,
      content: answer.kind === 'json' ? { kind: 'text', text: JSON.stringify(answer.body) } : answer,
      mayRead: () => canContinueReading(call),
    };
  } catch (error) {
    return answerError(sent, error);
  }
}

/** The answer in Google's form for an error that was thrown while the request was handled. */
function answerError(sent: SentRequest, error: unknown): PreparedAnswer {
  const { isDrive, path } = sent.address;
  const problem = error instanceof Problem ? error : toErrorProblem(error, sent.toFailureStatus);
  return answerProblem(isDrive ? nameMissingFile(problem, path) : problem, isDrive);
}

/** The answer to a problem. */
export function answerProblem(problem: Problem, isDrive: boolean): PreparedAnswer {
  const fields = [
    ...(problem.retryAfter === null ? [] : ['retry-after', String(problem.retryAfter)]),
    ...(problem.code === 401 ? ['www-authenticate', 'Bearer realm="https://accounts.google.com/"'] : []),
  ];
  return createJsonAnswer(problem.code, isDrive ? toDriveBody(problem) : problem.toBody(), fields);
}

/** An answer that contains no data of a document. */
function createJsonAnswer(status: number, body: object, fields: readonly string[] = []): PreparedAnswer {
  return { status, fields, content: { kind: 'text', text: JSON.stringify(body) }, mayRead: async () => true };
}

/** Converts the framework's errors about a body, and unexpected errors. */
export function toErrorProblem(error: unknown, toFailureStatus: SentRequest['toFailureStatus']): Problem {
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  if (statusCode === 413) return new Problem(413, 'Request payload size exceeds the limit.');
  if (statusCode >= 400 && statusCode < 500) return new Problem(400, 'Bad Request');
  return toFailureStatus(error as Error) === 503
    ? new Problem(503, 'The service is currently unavailable.', [], 1)
    : new Problem(500, 'Internal error encountered.');
}

/** Drive's errors name the file that was not found. */
function nameMissingFile(problem: Problem, path: GooglePath | null): Problem {
  const id = path?.segments[path.segments.indexOf('files') + 1];
  const isFile = id !== undefined && problem.code === 404 && problem.message === NOT_FOUND;
  return isFile ? createFileNotFoundProblem(id) : problem;
}

/** Creates the call of a request whose caller is authorized. Throws a `Problem` otherwise. */
async function createGoogleCall(
  parts: GoogleParts,
  sent: SentRequest,
  { method, document }: RoutedMethod,
): Promise<GoogleCall> {
  const { context, access, gate } = parts;
  const { query } = sent.address;
  const { credentials, source } = await readCredentials(parts, sent.raw, query);
  if (method.writes && source !== 'header') throw createUnauthenticatedProblem(source !== 'none');
  if (credentials === null) throw createCredentialsProblem(source, sent);
  const documentId = document === null ? null : await resolveAlias(context, document);
  const question = { credentials, documentId };
  // Google's methods have no answer for a write that waits for consent.
  const needs = { ...method.requires, bypassesConsent: method.writes };
  const { caller, outcome } = await gate.admitRequest({ ...question, isReplay: isNeverReplay }, needs);
  if (isRefusal(outcome)) {
    sent.recordCaller(caller, null);
    if (isUnauthenticated(outcome)) reportTokenOfRequest(parts, credentials, sent);
    throw isUnauthenticated(outcome) ? createCredentialsProblem(source, sent) : toProblem(outcome);
  }
  const admitted = addGoogleOrigin(addRequestId(outcome, sent.id));
  sent.recordCaller(caller, admitted);
  const renew = async () => {
    const renewed = await gate.reauthorize(question, needs, admitted);
    return isRefusal(renewed) ? renewed : addGoogleOrigin(addRequestId(renewed, sent.id));
  };
  const { body, file, bodyBytes } = readBody(sent.body, sent.raw.headers['content-type']);
  return {
    context,
    access,
    caller: admitted.caller,
    isKey: credentials.kind === 'key',
    document: admitted.document,
    sentDocumentId: document,
    query,
    body,
    file,
    bodyBytes,
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
    openOther: (id, required) => openAdditionalDocument(parts, credentials, id, required, admitted.caller),
    createAbortSignal: sent.createGoneSignal,
    createTemporaryFile: sent.createTemporaryFile,
    origin: context.config.publicUrl ?? sent.origin,
  };
}

/** Answers the gate's question whether a request repeats an earlier one: Google's requests have no key, so never. */
const isNeverReplay = async () => false;

/** Reports an unusable token of the API. The answer does not wait for that. */
function reportTokenOfRequest(
  { context }: GoogleParts,
  credentials: Credentials,
  { id: requestId, clientAddress: address, toFailureStatus }: SentRequest,
): void {
  if (credentials.kind !== 'token') return;
  // A failure is only logged.
  reportRefusedToken(context, credentials.hash, { address, requestId }).catch((error: Error) => toFailureStatus(error));
}

/** False if the caller has lost the right to read the content of the answer being sent. */
async function canContinueReading({ document, renewCaller, renewDocument }: GoogleCall): Promise<boolean> {
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

/** Opens a document whose id is in the body of a request, not in its path. Throws if the caller may not access it. */
async function openAdditionalDocument(
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
  if (isRefusal(outcome)) throw toProblem(outcome);
  if (outcome.document === null) throw new Error('no document was opened');
  return { ...outcome.document, caller };
}

/** The error of a request without valid credentials. Google answers an unknown API key with another error. */
function createCredentialsProblem(source: CredentialSource, { address }: SentRequest): Problem {
  if (source === 'apiKey') return createInvalidKeyProblem(address.isDrive ? DRIVE_HOST : SHEETS_HOST);
  return createUnauthenticatedProblem(source !== 'none');
}

/** Characters in a chunk. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Joins pieces to chunks, and yields to other work between them. */
export async function* joinIntoChunks(pieces: Iterable<string>): AsyncGenerator<Buffer> {
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
