/** A sequential model of an object. `Operation` includes the result that a client received, if any. */
export interface Model<State, Operation> {
  readonly first: State;
  /** Equal for states with the same behaviour. */
  key(state: State): string;
  /** State after the operation; null if the operation would have had another result in this state. */
  apply(state: State, operation: Operation): State | null;
}

/** An operation of a recorded history. `called` and `returned` are positions in the order of all recorded events. */
export interface Call<Operation> {
  readonly operation: Operation;
  readonly called: number;
  /** Null without a response: the operation may take effect at any time after the call, or never. */
  readonly returned: number | null;
}

/** One possible order of the calls so far. */
interface PossibleOrder<State> {
  readonly state: State;
  /** Indexes of calls that have taken effect but not returned. */
  readonly done: ReadonlySet<number>;
}

/**
 * Returns the first call whose result no order of the calls explains in which each takes effect at one moment between
 * its call and its return; null if there is such an order (Herlihy and Wing 1990). The search keeps all possible
 * orders, and lets calls take effect only when a return requires it ("just in time", Lowe 2017).
 */
export function firstUnexplained<State, Operation>(
  model: Model<State, Operation>,
  calls: readonly Call<Operation>[],
): Call<Operation> | null {
  const pending = new Set<number>();
  let courses: readonly PossibleOrder<State>[] = [{ state: model.first, done: new Set() }];
  for (const { index, isReturn } of eventsOf(calls)) {
    if (!isReturn) {
      pending.add(index);
      continue;
    }
    courses = afterReturn(model, index, ordersWith(model, calls, courses, pending, index));
    pending.delete(index);
    if (courses.length === 0) return calls[index] as Call<Operation>;
  }
  return null;
}

function eventsOf(calls: readonly Call<unknown>[]) {
  const events = calls.flatMap(({ called, returned }, index) => [
    { at: called, index, isReturn: false },
    ...(returned === null ? [] : [{ at: returned, index, isReturn: true }]),
  ]);
  return events.sort((a, b) => a.at - b.at);
}

/** All possible orders in which call `wanted` has taken effect, after any of the other pending calls. */
function ordersWith<State, Operation>(
  model: Model<State, Operation>,
  calls: readonly Call<Operation>[],
  courses: readonly PossibleOrder<State>[],
  pending: ReadonlySet<number>,
  wanted: number,
): readonly PossibleOrder<State>[] {
  const seenKeys = new Set(courses.map((course) => keyOf(model, course)));
  const orders: PossibleOrder<State>[] = [];
  const open = [...courses];
  for (let course = open.pop(); course !== undefined; course = open.pop()) {
    if (course.done.has(wanted)) {
      orders.push(course);
      continue;
    }
    for (const index of pending) {
      if (course.done.has(index)) continue;
      const state = model.apply(course.state, (calls[index] as Call<Operation>).operation);
      if (state === null) continue;
      const next = { state, done: new Set(course.done).add(index) };
      const key = keyOf(model, next);
      if (seenKeys.has(key)) continue;
      seenKeys.add(key);
      open.push(next);
    }
  }
  return orders;
}

/** Possible orders after a call has returned, without duplicates. */
function afterReturn<State>(
  model: Pick<Model<State, never>, 'key'>,
  index: number,
  courses: readonly PossibleOrder<State>[],
): readonly PossibleOrder<State>[] {
  const distinct = new Map<string, PossibleOrder<State>>();
  for (const { state, done } of courses) {
    const course = { state, done: new Set([...done].filter((other) => other !== index)) };
    distinct.set(keyOf(model, course), course);
  }
  return [...distinct.values()];
}

function keyOf<State>(model: Pick<Model<State, never>, 'key'>, { state, done }: PossibleOrder<State>): string {
  return `${[...done].sort((a, b) => a - b).join()}|${model.key(state)}`;
}
