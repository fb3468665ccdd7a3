import type { StoreLocation } from '../../store/location.ts';
import { openSource, openTarget } from '../../store/transfer/place.ts';
import { totalOf } from '../../store/transfer/shape.ts';
import type { Refusal } from '../refusal.ts';
import { carry, type OnStep, openAll, orRefusal } from './carry.ts';

interface Migrated {
  readonly documents: number;
  readonly rows: number;
}

/**
 * Carries an installation from one database to another, empty one. Nobody uses either meanwhile; the first stays as it
 * is, and of the second nothing is there before all of it is.
 */
export function migrate(from: StoreLocation, to: StoreLocation, onStep: OnStep): Promise<Migrated | Refusal> {
  return orRefusal('to', async () => {
    const source = await openSource(from, true);
    try {
      const target = await openTarget(to);
      try {
        await carry(async () => ({ ...source, close: async () => {} }), target, onStep);
        await openAll(target, source.counts['documents'] ?? 0, onStep);
      } catch (error) {
        await target.abandon();
        throw error;
      }
      await target.finish();
      return { documents: source.counts['documents'] ?? 0, rows: totalOf(source) };
    } finally {
      await source.close();
    }
  });
}
