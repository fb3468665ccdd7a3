import { createHash, type Hash, hash as hashText } from 'node:crypto';
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
import { SentRecords } from './records/sent-records.ts';
import { KEY_REUSED, type Refusal } from './refusal.ts';
import type { WriteReply } from './reply.ts';

/** The scope in which an `Idempotency-Key` is unique. */
export interface KeyScope {
  readonly userId: number;
  /** Null: the request creates a document. */
  readonly documentId: string | null;
  readonly method: string;
  /** Percent-decoded. */
  readonly path: string;
  readonly key: string;
}

/** A request with a key. The hash of the body distinguishes it from a different request with the same key. */
export interface KeyedRequest {
  readonly scope: KeyScope;
  readonly bodyHash: string;
}

const KEY = /^[ -~]+$/;

export function isValidKey(key: string): boolean {
  return key.length <= MAX_IDEMPOTENCY_KEY_LENGTH && KEY.test(key);
}

/** Approximate number of characters that are hashed at a time. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * SHA-256 of a parsed JSON body, independent of the order of its names. Pauses regularly, because a body may have ten
 * megabytes. The JSON parser limits the depth of nesting.
 */
export function* hashBody(body: unknown): Generator<void, string> {
  let hash: Hash | null = null;
  let piece = '';
  for (const part of writeCanonicalJson(body)) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    hash ??= createHash('sha256');
    hash.update(piece);
    piece = '';
    yield;
  }
  // A hash object costs more than hashing a short text.
  return hash === null ? hashText('sha256', piece) : hash.update(piece).digest('hex');
}

function isPlain(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

/** Yields the parts of the canonical text, in order. */
function* writeCanonicalJson(value: unknown): Generator<string, void> {
  if (isPlain(value)) return yield JSON.stringify(value) ?? '';
  if (value instanceof SentRecords) return yield* value.writeCanonicalJson(writeCanonicalJson);
  const isList = Array.isArray(value);
  if (isList && value.length <= MAX_LIST_AT_ONCE && value.every(isPlain)) return yield JSON.stringify(value);
  yield isList ? '[' : '{';
  let separator = '';
  for (const key of isList ? value.keys() : Object.keys(value as object).sort()) {
    yield isList ? separator : `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    const member: unknown = (value as Record<PropertyKey, unknown>)[key];
    if (isPlain(member)) yield JSON.stringify(member) ?? '';
    else yield* writeCanonicalJson(member);
  }
  yield isList ? ']' : '}';
}

/** A list of up to this many plain values is serialized in one step. */
const MAX_LIST_AT_ONCE = 1_000;

function formatLockName({ userId, documentId, method, path, key }: KeyScope): string {
  return JSON.stringify([userId, documentId, method, path, key]);
}

/** True if a reply is kept for a key or its first request is still running. */
export async function isKnownKey(context: ServiceContext, scope: KeyScope): Promise<boolean> {
  return context.keyLocks.isHeld(formatLockName(scope)) || (await findKeptRow(context, scope)) !== null;
}

/** Waits for a running request with the same key. Do not call it inside `runOnce`: it would wait for itself. */
export function waitForSameKey(context: ServiceContext, { scope }: KeyedRequest): Promise<void> {
  return context.keyLocks.waitUntilIdle(formatLockName(scope));
}

/** Runs a write under its key. Writes of this process with the same key run one after another. */
export function runOnce<T>(context: ServiceContext, { scope }: KeyedRequest, write: () => Promise<T>): Promise<T> {
  return context.keyLocks.runExclusively(formatLockName(scope), write);
}

/** The statement that keeps a reply, in the transaction of the write. `revision`: the revision that it creates. */
export function keepReplyRow(
  context: ServiceContext,
  { scope, bodyHash }: KeyedRequest,
  body: string,
  storedAt: number,
  { status = 200, revision = null }: { readonly status?: 200 | 202; readonly revision?: number | null } = {},
): Statement {
  const { documentId, userId, method, path, key } = scope;
  const expired = storedAt - context.config.idempotency.retentionMs;
  const row = { user_id: userId, path, key, body_hash: bodyHash, reply: body, at: storedAt, expired };
  return documentId === null
    ? storeCreationReply(row)
    : storeReply({ ...row, document_id: documentId, method, status, revision });
}

/** The kept reply of an equal request, from any process; null: none. */
export async function findKeptReply(
  context: ServiceContext,
  request: KeyedRequest,
): Promise<WriteReply | Refusal | null> {
  const row = await findKeptRow(context, request.scope);
  if (row === null) return null;
  if (row.body_hash !== request.bodyHash) return KEY_REUSED;
  const body = openReply(context, row.reply);
  if (body === null) return KEY_REUSED;
  const reply: WriteReply = { kind: 'reply', body, revision: row.revision ?? null, replayed: true };
  return row.status === PROPOSED_STATUS ? { ...reply, isProposal: true } : reply;
}

/** Prefix of an encrypted reply; base64 follows. All other replies are JSON. */
const SEALED = 'sealed ';

/** Encrypts the stored reply. */
export function sealReply({ secrets }: ServiceContext, body: string): string {
  return SEALED + Buffer.from(secrets.seal(body)).toString('base64');
}

/** Placeholder in a kept reply for the id of a new subscription, which the database assigns in the same unit. */
export const UNKNOWN_WEBHOOK_ID = 0;
const UNKNOWN_ID_JSON = JSON.stringify({ id: UNKNOWN_WEBHOOK_ID }).slice(1, -1);

/**
 * Completes the stored reply of a new subscription with the subscription's id: the placeholder must be the first id in
 * its JSON. The statement must follow that of `keepReplyRow`.
 */
export function keepWebhookId({ scope }: KeyedRequest): Statement {
  const { documentId, userId, method, path, key } = scope;
  if (documentId === null) throw new Error('A subscription is made in a document');
  return appendWebhookId({ document_id: documentId, user_id: userId, method, path, key });
}

/** Null if the key that encrypted the reply is lost. */
function openReply({ secrets }: ServiceContext, reply: string): string | null {
  if (!reply.startsWith(SEALED)) return reply;
  const [base64 = '', webhook] = reply.slice(SEALED.length).split(' ');
  const body = secrets.open(Buffer.from(base64, 'base64'));
  if (body === null || webhook === undefined) return body;
  return body.replace(UNKNOWN_ID_JSON, `"id":${webhook}`);
}

/** The body of the reply kept under a key, for any request body; null: none. */
export async function findKeptBody(context: ServiceContext, scope: KeyScope): Promise<string | null> {
  return (await findKeptRow(context, scope))?.reply ?? null;
}

/** HTTP status of a write that waits for approval. */
const PROPOSED_STATUS = 202;

interface KeptRow {
  readonly body_hash: string;
  readonly reply: string;
  /** Absent: 200. */
  readonly status?: number;
  /** Absent or null: the request created no revision. */
  readonly revision?: number | null;
}

/** The stored reply of a key within the retention time; null if there is none. */
function findKeptRow({ config, clock, database }: ServiceContext, scope: KeyScope): Promise<KeptRow | null> {
  const { documentId, userId, method, path, key } = scope;
  const place = { user_id: userId, path, key, after: clock() - config.idempotency.retentionMs };
  return documentId === null
    ? database.readOne(storedCreationReply(place))
    : database.readOne(storedReply({ ...place, document_id: documentId, method }));
}
