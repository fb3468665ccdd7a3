import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_NAME, StoreError } from '@cellwire/store';
import { NEWEST_COMMITS_FILE } from '@cellwire/store/documents';
import { secretsKeyFile } from '@cellwire/store/keys';
import type { Config } from '../config/types.ts';

export const LOST_DATABASE = 'LOST_DATABASE';

/**
 * Throws `StoreError` (`LOST_DATABASE`) if the data folder has what an installation leaves, but no database: to begin a
 * new one there would hide that the old one is gone.
 */
export function refuseLostDatabase({ dataFolder, database }: Config): void {
  if (database.url !== null || sizeOf(join(dataFolder, FILE_NAME)) > 0) return;
  const left = [secretsKeyFile(dataFolder), join(dataFolder, NEWEST_COMMITS_FILE)].find((file) => sizeOf(file) > 0);
  if (left === undefined) return;
  throw new StoreError(
    `The data folder ${dataFolder} has no database, or an empty one, beside ${left} of an installation: ` +
      'mount its disk, put the database back, or restore a backup (cellwire restore); ' +
      'to begin a new installation there: cellwire serve --new-installation',
    LOST_DATABASE,
  );
}

/** In bytes; 0 if there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
