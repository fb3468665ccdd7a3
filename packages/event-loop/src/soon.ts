/**
 * A value, or the promise of it where something has to be waited for. What every request asks has its answer in memory
 * as a rule, and a promise for each step would be a good part of what a small read costs: such functions give the value
 * itself.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there. */
export function soon<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
