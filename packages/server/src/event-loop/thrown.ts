/** What a thread has thrown, as it goes to another: an error's code does not go along with it by itself. */
export interface Thrown {
  readonly error: unknown;
  readonly code: unknown;
}

export function thrown(error: unknown): Thrown {
  return { error, code: error instanceof Error && 'code' in error ? error.code : undefined };
}

/** As it was thrown. */
export function errorOf({ error, code }: Thrown): unknown {
  return error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error;
}
