import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import { MAX_OWN_REVISION_RANGES } from '../limits/history.ts';
import type { CallConditions } from '../operations/conditions.ts';
import type { AccessAction } from '../service/access-retry.ts';
import { NO_PRECONDITIONS, parsePreconditions } from '../service/preconditions.ts';
import type { ConsoleWrite } from '../service/rebase/console-writes.ts';
import type { RequestBase, RevisionRanges } from '../service/rebase/write-rebased.ts';
import { invalidRequest, isRefusal, type Refusal } from '../service/refusal.ts';
import type { ProposeRequest, WriteRequest } from '../service/write-request.ts';
import { type Api, requireCaller, requireDocumentAccess } from './api.ts';
import { LineBody } from './bodies/line-bodies.ts';
import { ReceivedFile } from './bodies/uploads.ts';
import { sendRefusal } from './errors.ts';
import { renewAccess } from './renew-access.ts';

/** The revision to which the addresses of a request refer. Sent by the console, not by callers of the API. */
const BASE_REVISION = 'cellwire-base-revision';
/** `true`: the write is refused if another user wrote its cells since. `keep`: it leaves these cells as they are. */
const UNLESS_CHANGED = 'cellwire-unless-changed';
/** The sender has seen the changes up to this revision. Absent: up to the base revision. */
const SEEN_REVISION = 'cellwire-seen-revision';
/**
 * The revisions that the sending page wrote after the base revision: `12,15-18`, ascending. At most
 * `MAX_OWN_REVISION_RANGES` ranges are read; the others count as writes of another user.
 */
const OWN_REVISIONS = 'cellwire-own-revisions';
const REVISION = /^\d{1,15}$/;
const REVISION_RANGE = /^(\d{1,15})(?:-(\d{1,15}))?$/;

/** The revision to which the addresses refer. Null: they refer to the state at the time of the write. */
function parseRequestBase(request: FastifyRequest): RequestBase | null {
  const { headers } = request;
  const { [BASE_REVISION]: revision, [UNLESS_CHANGED]: unlessChanged, [SEEN_REVISION]: seen } = headers;
  if (typeof revision !== 'string' || !REVISION.test(revision)) return null;
  if (requireCaller(request).principal.kind !== 'session') return null;
  const changedCells = unlessChanged === 'keep' ? 'keep' : unlessChanged === 'true' ? 'refuse' : 'overwrite';
  const seenRevision = typeof seen === 'string' && REVISION.test(seen) ? Number(seen) : Number(revision);
  const ownRevisions = parseRevisionRanges(headers[OWN_REVISIONS]);
  return { revision: Number(revision), changedCells, seenRevision, ownRevisions };
}

/** Parses at most `MAX_OWN_REVISION_RANGES` revisions such as `3,5-8`. Parts that are not revisions are left out. */
function parseRevisionRanges(text: unknown): RevisionRanges {
  if (typeof text !== 'string') return [];
  const parts = text.split(',', MAX_OWN_REVISION_RANGES);
  return parts.flatMap((part) => {
    const [, first, last = first] = REVISION_RANGE.exec(part.trim()) ?? [];
    return first === undefined ? [] : [[Number(first), Number(last)] as const];
  });
}

/** A request's conditions on the state to which it is applied. Call it after the hooks have read them. */
export function toCallConditions(request: FastifyRequest): CallConditions {
  const { preconditions, keyed } = request;
  return {
    ...(preconditions ?? NO_PRECONDITIONS),
    keyed,
    dryRun: isDryRun(request),
    base: parseRequestBase(request),
    propose: toProposeRequest(request),
  };
}

/** The title of a proposal, if the request asks for one or all writes of its token become proposals. */
function toProposeRequest(request: FastifyRequest): ProposeRequest | null {
  const { operation } = request.routeOptions.config;
  const { propose, title, note } = toOptionMembers(request.query);
  if (operation?.effect !== 'write' || (propose !== 'true' && !requireCaller(request).proposes)) return null;
  return {
    title: typeof title === 'string' ? title : null,
    note: typeof note === 'string' ? note : null,
    operation: { id: operation.id, input: collectInput(request) },
    rebased: null,
  };
}

