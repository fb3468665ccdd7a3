import { commitAreas } from '@cellwire/store/documents';
import { readLog } from '../../documents/read-log.ts';
import {
  type CommitPosition,
  rangeStatusSince,
  type TargetRange,
  touchedCommitOf,
} from '../../documents/recent-commits.ts';
import type { Reading } from '../../documents/types.ts';
import { MAX_TAG_COMMITS } from '../../limits/history.ts';
import type { ServiceContext } from '../context.ts';
import { positionOf } from '../tags.ts';

/**
 * Whether no commit from a position of a document to `latest` touched a range; false too where the position is of
 * another history, or so long ago that the log does not tell.
 */
export async function isUntouched(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  position: CommitPosition,
  target: TargetRange,
  latest: Reading,
): Promise<boolean> {
  const here = positionOf(latest);
  const known = rangeStatusSince(position, target, latest.recent, here);
  if (known !== 'unknown') return known === 'untouched';
  if (here.revision - position.revision > MAX_TAG_COMMITS) return false;
  const range = { id: document, after: position.revision, to: here.revision, limit: MAX_TAG_COMMITS };
  const [rows] = await readLog(database, range, [commitAreas(range)]);
  return rangeStatusSince(position, target, rows.map(touchedCommitOf), here) === 'untouched';
}
