/** Options that every call takes beside those of the API. */
export interface CallOptions {
  /** Ends the call, also while it waits between two attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt in milliseconds; of a stream, the time without new bytes. */
  readonly timeout?: number | undefined;
  /** Attempts in all, the first included. */
  readonly attempts?: number | undefined;
  /** In place of a random key; of writes. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type Query = Readonly<Record<string, unknown>>;

/** Separates the options of the call from those of the API, and leaves out the latter that are undefined. */
export function splitOptions(options: object): [call: CallOptions, api: Record<string, unknown>] {
  const { signal, timeout, attempts, idempotencyKey, headers, ...api } = options as CallOptions & Query;
  const call = { signal, timeout, attempts, idempotencyKey, headers };
  return [withoutUndefined(call), withoutUndefined(api)];
}

function withoutUndefined(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
