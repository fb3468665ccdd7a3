import type { ServiceContext } from './context.ts';
import { type KeyedRequest, keep, keptAnswer, once, SEALED } from './idempotency.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/**
 * Does something once for each key, for changes that know their answer only when they are on the disk: the answer is kept
 * right behind the change, in a unit of its own, and encrypted, since it may hold a secret. A process that dies between
 * the two leaves a change that a repetition makes again.
 */
export async function doOnce(
  context: ServiceContext,
  keyed: KeyedRequest | null,
  work: () => Promise<object | Refusal>,
): Promise<Reply | Refusal> {
  if (keyed === null) return replyOf(await work());
  return once(context, keyed, async () => {
    const kept = await keptAnswer(context, keyed);
    if (kept !== null) return kept;
    const reply = replyOf(await work());
    return isRefusal(reply) ? reply : keepReply(context, keyed, reply);
  });
}

function replyOf(outcome: object | Refusal): Reply | Refusal {
  if (isRefusal(outcome)) return outcome;
  return { kind: 'reply', body: JSON.stringify(outcome), revision: null, replayed: false };
}

async function keepReply(context: ServiceContext, keyed: KeyedRequest, reply: Reply): Promise<Reply | Refusal> {
  const { documentId } = keyed.scope;
  const statements = [keep(context, keyed, sealedReply(context, reply.body), context.clock())];
  const outcome = await context.database.write({ document: documentId, statements });
  // Another process has kept an answer under the same key: that one counts.
  return outcome.kind === 'conflict' ? ((await keptAnswer(context, keyed)) ?? reply) : reply;
}

function sealedReply({ secrets }: ServiceContext, body: string): string {
  return SEALED + Buffer.from(secrets.seal(body)).toString('base64');
}
