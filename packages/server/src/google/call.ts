import type { Snapshot } from '@cellwire/engine';
import { pause } from '@cellwire/event-loop';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { AccessRequirements } from '../access/gate.ts';
import { type AccessRefusal, DOCUMENT_NOT_FOUND } from '../access/refusal.ts';
import type { DocumentReading, WorkingCopy } from '../documents/types.ts';
import { MAX_PLAN_IN_COMMIT_MS } from '../limits/google.ts';
import type { AccessAction } from '../service/access-retry.ts';
import { STATE_CHANGED } from '../service/commit-loop.ts';
import type { ServiceContext } from '../service/context.ts';
import type { DocumentCreator } from '../service/document/create.ts';
import { openReading, openWritableTable } from '../service/open-table.ts';
import { NO_PRECONDITIONS } from '../service/preconditions.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import { commitWrite, prepareAndWrite } from '../service/write.ts';
import type { ProposeWrite, WriteProposal, WriteRequest } from '../service/write-request.ts';
import { isRequestObject, type RequestObject, refuseUnknownMembers } from './json.ts';
import { createInvalidProblem, toProblem } from './problem.ts';

/** The answer. Errors are thrown as a `Problem` instead. */
export type GoogleAnswer =
  | { readonly kind: 'json'; readonly body: unknown }
  /** JSON text that is complete already. */
  | { readonly kind: 'text'; readonly text: Buffer | string }
  /** JSON text in pieces, produced at the receiver's speed. */
  | { readonly kind: 'pieces'; readonly pieces: Iterable<string> }
  | { readonly kind: 'file'; readonly path: string; readonly type: string; readonly name: string }
  /** Text of another type, in pieces. */
  | { readonly kind: 'lines'; readonly type: string; readonly name: string; readonly pieces: Iterable<string> }
  /** An answer with status 204 and no body. */
  | { readonly kind: 'nothing' };

/** A call of one of Google's methods by an authenticated caller. */
export interface GoogleCall {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly caller: Caller;
  /** Whether the caller authenticated with a service-account key. */
  readonly isKey: boolean;
  /** Null: the method has no document. */
  readonly document: DocumentAccess | null;
  /** The document's id or alias as in the path. */
  readonly sentDocumentId: string | null;
  readonly query: URLSearchParams;
  /** The JSON body; `{}` if the request has none. */
  readonly body: unknown;
  /** A body other than JSON, with its content type. */
  readonly file: { readonly type: string; readonly bytes: Buffer } | null;
  readonly bodyBytes: number;
  readonly renewCaller: () => Promise<Caller | AccessRefusal>;
  readonly renewDocument: () => Promise<DocumentAccess | AccessRefusal>;
  /** Opens another document by its id or alias. */
  readonly openOther: (id: string, needs: AccessRequirements) => Promise<DocumentAccess>;
  /** Aborted when the connection of the answer closes. */
  readonly createAbortSignal: () => AbortSignal;
  /** Path for a file that is removed after the answer. */
  readonly createTemporaryFile: () => Promise<string>;
  /** The address of the console, without a trailing slash. */
  readonly origin: string;
}

/** One of Google's methods. */
export interface GoogleMethod {
  readonly requires: AccessRequirements;
  readonly run: (
    call: GoogleCall,
    parameters: Readonly<Record<string, string>>,
  ) => Promise<GoogleAnswer> | GoogleAnswer;
  /** Whether the method changes data. */
  readonly writes: boolean;
}

export const READS: AccessRequirements = { scope: 'sheets.read' };
export const WRITES: AccessRequirements = { scope: 'sheets.write', feature: 'valueWrites', writes: true };

export function toJsonAnswer(body: unknown): GoogleAnswer {
  return { kind: 'json', body };
}

export function requireCallDocument({ document }: GoogleCall): DocumentAccess {
  if (document === null) throw new Error('the method has no document');
  return document;
}

/** The body of a request, which must be an object. */
export function requireBodyObject({ body }: GoogleCall): RequestObject {
  if (isRequestObject(body)) return body;
  throw createInvalidProblem('Invalid JSON payload received. Root element must be a message.');
}

/**
 * The body of a request whose members are `supported`. As with Google, it may repeat the id in the path: n8n does that.
 */
export function requireRequestBody(call: GoogleCall, supported: readonly string[]): RequestObject {
  const body = requireBodyObject(call);
  const repeatsId = call.sentDocumentId !== null && body['spreadsheetId'] === call.sentDocumentId;
  refuseUnknownMembers(body, repeatsId ? [...supported, 'spreadsheetId'] : supported, '');
  return body;
}

/** The result of a use case. Throws the problem for a refusal. */
export function requireSuccess<T>(outcome: T | Refusal): Exclude<T, Refusal> {
  if (isRefusal(outcome)) throw toProblem(outcome);
  return outcome as Exclude<T, Refusal>;
}

/** The newest state of the call’s document, with its commit. Throws a `Problem` if it is no spreadsheet or is deleted. */
export async function openCallReading(call: GoogleCall, access = requireCallDocument(call)): Promise<DocumentReading> {
  return requireSuccess(await openReading(call.context, access));
}

