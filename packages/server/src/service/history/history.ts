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
 * True if no commit from a position to `latest` touched a range. False also if the position belongs to another history
 * or is older than the log.
 */
export async function isUntouched(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  position: CommitPosition,
  target: TargetRange,
  latest: Reading,
): Promise<boolean> {
  const latestPosition = positionOf(latest);
  const status = rangeStatusSince(position, target, latest.recent, latestPosition);
  if (status !== 'unknown') return status === 'untouched';
  if (latestPosition.revision - position.revision > MAX_TAG_COMMITS) return false;
  const range = { id: document, after: position.revision, to: latestPosition.revision, limit: MAX_TAG_COMMITS };
  const [rows] = await readLog(database, range, [commitAreas(range)]);
  return rangeStatusSince(position, target, rows.map(touchedCommitOf), latestPosition) === 'untouched';
}
