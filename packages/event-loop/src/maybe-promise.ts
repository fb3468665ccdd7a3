/**
 * A value that is usually in memory, or a promise of it. A promise for each step of a small read would be a large part
 * of its cost, so frequently called functions return the plain value if they can.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to a value: synchronously if the value is not a promise. */
export function mapMaybe<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
