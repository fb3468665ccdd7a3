import type { Edit, Snapshot } from '@cellwire/engine';
import type { WorkingCopy } from '../../documents/types.ts';
import { toApiRefusal } from '../../service/engine-refusal.ts';
import { BUSY } from '../../service/refusal.ts';
import type { PlanSteps } from '../call.ts';
import { toProblem } from '../problem.ts';

/** The document with all cells after the edits of a batch, calculated. */
export class CalculatedState {
  private readonly copy: WorkingCopy | null;
  private state: Snapshot;
  private applied = 0;

  /** `copy`: a working copy of `base` without edits; null: edits are never read. */
  constructor(copy: WorkingCopy | null, base: Snapshot) {
    this.copy = copy;
    this.state = base;
  }

  /** Applies the edits that were not applied by earlier calls. `edits`: all edits of the batch so far. */
  *apply(edits: readonly Edit[]): PlanSteps<Snapshot> {
    if (this.applied === edits.length) return this.state;
    if (this.copy === null) throw new Error('The batch has no working copy');
    const applied = this.copy.apply(edits.slice(this.applied));
    const result = applied instanceof Promise ? yield* waitForPromise(applied) : applied;
    if ('kind' in result) throw toProblem(result.kind === 'refusal' ? toApiRefusal(result) : BUSY);
    this.applied = edits.length;
    this.state = result;
    return result;
  }
}

/** A step of a plan that waits for the promise and returns its value. */
function* waitForPromise<T>(promise: Promise<T>): PlanSteps<T> {
  const settled: T[] = [];
  yield promise.then((value) => {
    settled.push(value);
  });
  if (settled.length === 0) throw new Error('The work continued before its promise was settled');
  return settled[0] as T;
}
