import { createRandomUuid } from '../documents/random-uuid.ts';

/** Returns a new id for a request. */
export function createRequestId(): string {
  return createRandomUuid();
}
