export type { ArchiveHead } from './archive.ts';
export { type ArchiveFile, checkArchive, openArchive } from './archive-reader.ts';
export { streamArchive, writeArchive } from './archive-writer.ts';
export {
  BASE_CHUNKS,
  BASES,
  BUNDLE_TABLES,
  type BundleRow,
  type BundleTable,
  CHECKPOINT,
  CHUNKS,
  COMMITS,
  DOCUMENT,
  documentRowCount,
  documentRowsQuery,
  insertBundleRow,
  PROTECTIONS,
  SHARES,
  USERS,
  unsealBundleRow,
  usersByEmail,
  usersById,
} from './bundle.ts';
export { compare, copy } from './copy.ts';
export { DamageList, type DocumentDamage, findSourceDamage, measureSource, withoutDocuments } from './damage.ts';
export { type BackupRow, readDocumentRows, resumeSubscriptions } from './document-rows.ts';
export { recordBackup } from './last-backup.ts';
export { openSnapshot, openSource, openTarget } from './open-transfer.ts';
export { damagedFileError, rowSize } from './row-bytes.ts';
export { type ColumnShape, checkShapes, namedRow, type TableShape, type TransferSource } from './table-shape.ts';
export type { TransferSnapshot, TransferTarget } from './transfer-target.ts';
