/** Options that every call accepts in addition to the options of the API. */
export interface CallOptions {
  /** Aborts the call, including the wait between two attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt in milliseconds; for a stream, the maximum time without new bytes. */
  readonly timeout?: number | undefined;
  /** Maximum number of attempts, including the first. */
  readonly attempts?: number | undefined;
  /** The `Idempotency-Key` of a write; random by default. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type QueryParameters = Readonly<Record<string, unknown>>;

/** Separates the options of the call from the options of the API. Removes undefined options. */
export function splitOptions(options: object): [call: CallOptions, api: Record<string, unknown>] {
  const { signal, timeout, attempts, idempotencyKey, headers, ...api } = options as CallOptions & QueryParameters;
  const call = { signal, timeout, attempts, idempotencyKey, headers };
  return [omitUndefined(call), omitUndefined(api)];
}

function omitUndefined(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
