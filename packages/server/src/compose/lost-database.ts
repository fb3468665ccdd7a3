import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_NAME, StoreError } from '@cellwire/store';
import { NEWEST_COMMITS_FILE } from '@cellwire/store/documents';
import { buildKeyFilePath } from '@cellwire/store/keys';
import type { Config } from '../config/types.ts';

const LOST_DATABASE = 'LOST_DATABASE';

/**
 * Throws `StoreError` (`LOST_DATABASE`) if the data folder has files of an installation but no database. Creating a new
 * database there would hide the loss of the old one.
 */
export function refuseLostDatabase({ dataFolder, database }: Config): void {
  if (database.url !== null || readFileSize(join(dataFolder, FILE_NAME)) > 0) return;
  const left = [buildKeyFilePath(dataFolder), join(dataFolder, NEWEST_COMMITS_FILE)].find(
    (file) => readFileSize(file) > 0,
  );
  if (left === undefined) return;
  throw new StoreError(
    `The data folder ${dataFolder} has no database, or an empty one, beside ${left} of an installation: ` +
      'mount its disk, put the database back, or restore a backup (cellwire restore); ' +
      'to begin a new installation there: cellwire serve --new-installation',
    LOST_DATABASE,
  );
}

/** The size of a file in bytes; 0 if it does not exist. */
function readFileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
