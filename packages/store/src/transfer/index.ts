export type { ArchiveHead } from './archive.ts';
export { type Archive, checkArchive, openArchive } from './archive-reader.ts';
export { streamArchive, writeArchive } from './archive-writer.ts';
export {
  BASE_CHUNKS,
  BASES,
  BUNDLE_TABLES,
  type BundleTable,
  CHECKPOINT,
  CHUNKS,
  COMMITS,
  countOfDocument,
  DOCUMENT,
  insertRow,
  type NamedRow,
  openedRow,
  PROTECTIONS,
  rowsOfDocument,
  SHARES,
  USERS,
  usersByEmail,
  usersById,
} from './bundle.ts';
export { compare, copy } from './copy.ts';
export { type Damage, DamageList, damageOf, sizeOf, without } from './damage.ts';
export { lastBackup, recordBackup } from './last-backup.ts';
export { type DocumentRow, followFrom, rowsOfOneDocument } from './one-document.ts';
export { openMoment, openSource, openTarget } from './place.ts';
export { damaged, rowSize } from './row-bytes.ts';
export { type ColumnShape, checkShapes, namedRow, type Source, type TableShape } from './shape.ts';
export type { Moment, Target } from './types.ts';
