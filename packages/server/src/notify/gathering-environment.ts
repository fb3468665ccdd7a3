import type { Database } from '@cellwire/store';
import type { Documents } from '../documents/types.ts';
import type { ToldStates } from '../service/changes/told-states.ts';

/** What gathering the changes of a window needs. */
export interface GatheringEnvironment {
  readonly database: Database;
  readonly documents: Documents;
  /** Bytes of a notification. */
  readonly maxBytes: number;
  readonly publishedStates: ToldStates;
}
