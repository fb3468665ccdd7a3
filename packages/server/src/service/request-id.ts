import { createRandomId } from '../documents/pipeline/random-ids.ts';

/** Returns a new id for a request. */
export function createRequestId(): string {
  return createRandomId();
}
