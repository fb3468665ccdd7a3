import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE_FOLDER = 0o700;

/**
 * Creates a folder that only this user can access, and its parents. Returns false if it exists. The `recursive` option of
 * `mkdir` never returns if a system reports the new folder, not its parent, as missing, as Linux does below `/proc`.
 */
export function createPrivateFolder(folder: string): boolean {
  if (isFolder(folder)) return false;
  const parent = dirname(folder);
  if (!isFolder(parent)) createPrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another process may have created it.
    if (isFolder(folder)) return false;
    throw error;
  }
  return true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
