import type { Statement } from '@cellwire/store';
import type { AccessRefusal } from '../access/refusal.ts';
import { type CommitConflict, commitLoop } from './commit-loop.ts';
import type { ServiceContext } from './context.ts';
import { findKeptReply, type KeyedRequest, keepReplyRow, runOnce, sealReply } from './idempotency.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { WriteReply } from './reply.ts';

/** A change outside the cells: its access decision, and the `Idempotency-Key` of its request. */
export interface AccessAction<By> {
  readonly by: By;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** Decides the access again, with the rights at the time of the call. */
  readonly reauthorize: () => Promise<By | AccessRefusal>;
}

/** The result of one attempt: the reply's body, a refusal, or the failed condition of its unit. */
export type AttemptResult = { readonly kind: 'done'; readonly body: object } | Refusal | CommitConflict;

/**
 * Runs a change until it commits under valid rights, once for each key. Every unit that an attempt commits holds
 * `accessUnchanged` of its rights and the statements of `keepActionReply`.
 */
export function withAccessRetry<By>(
  context: ServiceContext,
  action: AccessAction<By>,
  attempt: (by: By) => Promise<AttemptResult>,
): Promise<WriteReply | Refusal> {
  return commitOncePerKey(context, action, async (by) => {
    const outcome = await attempt(by);
    if (outcome.kind !== 'done') return outcome;
    return { kind: 'reply', body: JSON.stringify(outcome.body), revision: null, replayed: false };
  });
}

/**
 * Attempts a change until it commits under valid rights, once for each key. A keyed request may wait for another one
 * with the same key; its rights are therefore decided again before the first attempt.
 */
export function commitOncePerKey<By>(
  context: ServiceContext,
  { by, keyed, reauthorize }: AccessAction<By>,
  attempt: (by: By) => Promise<WriteReply | Refusal | CommitConflict>,
): Promise<WriteReply | Refusal> {
  if (keyed === null) return commitLoop<By, WriteReply>({ rights: by, reauthorize, attempt });
  return runOnce(context, keyed, async () => {
    const rights = await reauthorize();
    if (isRefusal(rights)) return rights;
    const readKept = () => findKeptReply(context, keyed);
    return (await readKept()) ?? commitLoop<By, WriteReply>({ rights, reauthorize, keptReply: readKept, attempt });
  });
}

/** The statement that keeps the reply of an action under its key; it is part of the action's unit. */
export function keepActionReply(
  context: ServiceContext,
  keyed: KeyedRequest | null,
  body: object,
  storedAt: number,
): readonly Statement[] {
  return keyed === null ? [] : [keepReplyRow(context, keyed, JSON.stringify(body), storedAt)];
}

/** Like `keepActionReply`, with the reply encrypted, because it may contain a secret. */
export function keepSealedReply(
  context: ServiceContext,
  keyed: KeyedRequest | null,
  body: object,
): readonly Statement[] {
  return keyed === null
    ? []
    : [keepReplyRow(context, keyed, sealReply(context, JSON.stringify(body)), context.clock())];
}
