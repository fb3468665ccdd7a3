import type { Statement, UnitOutcome } from '@cellwire/store';
import type { DocumentAccess } from '../access/access.ts';
import { type Action, act, sealedReply } from './act.ts';
import { rightsHold } from './by-rights.ts';
import { commitLoop } from './commit-loop.ts';
import type { ServiceContext } from './context.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/**
 * A change of what belongs to a document beside its cells, before it is written. If a guard of its statements fails, it
 * is planned again.
 */
export interface PlannedChange<Result> {
  readonly document: string;
  /** Empty: everything is as the caller wants it already. */
  readonly statements: readonly Statement[];
  /** What the caller gets once the statements are committed. */
  readonly result: Result;
}

/**
 * Plans a change by the caller's rights and commits it if they still hold, once for each key. The reply is kept in the
 * same unit. `show` makes the reply's JSON.
 */
export function commitPlanned<Result>(
  context: ServiceContext,
  action: Action<DocumentAccess>,
  plan: (access: DocumentAccess) => Promise<PlannedChange<Result> | Refusal>,
  show: (result: Result) => object,
): Promise<Reply | Refusal> {
  return act(context, action, async (access) => {
    const planned = await plan(access);
    if (isRefusal(planned)) return planned;
    const body = show(planned.result);
    const outcome = await commit(context, access, planned, sealedReply(context, action.keyed, body));
    return outcome.kind === 'conflict' ? outcome : { kind: 'done', body };
  });
}

/** A plan that is made at once or later; a refusal if the change is not possible. */
export type Planning<Result> = PlannedChange<Result> | Refusal | Promise<PlannedChange<Result> | Refusal>;

/** Plans and commits a change of the operator, who needs no rights. */
export async function commitForOperator<Result>(
  context: ServiceContext,
  plan: () => Promise<PlannedChange<Result> | Refusal>,
): Promise<Result | Refusal> {
  const outcome = await commitLoop<null, { readonly kind: 'done'; readonly result: Result }>({
    rights: null,
    reauthorize: async () => null,
    attempt: async () => {
      const planned = await plan();
      if (isRefusal(planned)) return planned;
      const committed = await commit(context, null, planned, []);
      return committed.kind === 'conflict' ? committed : { kind: 'done', result: planned.result };
    },
  });
  return outcome.kind === 'done' ? outcome.result : outcome;
}

/** Writes nothing if there is nothing to change and no reply to keep. */
async function commit(
  { database }: ServiceContext,
  by: DocumentAccess | null,
  { document, statements }: PlannedChange<unknown>,
  reply: readonly Statement[],
): Promise<UnitOutcome> {
  const changes = [...statements, ...reply];
  if (changes.length === 0) return { kind: 'committed', results: [] };
  return database.write({ document, statements: [...rightsHold(by), ...changes] });
}
