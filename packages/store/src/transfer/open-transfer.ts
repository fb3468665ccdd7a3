import type { StoreLocation } from '../open/location.ts';
import type { TransferSource } from './table-shape.ts';
import type { TransferSnapshot, TransferTarget } from './transfer-target.ts';

/**
 * Opens the data of a location for reading, on one snapshot. `isExclusive`: no other process may use the data until it
 * is closed. Rejects with `StoreError`: `NO_DATA`; `IN_USE` if another process uses the data.
 */
export async function openSource(location: StoreLocation, isExclusive: boolean): Promise<TransferSource> {
  if (location.kind === 'sqlite')
    return (await import('./sqlite-transfer.ts')).openSqliteSource(location.folder, isExclusive);
  return (await import('./postgres-transfer.ts')).openPostgresSource(location.url, isExclusive);
}

/**
 * Opens the data of a location for reading a part of it while other processes use it. Rejects with `StoreError`
 * (`NO_DATA`).
 */
export async function openSnapshot(location: StoreLocation): Promise<TransferSnapshot> {
  if (location.kind === 'sqlite') return (await import('./sqlite-transfer.ts')).openSqliteSnapshot(location.folder);
  return (await import('./postgres-transfer.ts')).openPostgresSnapshot(location.url);
}

/** Opens an empty location. Rejects with `StoreError`: `NOT_EMPTY`; `IN_USE` if another process uses it. */
export async function openTarget(location: StoreLocation): Promise<TransferTarget> {
  if (location.kind === 'sqlite') return (await import('./sqlite-transfer.ts')).openSqliteTarget(location.folder);
  return (await import('./postgres-transfer.ts')).openPostgresTarget(location.url);
}
