/** An error with its extra properties, for a message to another thread. Structured cloning drops these properties. */
export interface PackedError {
  readonly error: unknown;
  readonly code: unknown;
  /** Id of the document that the error concerns, if any. */
  readonly document: unknown;
}

/** Returns the error together with the properties that structured cloning drops. */
export function packError(error: unknown): PackedError {
  const { code, document } = (error instanceof Error ? error : {}) as {
    readonly code?: unknown;
    readonly document?: unknown;
  };
  return { error, code, document };
}

/** Restores the error that `packError` packed. Errors of the platform (`DOMException`) keep their read-only `code`. */
export function unpackError({ error, code, document }: PackedError): unknown {
  if (!(error instanceof Error) || code === undefined || error instanceof DOMException) return error;
  return Object.assign(error, document === undefined ? { code } : { code, document });
}
