/**
 * A value, or a promise of the value if it is not in memory. Functions that are called often return the plain value if
 * they can, because a promise for each step would be a large part of the cost of a small read.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to a value: synchronously if the value is not a promise. */
export function mapMaybe<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
