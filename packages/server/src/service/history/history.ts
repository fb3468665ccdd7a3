import { commitAreas } from '@cellwire/store/documents';
import { readLog } from '../../documents/read-log.ts';
import {
  type CommitPosition,
  findRangeStatus,
  type TargetRange,
  toTouchedCommit,
} from '../../documents/recent-commits.ts';
import type { DocumentReading } from '../../documents/types.ts';
import { MAX_TAG_COMMITS } from '../../limits/history.ts';
import type { ServiceContext } from '../context.ts';
import { toCommitPosition } from '../tags.ts';

/**
 * True if no commit from a position to `latest` touched a range. False also if the position belongs to another history
 * or is older than the log.
 */
export async function isUntouched(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  position: CommitPosition,
  target: TargetRange,
  latest: DocumentReading,
): Promise<boolean> {
  const latestPosition = toCommitPosition(latest);
  const status = findRangeStatus(position, target, latest.recent, latestPosition);
  if (status !== 'unknown') return status === 'untouched';
  if (latestPosition.revision - position.revision > MAX_TAG_COMMITS) return false;
  const range = { id: document, after: position.revision, to: latestPosition.revision, limit: MAX_TAG_COMMITS };
  const [rows] = await readLog(database, range, [commitAreas(range)]);
  return findRangeStatus(position, target, rows.map(toTouchedCommit), latestPosition) === 'untouched';
}
