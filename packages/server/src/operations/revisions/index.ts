import { listRevisions } from './list-revisions.ts';
import { nameRevision } from './name-revision.ts';
import { restoreRevision } from './restore-revision.ts';
import { undoRevision } from './undo-revision.ts';

/** Operations in the order of the API's reference. */
export const REVISION_OPERATIONS = [listRevisions, nameRevision, undoRevision, restoreRevision];
