export type { RateTable } from './database/cluster.ts';
export { DAMAGED_DOCUMENT, damagedDocuments, noteDamage } from './database/damage.ts';
export {
  type CommitNumber,
  type Database,
  partsOf,
  type Query,
  type RowsOf,
  type SqlValue,
  type Statement,
  StoreError,
  type Unit,
  type UnitOutcome,
} from './database/database.ts';
export {
  KEY_REFRESH_MS,
  MAX_CLOCK_SKEW_MS,
  TRANSFER_BATCH_BYTES,
  TRANSFER_BATCH_ROWS,
} from './database/limits.ts';
export { freeBytes } from './database/room.ts';
export type { DeliveriesTable, NotificationsTable, WebhooksTable } from './database/webhook-tables.ts';
export { openCluster, openReader, openStore, type Reader, type StoreLocation, type StoreUse } from './open/location.ts';
export { FILE_NAME } from './sqlite/database.ts';
