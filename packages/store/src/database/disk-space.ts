import { statfs } from 'node:fs/promises';

/** Free space for this user on the disk of a folder, in bytes. */
export async function readFreeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
