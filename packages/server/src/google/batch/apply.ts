import { MAX_BATCH_REQUESTS } from '../../limits/google.ts';
import { renameDocument } from '../../operations/documents/rename-document.ts';
import { findCallerUser } from '../../service/accounts/members.ts';
import { findKeyUser } from '../../service/google/key-users.ts';
import { findUser } from '../../service/operator/find-user.ts';
import { isRefusal } from '../../service/refusal.ts';
import { commitPlannedEdits, type GoogleCall, type WritePlanner } from '../call.ts';
import {
  createUnknownNameProblem,
  isRequestObject,
  joinPath,
  nameSheetsType,
  type RequestObject,
  refuseSeveralMembers,
  throwWrongType,
  toCamelCase,
} from '../json.ts';
import { runOperation } from '../operation-call.ts';
import { createInvalidProblem, FORBIDDEN, Problem } from '../problem.ts';
import * as cells from './cell-requests.ts';
import * as copies from './copy-requests.ts';
import * as data from './data-requests.ts';
import * as dimensions from './dimension-requests.ts';
import * as filters from './filter-requests.ts';
import { findReplace } from './find-replace.ts';
import * as merges from './merge-requests.ts';
import * as metadata from './metadata-requests.ts';
import * as ranges from './name-requests.ts';
import * as objects from './object-requests.ts';
import { NO_USERS, type ProtectionUsers } from './protection-users.ts';
import * as sheets from './sheet-requests.ts';
import { RequestBatch, type RequestHandler, type RequestReply, type RequestSteps } from './state.ts';

/** Handlers by request kind. */
const HANDLERS: Readonly<Record<string, RequestHandler>> = {
  ...sheets,
  ...dimensions,
  ...cells,
  ...merges,
  ...copies,
  ...data,
  findReplace,
  ...filters,
  ...objects,
  ...ranges,
  ...metadata,
};

/** Requests that change sheets, rows or columns themselves. A service plan can exclude them. */
const STRUCTURAL: ReadonlySet<string> = new Set([
  ...Object.keys(sheets),
  'insertDimension',
  'deleteDimension',
  'moveDimension',
  'insertRange',
  'deleteRange',
  'sortRange',
  'cutPaste',
  'deleteDuplicates',
]);

interface ParsedRequest {
  readonly kind: string;
  readonly members: RequestObject;
  readonly handler: RequestHandler;
}

