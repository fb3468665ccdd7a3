export type { RateTable } from './database/cluster.ts';
export { countDamagedDocuments, DAMAGED_DOCUMENT, forgetDamage, recordDamage } from './database/damage.ts';
export {
  type Database,
  type Query,
  type RowsOf,
  type SqlValue,
  type Statement,
  type StoreCommitPosition,
  StoreError,
  type StoreSnapshot,
  splitIntoBatches,
  type Unit,
  type UnitOutcome,
} from './database/database.ts';
export { readFreeDiskBytes } from './database/disk-space.ts';
export { DamagedRowError, type RowDamage } from './database/independent-rows.ts';
export {
  KEY_REFRESH_MS,
  MAX_CLOCK_SKEW_MS,
  TRANSFER_BATCH_BYTES,
  TRANSFER_BATCH_ROWS,
} from './database/limits.ts';
export type { DeliveriesTable, NotificationsTable, WebhooksTable } from './database/webhook-tables.ts';
export {
  openCluster,
  openReader,
  openStore,
  type StoreLocation,
  type StoreReader,
  type StoreUse,
} from './open/location.ts';
export { FILE_NAME } from './sqlite/database.ts';
export { lockServing } from './sqlite/folder-lock.ts';
