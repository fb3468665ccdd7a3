import type { StoreLocation } from '../open/location.ts';
import type { Source } from './shape.ts';
import type { Moment, Target } from './types.ts';

/**
 * Opens what there is for reading, as it is at this moment. `alone`: nobody else uses it, and nobody may until it is
 * closed. Rejects with `StoreError`: `NO_DATA`; `IN_USE` where somebody does.
 */
export async function openSource(location: StoreLocation, alone: boolean): Promise<Source> {
  if (location.kind === 'sqlite') return (await import('./sqlite-place.ts')).sqliteSource(location.folder, alone);
  return (await import('./postgres-place.ts')).postgresSource(location.url, alone);
}

/** Opens what there is for reading some of it, beside whoever uses it. Rejects with `StoreError` (`NO_DATA`). */
export async function openMoment(location: StoreLocation): Promise<Moment> {
  if (location.kind === 'sqlite') return (await import('./sqlite-place.ts')).sqliteMoment(location.folder);
  return (await import('./postgres-place.ts')).postgresMoment(location.url);
}

/** Opens an empty place. Rejects with `StoreError`: `NOT_EMPTY`; `IN_USE` where somebody uses it. */
export async function openTarget(location: StoreLocation): Promise<Target> {
  if (location.kind === 'sqlite') return (await import('./sqlite-place.ts')).sqliteTarget(location.folder);
  return (await import('./postgres-place.ts')).postgresTarget(location.url);
}
