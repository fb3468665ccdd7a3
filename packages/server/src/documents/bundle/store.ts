import { type Database, type Statement, TRANSFER_BATCH_BYTES, TRANSFER_BATCH_ROWS } from '@cellwire/store';
import { beginCreation, continueCreation, endCreation } from '@cellwire/store/documents';
import {
  type BundleRow,
  type BundleTable,
  CHECKPOINT,
  DOCUMENT,
  insertBundleRow,
  measureRow,
  PROTECTIONS,
  SHARES,
} from '@cellwire/store/transfer';
import { commitCreation } from '../commit-creation.ts';
import { readBundle } from './read.ts';
import type { BundleUserMapping } from './rows.ts';

/** Target of an imported bundle. */
interface ImportTarget {
  readonly id: string;
  readonly ownerId: number;
  readonly title: string;
  /** Added to the transaction that makes the document visible. */
  readonly extraStatements: readonly Statement[];
}

/** Stored together with the document's row, in the last transaction. */
const LAST_TABLES: ReadonlySet<BundleTable> = new Set([DOCUMENT, CHECKPOINT, SHARES, PROTECTIONS]);

/**
 * Stores a verified bundle in bounded transactions behind a marker, like any large new document. The document becomes
 * visible to all users when this resolves, and not before.
 */
export async function storeBundle(
  path: string,
  users: BundleUserMapping,
  { id, ownerId, title, extraStatements }: ImportTarget,
  { database, clock }: { readonly database: Database; readonly clock: () => number },
): Promise<void> {
  const last: Statement[] = [];
  let part: Statement[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await commitCreation(database, id, [continueCreation({ id, now: clock() }), ...part]);
    part = [];
    bytes = 0;
  };
  await commitCreation(database, id, [beginCreation({ id, now: clock() })]);
  await readBundle(path, users, async (table, row) => {
    if (table === SHARES && row['user_id'] === ownerId) return;
    const statement = insertBundleRow(table, id, table === DOCUMENT ? { ...row, owner_id: ownerId, title } : row);
    if (LAST_TABLES.has(table)) {
      last.push(statement);
      return;
    }
    part.push(statement);
    bytes += measureRowBytes(row);
    if (part.length >= TRANSFER_BATCH_ROWS || bytes >= TRANSFER_BATCH_BYTES) await flush();
  });
  if (part.length > 0) await flush();
  await commitCreation(database, id, [endCreation({ id }), ...last, ...extraStatements]);
}

function measureRowBytes(row: BundleRow): number {
  return measureRow(Object.values(row));
}
