import { type RowDamage, StoreError, type StoreLocation } from '@cellwire/store';
import {
  DamageList,
  type DocumentDamage,
  excludeDocuments,
  findSourceDamage,
  measureSource,
  openSource,
  openTarget,
} from '@cellwire/store/transfer';
import type { Refusal } from '../refusal.ts';
import { copyTables, type OnStep, openAllDocuments, refuseOnDamage } from './copy-tables.ts';

interface MigrationResult {
  readonly documents: number;
  readonly rows: number;
  /** Damaged documents; without `skipDamaged` nothing was copied if there are any. */
  readonly damaged: readonly DocumentDamage[];
  /** Damaged rows of accounts, subscriptions and proposals. They are copied as they are. */
  readonly damagedRows: readonly RowDamage[];
}

/**
 * Copies an installation into another, empty database. Neither may be in use. The source does not change, and the
 * target becomes visible only when it is complete.
 */
export function migrateInstallation(
  sourceLocation: StoreLocation,
  targetLocation: StoreLocation,
  onStep: OnStep,
  skipDamaged = false,
): Promise<MigrationResult | Refusal> {
  return refuseOnDamage('to', async () => {
    const opened = await openSource(sourceLocation, true);
    try {
      const damage = await findSourceDamage(opened, (done, total) => onStep('Checking', done, total));
      const { documents: damaged, rows: damagedRows } = damage;
      if (damaged.length > 0 && !skipDamaged) return { documents: 0, rows: 0, damaged, damagedRows };
      const source = damaged.length === 0 ? opened : await excludeDocuments(opened, damage);
      const unopened = new DamageList();
      const target = await openTarget(targetLocation);
      try {
        await copyTables(async () => ({ ...source, close: async () => {} }), target, onStep);
        await openAllDocuments(target, source.counts['documents'] ?? 0, unopened, onStep);
        const [first] = unopened.documents;
        if (first !== undefined) throw new StoreError(`Document ${first.document}: ${first.problem}`, 'DAMAGED');
      } catch (error) {
        await target.abandon();
        throw error;
      }
      await target.finish();
      return { ...measureSource(source), damaged, damagedRows };
    } finally {
      await opened.close();
    }
  });
}