/** The only member of a request, as its kind and content. Throws a `Problem` for none, several or an unknown one. */
function parseRequest(request: RequestObject, index: number): ParsedRequest {
  const place = `requests[${index}]`;
  const set = Object.entries(request).filter(([, members]) => members !== null);
  for (const [name] of set)
    if (!Object.hasOwn(HANDLERS, toCamelCase(name))) throw createUnknownNameProblem(name, place);
  const [entry] = set;
  if (entry === undefined) throw createInvalidProblem(`Invalid ${place}: No request set.`);
  refuseSeveralMembers(request, Object.keys(HANDLERS), 'kind', place);
  const [name, members] = entry;
  const kind = toCamelCase(name);
  if (!isRequestObject(members)) {
    const type = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Request`;
    return throwWrongType(joinPath(place, kind), nameSheetsType(type), members);
  }
  return { kind, members, handler: HANDLERS[kind] as RequestHandler };
}

/** Applies all requests in one revision, or none. Returns a reply for each, made when it is read. */
export async function applyBatch(call: GoogleCall, rawRequests: readonly unknown[]): Promise<Iterable<object>> {
  // As elsewhere in a body, null means absent.
  const requests = rawRequests.filter((request) => request !== null);
  if (requests.length === 0) throw createInvalidProblem('Must specify at least one request.');
  if (requests.length > MAX_BATCH_REQUESTS)
    throw createInvalidProblem(`A batch can have ${MAX_BATCH_REQUESTS} requests at most.`);
  const parsed = requests.map((request, i) =>
    isRequestObject(request)
      ? parseRequest(request, i)
      : throwWrongType(`requests[${i}]`, nameSheetsType('BatchUpdateSpreadsheetRequest.Request'), request),
  );
  const { sheetOperations } = call.caller.plan;
  if (!sheetOperations && parsed.some(({ kind }) => STRUCTURAL.has(kind))) throw new Problem(403, FORBIDDEN);
  const people = await resolvePeople(call, parsed);
  let replies: readonly RequestReply[] = [];
  let outcomes: readonly { readonly cells: number }[] = [];
  let title: string | null = null;
  // The planner may run several times. Only its last plan is committed.
  const plan: WritePlanner = function* (snapshot, access, copy) {
    const batch = new RequestBatch(call.context, snapshot, access, copy, people);
    const planned: RequestReply[] = [];
    for (const [i, request] of parsed.entries()) {
      planned.push(yield* generateReplySteps(batch, request, i));
      yield;
    }
    replies = planned;
    title = batch.title;
    const edits = batch.finishEdits();
    return {
      edits,
      describe: (done) => {
        outcomes = done.outcomes;
        const writtenCells = done.outcomes.reduce((sum, outcome) => sum + outcome.cells, 0);
        return { body: {}, notes: [{ action: 'structure', range: '', cells: writtenCells }] };
      },
    };
  };
  await commitPlannedEdits(call, plan);
  if (title !== null) await runOperation(renameDocument, call, { title });
  return resolveReplies(replies, outcomes);
}

/** The replies of the requests, with the numbers of changed cells where a reply needs them. */
function* resolveReplies(
  replies: readonly RequestReply[],
  outcomes: readonly { readonly cells: number }[],
): Generator<object> {
  for (const reply of replies) yield typeof reply === 'function' ? reply((edit) => outcomes[edit]?.cells ?? 0) : reply;
}

/** The caller's email address, and the ids of users named by protected ranges. */
async function resolvePeople(call: GoogleCall, requests: readonly ParsedRequest[]): Promise<ProtectionUsers> {
  const protects = requests.filter(({ kind }) => kind === 'addProtectedRange' || kind === 'updateProtectedRange');
  if (protects.length === 0) return NO_USERS;
  const { email } = await findCallerUser(call.context, call.caller);
  const editors = new Set(protects.flatMap(({ members }) => listEditors(members)));
  const ids = new Map<string, number>();
  if (editors.size > MAX_EDITORS) throw createInvalidProblem(`A batch can name ${MAX_EDITORS} editors at most.`);
  for (const address of editors) {
    const user = (await findKeyUser(call.context, address)) ?? (await findUserId(call, address));
    if (user !== null) ids.set(address, user);
  }
  return { email, ids };
}

const MAX_EDITORS = 100;

async function findUserId({ context }: GoogleCall, address: string): Promise<number | null> {
  const user = await findUser(context, address);
  return isRefusal(user) ? null : user.id;
}

/** The mail addresses of the editors in a request for a protected range. */
function listEditors({ protectedRange }: RequestObject): readonly string[] {
  const { editors } = isRequestObject(protectedRange) ? protectedRange : {};
  const { users } = isRequestObject(editors) ? editors : {};
  return Array.isArray(users) ? (users as unknown[]).filter((one) => typeof one === 'string') : [];
}

/** Handles one request. A problem says which request it is about. */
function* generateReplySteps(
  batch: RequestBatch,
  { kind, members, handler }: ParsedRequest,
  index: number,
): RequestSteps {
  const place = `requests[${index}]`;
  try {
    const reply = handler(batch, members, joinPath(place, kind));
    return Symbol.iterator in reply ? yield* reply : reply;
  } catch (error) {
    const isPlain = error instanceof Problem && error.code === 400 && error.details.length === 0;
    if (!isPlain || error.message.startsWith('Invalid requests[')) throw error;
    throw createInvalidProblem(`Invalid ${place}.${kind}: ${error.message}`);
  }
}
