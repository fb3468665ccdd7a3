import type { AccessRefusal } from '../access/refusal.ts';
import { MAX_WRITE_ATTEMPTS } from '../limits/limits.ts';
import type { Statement } from '../store/database.ts';
import { ACCESS_CHANGED } from '../store/epoch.ts';
import { KEY_TAKEN } from '../store/idempotency.ts';
import type { ServiceContext } from './context.ts';
import { type KeyedRequest, keep, keptAnswer, once } from './idempotency.ts';
import { BUSY, isRefusal, type Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/** Who asks for a change beside the cells, and under which key. `By`: whose rights allow it, at an access epoch. */
export interface Action<By> {
  readonly by: By;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** Decides `by` once more, by the rights at the moment of the call. */
  readonly renew: () => Promise<By | AccessRefusal>;
}

/** What one attempt comes to: the reply's body, or the guard of its unit that did not hold. */
export type Attempted = { readonly kind: 'done'; readonly body: object } | Refusal | Conflict;

interface Conflict {
  readonly kind: 'conflict';
  readonly conflict: string;
}

/**
 * Does what somebody's rights allow, by the rights of the moment of the commit, and once for each key. The unit of an
 * attempt holds `accessUnchanged` of those rights, and the statements of `keptReply`.
 */
export async function act<By>(
  context: ServiceContext,
  action: Action<By>,
  attempt: (by: By) => Promise<Attempted>,
): Promise<Reply | Refusal> {
  const { keyed, renew } = action;
  if (keyed === null) return attempts(context, action, attempt);
  return once(context, keyed, async () => {
    const by = await renew();
    if (isRefusal(by)) return by;
    return (await keptAnswer(context, keyed)) ?? attempts(context, { ...action, by }, attempt);
  });
}

async function attempts<By>(
  context: ServiceContext,
  { by, keyed, renew }: Action<By>,
  attempt: (by: By) => Promise<Attempted>,
): Promise<Reply | Refusal> {
  let current = by;
  for (let count = 0; count < MAX_WRITE_ATTEMPTS; count++) {
    const outcome = await attempt(current);
    if (outcome.kind === 'refusal') return outcome;
    if (outcome.kind === 'done')
      return { kind: 'reply', body: JSON.stringify(outcome.body), revision: null, replayed: false };
    if (outcome.conflict === KEY_TAKEN && keyed !== null) {
      // Another process has just kept a reply under the same key: that one counts.
      const kept = await keptAnswer(context, keyed);
      if (kept !== null) return kept;
    } else if (outcome.conflict !== ACCESS_CHANGED) {
      throw new Error(`an action was undone: ${outcome.conflict}`);
    }
    const renewed = await renew();
    if (isRefusal(renewed)) return renewed;
    current = renewed;
  }
  return BUSY;
}

/** Keeps the reply of an action under its key; belongs in its unit. */
export function keptReply(
  context: ServiceContext,
  keyed: KeyedRequest | null,
  body: object,
  at: number,
): readonly Statement[] {
  return keyed === null ? [] : [keep(context, keyed, JSON.stringify(body), at)];
}
