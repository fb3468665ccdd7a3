import type { Database } from '@cellwire/store';
import type { Documents } from '../documents/types.ts';
import type { PublishedStates } from '../service/changes/published-states.ts';

/** Dependencies of collecting a window's changes. */
export interface GatheringEnvironment {
  readonly database: Database;
  readonly documents: Documents;
  /** Maximum bytes of a notification. */
  readonly maxBytes: number;
  readonly publishedStates: PublishedStates;
}
