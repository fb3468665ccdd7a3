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
  insertBundleRow,
  PROTECTIONS,
  queryDocumentRows,
  queryRowCount,
  queryUsersByEmail,
  queryUsersById,
  SHARES,
  shapeStoredRows,
  USERS,
  unsealBundleRow,
} from './bundle.ts';
export { compareAllRows, copyAllRows } from './copy.ts';
export {
  DamageList,
  type DocumentDamage,
  excludeDocuments,
  findSnapshotDamage,
  findSourceDamage,
  measureSource,
} from './damage.ts';
export { type BackupRow, readDocumentRows, resumeSubscriptions } from './document-rows.ts';
export { recordBackup } from './last-backup.ts';
export { openSnapshot, openSource, openTarget } from './open-transfer.ts';
export { createDamagedArchiveError, measureRow } from './row-bytes.ts';
export { checkShapes, type TableShape, type TransferSource, toNamedRow } from './table-shape.ts';
export type { TransferSnapshot, TransferTarget } from './transfer-target.ts';
