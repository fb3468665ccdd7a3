import type { Statement } from '@cellwire/store';
import type { AccessRefusal } from '../access/refusal.ts';
import { commitLoop, type Undone } from './commit-loop.ts';
import type { ServiceContext } from './context.ts';
import { type KeyedRequest, keep, keptAnswer, once, sealed } from './idempotency.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/** Who asks for a change beside the cells, and under which key. `By`: whose rights allow it, at an access epoch. */
export interface Action<By> {
  readonly by: By;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** Decides `by` once more, by the rights at the moment of the call. */
  readonly renew: () => Promise<By | AccessRefusal>;
}

/** What one attempt comes to: the reply's body, or the condition of its unit that did not hold. */
export type Attempted = { readonly kind: 'done'; readonly body: object } | Refusal | Undone;

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

function attempts<By>(
  context: ServiceContext,
  { by, keyed, renew }: Action<By>,
  attempt: (by: By) => Promise<Attempted>,
): Promise<Reply | Refusal> {
  return commitLoop<By, Reply>({
    rights: by,
    reauthorize: renew,
    ...(keyed === null ? {} : { keptReply: () => keptAnswer(context, keyed) }),
    attempt: async (rights) => {
      const outcome = await attempt(rights);
      if (outcome.kind !== 'done') return outcome;
      return { kind: 'reply', body: JSON.stringify(outcome.body), revision: null, replayed: false };
    },
  });
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

/** The same for a reply that may hold a secret. */
export function sealedReply(context: ServiceContext, keyed: KeyedRequest | null, body: object): readonly Statement[] {
  return keyed === null ? [] : [keep(context, keyed, sealed(context, JSON.stringify(body)), context.clock())];
}
