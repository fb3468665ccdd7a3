interface SystemError extends Error {
  readonly code: string;
  /** Absent if the error concerns an open file. */
  readonly path?: string;
}

/** True if the path or the disk causes the error, not the program. */
export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

const SYSTEM_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EEXIST', 'it exists already'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['ENOSPC', 'the disk is full; free space on it, or use another disk'],
  ['EDQUOT', 'the disk quota is exhausted'],
  ['EFBIG', 'the file is larger than the system allows'],
  ['EROFS', 'the disk is read-only'],
  ['EIO', 'the disk reports an error'],
  ['ELOOP', 'the path has too many symbolic links'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EMFILE', 'this process has too many open files'],
  ['ENFILE', 'the system has too many open files'],
]);

/** The reason in words for an operator. */
export function describeSystemError(error: SystemError): string {
  return SYSTEM_REASONS.get(error.code) ?? error.message;
}

/** The reason of an error, with the path if it is known. */
export function describeError(error: SystemError): string {
  return error.path === undefined
    ? describeSystemError(error)
    : `${error.path} cannot be used: ${describeSystemError(error)}`;
}
