/** An error with its extra properties, for a message to another thread. Structured cloning drops these properties. */
export interface PackedError {
  readonly error: unknown;
  readonly code: unknown;
  /** Id of the document that the error concerns, if any. */
  readonly document: unknown;
}

export function packError(error: unknown): PackedError {
  // Cloning keeps the code of a `DOMException`, which cannot be assigned.
  if (!(error instanceof Error) || error instanceof DOMException) return { error, code: undefined, document: undefined };
  const { code, document } = error as { readonly code?: unknown; readonly document?: unknown };
  return { error, code, document };
}

/** Restores the error that `packError` packed. */
export function unpackError({ error, code, document }: PackedError): unknown {
  if (!(error instanceof Error) || code === undefined) return error;
  return Object.assign(error, document === undefined ? { code } : { code, document });
}
