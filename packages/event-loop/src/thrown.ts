/** What a thread has thrown, as it goes to another: an error's code does not go along with it by itself. */
export interface Thrown {
  readonly error: unknown;
  readonly code: unknown;
  /** Of an error about one document. */
  readonly document: unknown;
}

export function thrown(error: unknown): Thrown {
  const { code, document } = (error instanceof Error ? error : {}) as {
    readonly code?: unknown;
    readonly document?: unknown;
  };
  return { error, code, document };
}

/** As it was thrown. */
export function errorOf({ error, code, document }: Thrown): unknown {
  if (!(error instanceof Error) || code === undefined) return error;
  return Object.assign(error, document === undefined ? { code } : { code, document });
}
