/** What an object does, one operation after another. `Operation` carries the result that a client got, where it got one. */
export interface Model<State, Operation> {
  readonly first: State;
  /** Equal for states that behave alike. */
  key(state: State): string;
  /** The state afterwards; null where an operation in this state would have had another result. */
  apply(state: State, operation: Operation): State | null;
}

/** An operation of a recorded history. Times are places in the order of all events of the recorder. */
export interface Call<Operation> {
  readonly operation: Operation;
  readonly called: number;
  /** Null: no answer came, so it may take effect at any time after the call, or never. */
  readonly returned: number | null;
}

/** One way in which the calls so far may have happened. */
interface Course<State> {
  readonly state: State;
  /** Calls not returned yet that have taken effect, by their index. */
  readonly done: ReadonlySet<number>;
}

/**
 * The first call whose result no order of the calls explains in which each takes effect at one moment between its
 * call and its return; null where there is such an order (Herlihy and Wing 1990). All courses that are still possible
 * are kept side by side, and calls take effect when a return asks for it ("just in time", Lowe 2017).
 */
export function firstUnexplained<State, Operation>(
  model: Model<State, Operation>,
  calls: readonly Call<Operation>[],
): Call<Operation> | null {
  const pending = new Set<number>();
  let courses: readonly Course<State>[] = [{ state: model.first, done: new Set() }];
  for (const { index, isReturn } of eventsOf(calls)) {
    if (!isReturn) {
      pending.add(index);
      continue;
    }
    courses = without(model, index, coursesThrough(model, calls, courses, pending, index));
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

/** Every course in which a call has taken effect, with any of the other pending ones before it. */
function coursesThrough<State, Operation>(
  model: Model<State, Operation>,
  calls: readonly Call<Operation>[],
  courses: readonly Course<State>[],
  pending: ReadonlySet<number>,
  wanted: number,
): readonly Course<State>[] {
  const seen = new Set(courses.map((course) => keyOf(model, course)));
  const found: Course<State>[] = [];
  const open = [...courses];
  for (let course = open.pop(); course !== undefined; course = open.pop()) {
    if (course.done.has(wanted)) {
      found.push(course);
      continue;
    }
    for (const index of pending) {
      if (course.done.has(index)) continue;
      const state = model.apply(course.state, (calls[index] as Call<Operation>).operation);
      if (state === null) continue;
      const next = { state, done: new Set(course.done).add(index) };
      const key = keyOf(model, next);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return found;
}

/** Courses after a call has returned; those that have become alike are one. */
function without<State>(
  model: Pick<Model<State, never>, 'key'>,
  index: number,
  courses: readonly Course<State>[],
): readonly Course<State>[] {
  const distinct = new Map<string, Course<State>>();
  for (const { state, done } of courses) {
    const course = { state, done: new Set([...done].filter((other) => other !== index)) };
    distinct.set(keyOf(model, course), course);
  }
  return [...distinct.values()];
}

function keyOf<State>(model: Pick<Model<State, never>, 'key'>, { state, done }: Course<State>): string {
  return `${[...done].sort((a, b) => a - b).join()}|${model.key(state)}`;
}
