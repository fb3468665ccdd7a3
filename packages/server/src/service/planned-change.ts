import type { Statement, UnitOutcome } from '@cellwire/store';
import type { DocumentAccess } from '../access/access.ts';
import { buildAccessGuard } from './access-guard.ts';
import { type AccessAction, keepSealedReply, withAccessRetry } from './access-retry.ts';
import { commitWithoutRights } from './commit-loop.ts';
import type { ServiceContext } from './context.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { WriteReply } from './reply.ts';

/**
 * A planned change of a document outside its cells. If a guard of its statements fails, the change is planned again.
 */
export interface PlannedChange<Result> {
  readonly document: string;
  /** Statements of the change; empty: the document already is as the caller requests. */
  readonly statements: readonly Statement[];
  /** The caller's result after the statements are committed. */
  readonly result: Result;
}

/**
 * Plans a change with the caller's rights and commits it if these rights still hold, once for each key. The same unit
 * stores the reply. `show` builds the reply's JSON.
 */
export function commitPlanned<Result>(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
  plan: (access: DocumentAccess) => Promise<PlannedChange<Result> | Refusal>,
  show: (result: Result) => object,
): Promise<WriteReply | Refusal> {
  return withAccessRetry(context, action, async (access) => {
    const planned = await plan(access);
    if (isRefusal(planned)) return planned;
    const body = show(planned.result);
    const outcome = await commitPlannedChange(context, access, planned, keepSealedReply(context, action.keyed, body));
    return outcome.kind === 'conflict' ? outcome : { kind: 'done', body };
  });
}

/** A plan, or a refusal if the change is not possible; a promise if planning has to read. */
export type ChangePlan<Result> = PlannedChange<Result> | Refusal | Promise<PlannedChange<Result> | Refusal>;

/** Plans and commits a change of the operator, who needs no rights. */
export async function commitForOperator<Result>(
  context: ServiceContext,
  plan: () => Promise<PlannedChange<Result> | Refusal>,
): Promise<Result | Refusal> {
  const outcome = await commitWithoutRights<{ readonly kind: 'done'; readonly result: Result }>(async () => {
    const planned = await plan();
    if (isRefusal(planned)) return planned;
    const committed = await commitPlannedChange(context, null, planned, []);
    return committed.kind === 'conflict' ? committed : { kind: 'done', result: planned.result };
  });
  return outcome.kind === 'done' ? outcome.result : outcome;
}

/** Writes nothing if there is no change and no reply to keep. */
async function commitPlannedChange(
  { database }: ServiceContext,
  access: DocumentAccess | null,
  { document, statements }: PlannedChange<unknown>,
  reply: readonly Statement[],
): Promise<UnitOutcome> {
  const changes = [...statements, ...reply];
  if (changes.length === 0) return { kind: 'committed', results: [] };
  return database.write({ document, statements: [...buildAccessGuard(access), ...changes] });
}
