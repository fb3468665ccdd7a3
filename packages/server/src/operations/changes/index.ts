import { listChanges } from './list-changes.ts';
import { streamChanges } from './stream-changes.ts';

/** Operations in the order of the API's reference. */
export const CHANGE_OPERATIONS = [listChanges, streamChanges];
