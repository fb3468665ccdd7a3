import type { StoreLocation } from '../open/location.ts';
import type { TransferSource } from './table-shape.ts';
import type { TransferSnapshot, TransferTarget } from './transfer-target.ts';

/**
 * Opens what there is for reading, as it is at this moment. `alone`: nobody else uses it, and nobody may until it is
 * closed. Rejects with `StoreError`: `NO_DATA`; `IN_USE` where somebody does.
 */
export async function openSource(location: StoreLocation, alone: boolean): Promise<TransferSource> {
  if (location.kind === 'sqlite')
    return (await import('./sqlite-transfer.ts')).openSqliteSource(location.folder, alone);
  return (await import('./postgres-transfer.ts')).openPostgresSource(location.url, alone);
}

/** Opens what there is for reading some of it, beside whoever uses it. Rejects with `StoreError` (`NO_DATA`). */
export async function openSnapshot(location: StoreLocation): Promise<TransferSnapshot> {
  if (location.kind === 'sqlite') return (await import('./sqlite-transfer.ts')).openSqliteSnapshot(location.folder);
  return (await import('./postgres-transfer.ts')).openPostgresSnapshot(location.url);
}

/** Opens an empty place. Rejects with `StoreError`: `NOT_EMPTY`; `IN_USE` where somebody uses it. */
export async function openTarget(location: StoreLocation): Promise<TransferTarget> {
  if (location.kind === 'sqlite') return (await import('./sqlite-transfer.ts')).openSqliteTarget(location.folder);
  return (await import('./postgres-transfer.ts')).openPostgresTarget(location.url);
}
