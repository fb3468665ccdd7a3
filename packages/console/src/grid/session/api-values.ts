/** A cell of a write: a plain value, or one that says its type. */
type ApiValue = string | number | boolean | null | { readonly value: string; readonly as: 'number' };

/**
 * A value as the API takes it. JSON has an integer beyond 2^53 − 1 with all of its digits, which the API refuses because
 * most of them are made up. Such a number comes from a cell here, and is sent as what it is.
 */
export function toApiValue(value: string | number | boolean | null): ApiValue {
  const isRefused = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRefused ? { value: Number(value).toExponential(), as: 'number' } : value;
}