/** The input of an operation: members of path, query and JSON body in one object. */
export function collectInput({ params, query, body }: FastifyRequest): object {
  const isJson = typeof body === 'object' && !(body instanceof LineBody || body instanceof ReceivedFile);
  return { ...(params as object), ...(query as object), ...(isJson ? body : {}) };
}

/** The properties of a request that a write needs. */
function createWriteRequest(api: Api, request: FastifyRequest): WriteRequest {
  const { bodyBytes } = request;
  const reauthorize = () => renewAccess(api, request);
  return { ...toCallConditions(request), access: requireDocumentAccess(request), bodyBytes, reauthorize };
}

/** The write of a console's request. */
export function toConsoleWrite(api: Api, request: FastifyRequest): ConsoleWrite {
  return { request: createWriteRequest(api, request), base: parseRequestBase(request) };
}

/** What a keyed change of a document needs of its request. */
export function createDocumentAction(api: Api, request: FastifyRequest): AccessAction<DocumentAccess> {
  return { by: requireDocumentAccess(request), keyed: request.keyed, reauthorize: () => renewAccess(api, request) };
}

/** Whether the query or the body requests a dry run. Different values in the two are refused before any write. */
export function isDryRun({ query, body }: FastifyRequest): boolean {
  return toOptionMembers(query)['dryRun'] === 'true' || toOptionMembers(body)['dryRun'] === true;
}

/** Reads a write's conditions from its headers, its body and its query. */
export function readPreconditions(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { config } = request.routeOptions;
  if (config.needs?.scope === 'sheets.read') return done();
  const { 'if-match': ifMatch } = request.headers;
  if (ifMatch !== undefined && config.operation?.effect !== 'write') return void sendRefusal(reply, NO_IF_MATCH);
  if (!config.keyed) return done();
  const members = toOptionMembers(request.body);
  const query = toOptionMembers(request.query);
  const differing = refuseDifferingOption(members, query);
  if (differing !== null) return void sendRefusal(reply, differing);
  const unused = refuseUnusedTexts(request, query);
  if (unused !== null) return void sendRefusal(reply, unused);
  const preconditions = parsePreconditions(ifMatch, members['ifRevision'] ?? query['ifRevision'], members['expect']);
  if (isRefusal(preconditions)) return void sendRefusal(reply, preconditions);
  request.preconditions = preconditions;
  done();
}

const NO_IF_MATCH = invalidRequest('If-Match', 'If-Match is for writes of values, records, sheets and structure');

/** Refuses an option with different values in the body and the query. */
function refuseDifferingOption(members: OptionMembers, query: OptionMembers): Refusal | null {
  const name = ['ifRevision', 'dryRun'].find((option) => {
    const [inBody, inQuery] = [members[option], query[option]];
    return inBody !== undefined && inQuery !== undefined && String(inBody) !== String(inQuery);
  });
  return name === undefined ? null : invalidRequest(name, `${name} differs between the query and the body`);
}

/** Refuses the texts of a proposal if the request makes none. */
function refuseUnusedTexts(request: FastifyRequest, query: OptionMembers): Refusal | null {
  if (request.routeOptions.config.operation?.effect !== 'write') return null;
  if (query['propose'] === 'true' || requireCaller(request).proposes) return null;
  const name = ['title', 'note'].find((text) => query[text] !== undefined);
  return name === undefined ? null : invalidRequest(name, `${name} is a text of a proposal; add propose=true`);
}

type OptionMembers = Readonly<Record<string, unknown>>;

/** The members of an object; none for any other value. */
export function toOptionMembers(value: unknown): OptionMembers {
  return typeof value === 'object' && value !== null ? (value as OptionMembers) : {};
}
