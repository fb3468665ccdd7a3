import { statfs } from 'node:fs/promises';

/** Free disk space of a folder for this user, in bytes. */
export async function readFreeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
