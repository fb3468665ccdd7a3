/**
 * A value, or the promise of it where something has to be waited for. What every request asks has its answer in memory
 * as a rule, and a promise for each step would be a good part of what a small read costs: such functions give the value
 * itself.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there. */
export function mapMaybe<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