export async function readSnapshot(call: GoogleCall): Promise<Snapshot> {
  return (await openCallReading(call)).snapshot;
}

/**
 * Commits what `propose` makes of the newest state. A `Problem` thrown by `propose` is thrown here, and nothing is
 * written.
 */
export async function commitCall(call: GoogleCall, propose: ProposeWrite): Promise<void> {
  requireSuccess(await commitWrite(call.context, toWriteRequest(call), propose));
}

/** The write request of a call, without preconditions and without an idempotency key. */
function toWriteRequest(call: GoogleCall): WriteRequest {
  const { bodyBytes, renewDocument: reauthorize } = call;
  return { ...NO_PRECONDITIONS, access: requireCallDocument(call), keyed: null, bodyBytes, reauthorize };
}

/** A step of work: after it, other work may have its turn. Work that yields a promise continues when it resolves. */
type WorkStep = void | Promise<void>;
export type PlanSteps<T> = Generator<WorkStep, T>;

/** Plans a write on a state of the document, in steps. Throws a `Problem` if the request cannot be performed. */
export type WritePlanner = (snapshot: Snapshot, access: DocumentAccess, copy: WorkingCopy) => PlanSteps<WriteProposal>;

/**
 * Plans a write on the newest state of the document and commits it. The first attempt plans within the commit, for a
 * few milliseconds at most. Later attempts plan in slices before the commit. If the document changes in the meantime, a
 * short plan is repeated within the commit, a long one before another attempt.
 */
export async function commitPlannedEdits(call: GoogleCall, plan: WritePlanner): Promise<void> {
  const { context } = call;
  let isFirstAttempt = true;
  const reply = await prepareAndWrite(context, toWriteRequest(call), async (access) => {
    const document = await openWritableTable(context, access);
    if (isRefusal(document)) return document;
    const planOn = (state: Snapshot) =>
      runAndDiscard(document.openWorkingCopy(state, access.caller.userId), (copy) => plan(state, access, copy));
    if (isFirstAttempt) {
      isFirstAttempt = false;
      return (head) => runWithin(MAX_PLAN_IN_COMMIT_MS, planOn(head.snapshot)) ?? STATE_CHANGED;
    }
    const snapshot = await document.readSnapshot();
    if (snapshot === null) return DOCUMENT_NOT_FOUND;
    const { result, milliseconds, hasWaited } = await runWithPauses(planOn(snapshot));
    return (head) => {
      if (head.snapshot === snapshot) return result;
      if (hasWaited || milliseconds > MAX_PLAN_IN_COMMIT_MS) return STATE_CHANGED;
      return runWithin(Number.POSITIVE_INFINITY, planOn(head.snapshot)) ?? STATE_CHANGED;
    };
  });
  requireSuccess(reply);
}

/** Runs the steps on the copy and discards the copy in any case. */
function* runAndDiscard<T>(copy: WorkingCopy, work: (copy: WorkingCopy) => PlanSteps<T>): PlanSteps<T> {
  try {
    return yield* work(copy);
  } finally {
    copy.discard();
  }
}

/** Runs work in slices. `milliseconds`: its time without pauses; `hasWaited`: true if it waited for a promise. */
async function runWithPauses<T>(
  work: PlanSteps<T>,
): Promise<{ readonly result: T; readonly milliseconds: number; readonly hasWaited: boolean }> {
  let milliseconds = 0;
  let hasWaited = false;
  try {
    for (;;) {
      const start = performance.now();
      const step = work.next();
      milliseconds += performance.now() - start;
      if (step.done) return { result: step.value, milliseconds, hasWaited };
      hasWaited ||= step.value instanceof Promise;
      if (step.value instanceof Promise) await step.value;
      const turn = pause();
      if (turn !== null) await turn;
    }
  } catch (error) {
    // The work may be waiting for a promise that was rejected.
    work.return(undefined as never);
    throw error;
  }
}

/** Runs work to its end. Null if it takes longer, or would have to wait. */
function runWithin<T>(milliseconds: number, work: PlanSteps<T>): T | null {
  const end = performance.now() + milliseconds;
  const endWork = () => work.return(undefined as never);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (step.value instanceof Promise) {
      step.value.then(endWork, endWork);
      return null;
    }
    if (performance.now() < end) continue;
    endWork();
    return null;
  }
}

/** The call as an action on its document, without an `Idempotency-Key`. */
export function toDocumentAction(call: GoogleCall): AccessAction<DocumentAccess> {
  return { by: requireCallDocument(call), keyed: null, reauthorize: call.renewDocument };
}

/** The call as an action that creates a document, without an `Idempotency-Key`. */
export function toCreatorAction({ caller, renewCaller }: GoogleCall): AccessAction<DocumentCreator> {
  const toCreator = (ownCaller: Caller): DocumentCreator => ({ caller: ownCaller, epoch: ownCaller.epoch });
  const reauthorize = async () => {
    const renewed = await renewCaller();
    return isRefusal(renewed) ? renewed : toCreator(renewed);
  };
  return { by: toCreator(caller), keyed: null, reauthorize };
}
