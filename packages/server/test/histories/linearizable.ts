/** A sequential model of an object. `Operation` includes the result that a client received, if any. */
export interface SequentialModel<State, Operation> {
  readonly first: State;
  /** Returns equal keys for states with the same behaviour. */
  createKey(state: State): string;
  /** Returns the state after the operation; null if the operation would have another result in this state. */
  apply(state: State, operation: Operation): State | null;
}

/** An operation of a recorded history. `called` and `returned` are positions in the order of all recorded events. */
export interface HistoryCall<Operation> {
  readonly operation: Operation;
  readonly called: number;
  /** Null without a response: the operation may take effect at any time after the call, or never. */
  readonly returned: number | null;
}

/** One possible order of the calls so far. */
interface PossibleOrder<State> {
  readonly state: State;
  /** Indexes of calls that have taken effect but not returned. */
  readonly effectiveCalls: ReadonlySet<number>;
}

/**
 * Returns the first call whose result no order of the calls explains in which each takes effect at one moment between
 * its call and its return; null if there is such an order (Herlihy and Wing 1990). The search keeps all possible
 * orders, and lets calls take effect only when a return requires it ("just in time", Lowe 2017).
 */
export function findFirstUnexplained<State, Operation>(
  model: SequentialModel<State, Operation>,
  calls: readonly HistoryCall<Operation>[],
): HistoryCall<Operation> | null {
  const pending = new Set<number>();
  let courses: readonly PossibleOrder<State>[] = [{ state: model.first, effectiveCalls: new Set() }];
  for (const { index, isReturn } of listEvents(calls)) {
    if (!isReturn) {
      pending.add(index);
      continue;
    }
    courses = keepOrdersAfterReturn(model, index, findOrdersWith(model, calls, courses, pending, index));
    pending.delete(index);
    if (courses.length === 0) return calls[index] as HistoryCall<Operation>;
  }
  return null;
}

function listEvents(calls: readonly HistoryCall<unknown>[]) {
  const events = calls.flatMap(({ called, returned }, index) => [
    { at: called, index, isReturn: false },
    ...(returned === null ? [] : [{ at: returned, index, isReturn: true }]),
  ]);
  return events.sort((a, b) => a.at - b.at);
}

/** All possible orders in which call `callIndex` has taken effect, after any of the other pending calls. */
function findOrdersWith<State, Operation>(
  model: SequentialModel<State, Operation>,
  calls: readonly HistoryCall<Operation>[],
  earlierOrders: readonly PossibleOrder<State>[],
  pending: ReadonlySet<number>,
  callIndex: number,
): readonly PossibleOrder<State>[] {
  const seenKeys = new Set(earlierOrders.map((course) => createOrderKey(model, course)));
  const orders: PossibleOrder<State>[] = [];
  const open = [...earlierOrders];
  for (let course = open.pop(); course !== undefined; course = open.pop()) {
    if (course.effectiveCalls.has(callIndex)) {
      orders.push(course);
      continue;
    }
    for (const index of pending) {
      if (course.effectiveCalls.has(index)) continue;
      const state = model.apply(course.state, (calls[index] as HistoryCall<Operation>).operation);
      if (state === null) continue;
      const next = { state, effectiveCalls: new Set(course.effectiveCalls).add(index) };
      const key = createOrderKey(model, next);
      if (seenKeys.has(key)) continue;
      seenKeys.add(key);
      open.push(next);
    }
  }
  return orders;
}

/** Possible orders after a call has returned, without duplicates. */
function keepOrdersAfterReturn<State>(
  model: Pick<SequentialModel<State, never>, 'createKey'>,
  index: number,
  courses: readonly PossibleOrder<State>[],
): readonly PossibleOrder<State>[] {
  const distinct = new Map<string, PossibleOrder<State>>();
  for (const { state, effectiveCalls } of courses) {
    const course = { state, effectiveCalls: new Set([...effectiveCalls].filter((other) => other !== index)) };
    distinct.set(createOrderKey(model, course), course);
  }
  return [...distinct.values()];
}

function createOrderKey<State>(
  model: Pick<SequentialModel<State, never>, 'createKey'>,
  { state, effectiveCalls }: PossibleOrder<State>,
): string {
  return `${[...effectiveCalls].sort((a, b) => a - b).join()}|${model.createKey(state)}`;
}
