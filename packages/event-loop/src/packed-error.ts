/** What a thread has thrown, as it goes to another: an error's code does not go along with it by itself. */
export interface PackedError {
  readonly error: unknown;
  readonly code: unknown;
  /** Of an error about one document. */
  readonly document: unknown;
}

export function packError(error: unknown): PackedError {
  const { code, document } = (error instanceof Error ? error : {}) as {
    readonly code?: unknown;
    readonly document?: unknown;
  };
  return { error, code, document };
}

/** As it was thrown. */
export function unpackError({ error, code, document }: PackedError): unknown {
  if (!(error instanceof Error) || code === undefined) return error;
  return Object.assign(error, document === undefined ? { code } : { code, document });
}
