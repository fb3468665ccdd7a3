import { createHash } from 'node:crypto';
import type { Statement } from '@cellwire/store';
import {
  appendWebhookId,
  storeCreationReply,
  storedCreationReply,
  storedReply,
  storeReply,
} from '@cellwire/store/documents';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../limits/requests.ts';
import type { ServiceContext } from './context.ts';
import { KEY_REUSED, type Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/** What one `Idempotency-Key` is valid for (decisions §6). */
export interface KeyScope {
  readonly userId: number;
  /** Null: the request makes a document. */
  readonly documentId: string | null;
  readonly method: string;
  /** Percent-encoding undone. */
  readonly path: string;
  readonly key: string;
}

/** A request with a key, and what tells it from another with the same key. */
export interface KeyedRequest {
  readonly scope: KeyScope;
  readonly bodyHash: string;
}

const KEY = /^[ -~]+$/;

export function isValidKey(key: string): boolean {
  return key.length <= MAX_IDEMPOTENCY_KEY_LENGTH && KEY.test(key);
}

/** Characters of a body that are hashed at a time, about. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * SHA-256 of a parsed JSON body in a form where the order of names does not count. Pauses now and then: a body may have
 * ten megabytes. How deep it is nested is bounded where it is parsed.
 */
export function* bodyHash(body: unknown): Generator<void, string> {
  const hash = createHash('sha256');
  let piece = '';
  for (const part of canonical(body)) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    hash.update(piece);
    piece = '';
    yield;
  }
  return hash.update(piece).digest('hex');
}

function isPlain(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

/** The parts of that form's text, in order. */
function* canonical(value: unknown): Generator<string, void> {
  if (isPlain(value)) return yield JSON.stringify(value) ?? '';
  const isList = Array.isArray(value);
  if (isList && value.length <= LIST_AT_ONCE && value.every(isPlain)) return yield JSON.stringify(value);
  yield isList ? '[' : '{';
  let separator = '';
  for (const key of isList ? value.keys() : Object.keys(value as object).sort()) {
    yield isList ? separator : `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    const member: unknown = (value as Record<PropertyKey, unknown>)[key];
    if (isPlain(member)) yield JSON.stringify(member) ?? '';
    else yield* canonical(member);
  }
  yield isList ? ']' : '}';
}

/** A list of no more values is made text of in one go. */
const LIST_AT_ONCE = 1_000;

function lockName({ userId, documentId, method, path, key }: KeyScope): string {
  return JSON.stringify([userId, documentId, method, path, key]);
}

/** Whether a reply is kept for a key, or its first request still runs. */
export async function isKnownKey(context: ServiceContext, scope: KeyScope): Promise<boolean> {
  return context.running.isHeld(lockName(scope)) || (await kept(context, scope)) !== null;
}

/** Waits for a request under way with the same key. Never inside of `once`: that one waits for itself. */
export function othersDone(context: ServiceContext, { scope }: KeyedRequest): Promise<void> {
  return context.running.idle(lockName(scope));
}

/** Runs a write under its key, one after another with all others of this process that have the same key. */
export function once<T>(context: ServiceContext, { scope }: KeyedRequest, write: () => Promise<T>): Promise<T> {
  return context.running.run(lockName(scope), write);
}

/** The reply as it is kept, in the transaction of the write. */
export function keep(
  context: ServiceContext,
  { scope, bodyHash }: KeyedRequest,
  body: string,
  at: number,
  status: 200 | 202 = 200,
): Statement {
  const { documentId, userId, method, path, key } = scope;
  const expired = at - context.config.idempotency.retentionMs;
  const row = { user_id: userId, path, key, body_hash: bodyHash, reply: body, at, expired };
  return documentId === null
    ? storeCreationReply(row)
    : storeReply({ ...row, document_id: documentId, method, status });
}

/** The reply that is kept of an equal request, whichever process answered it; null: none. */
export async function keptAnswer(context: ServiceContext, request: KeyedRequest): Promise<Reply | Refusal | null> {
  const row = await kept(context, request.scope);
  if (row === null) return null;
  if (row.body_hash !== request.bodyHash) return KEY_REUSED;
  const body = openedReply(context, row.reply);
  if (body === null) return KEY_REUSED;
  const reply: Reply = { kind: 'reply', body, revision: null, replayed: true };
  return row.status === PROPOSED ? { ...reply, isProposal: true } : reply;
}

/** An encrypted reply begins with it; base64 follows. All others are JSON. */
const SEALED = 'sealed ';

/** A reply as it is kept encrypted. */
export function sealed({ secrets }: ServiceContext, body: string): string {
  return SEALED + Buffer.from(secrets.seal(body)).toString('base64');
}

/** Stands in a kept reply for the id of a subscription, which the database gives in the same unit. */
export const UNKNOWN_WEBHOOK_ID = 0;
const UNKNOWN_ID_JSON = JSON.stringify({ id: UNKNOWN_WEBHOOK_ID }).slice(1, -1);

/** Completes the reply of a new subscription, in whose JSON the unknown id is the first one; belongs behind `keep`. */
export function keepWebhookId({ scope }: KeyedRequest): Statement {
  const { documentId, userId, method, path, key } = scope;
  if (documentId === null) throw new Error('A subscription is made in a document');
  return appendWebhookId({ document_id: documentId, user_id: userId, method, path, key });
}

/** Null if it was encrypted with a key that is lost. */
function openedReply({ secrets }: ServiceContext, reply: string): string | null {
  if (!reply.startsWith(SEALED)) return reply;
  const [base64 = '', webhook] = reply.slice(SEALED.length).split(' ');
  const body = secrets.open(Buffer.from(base64, 'base64'));
  if (body === null || webhook === undefined) return body;
  return body.replace(UNKNOWN_ID_JSON, `"id":${webhook}`);
}

/** The body of the reply that is kept under a key, whatever its request was; null: none. */
export async function keptBody(context: ServiceContext, scope: KeyScope): Promise<string | null> {
  return (await kept(context, scope))?.reply ?? null;
}

/** The status of a write that waits for consent. */
const PROPOSED = 202;

interface KeptRow {
  readonly body_hash: string;
  readonly reply: string;
  /** Absent: 200. */
  readonly status?: number;
}

function kept({ config, clock, database }: ServiceContext, scope: KeyScope): Promise<KeptRow | null> {
  const { documentId, userId, method, path, key } = scope;
  const place = { user_id: userId, path, key, after: clock() - config.idempotency.retentionMs };
  return documentId === null
    ? database.readOne(storedCreationReply(place))
    : database.readOne(storedReply({ ...place, document_id: documentId, method }));
}
