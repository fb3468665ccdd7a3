/** A value in a request: plain, or with its type. */
type ApiValue = string | number | boolean | null | { readonly value: string; readonly as: 'number' };

/**
 * Converts a value for the API. The API refuses JSON integers beyond 2^53 − 1, because their digits are not exact. Such
 * a number comes from a cell and is sent with its type.
 */
export function toApiValue(value: string | number | boolean | null): ApiValue {
  const isRefused = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRefused ? { value: Number(value).toExponential(), as: 'number' } : value;
}
