import { type Database, type Statement, StoreError, TRANSFER_BATCH_BYTES, TRANSFER_BATCH_ROWS } from '@cellwire/store';
import { beginCreation, continueCreation, endCreation } from '@cellwire/store/documents';
import {
  type BundleRow,
  type BundleTable,
  CHECKPOINT,
  DOCUMENT,
  insertBundleRow,
  PROTECTIONS,
  rowSize,
  SHARES,
} from '@cellwire/store/transfer';
import { readBundle } from './read.ts';
import type { Users } from './rows.ts';

/** What a bundle becomes here. */
interface Place {
  readonly id: string;
  readonly ownerId: number;
  readonly title: string;
  /** Goes into the unit that makes the document visible. */
  readonly also: readonly Statement[];
}

/** Come with the document itself, in the last unit. */
const LAST: ReadonlySet<BundleTable> = new Set([DOCUMENT, CHECKPOINT, SHARES, PROTECTIONS]);

/**
 * Stores what a bundle holds, which must have been proved: in bounded units behind a mark, as every large document is made.
 * It is there for everybody when this resolves, and not at all before.
 */
export async function storeBundle(
  path: string,
  users: Users,
  { id, ownerId, title, also }: Place,
  { database, clock }: { readonly database: Database; readonly clock: () => number },
): Promise<void> {
  const last: Statement[] = [];
  let part: Statement[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await commit(database, id, [continueCreation({ id, now: clock() }), ...part]);
    part = [];
    bytes = 0;
  };
  await commit(database, id, [beginCreation({ id, now: clock() })]);
  await readBundle(path, users, async (table, row) => {
    if (table === SHARES && row['user_id'] === ownerId) return;
    const statement = insertBundleRow(table, id, table === DOCUMENT ? { ...row, owner_id: ownerId, title } : row);
    if (LAST.has(table)) {
      last.push(statement);
      return;
    }
    part.push(statement);
    bytes += sizeOf(row);
    if (part.length >= TRANSFER_BATCH_ROWS || bytes >= TRANSFER_BATCH_BYTES) await flush();
  });
  if (part.length > 0) await flush();
  await commit(database, id, [endCreation({ id }), ...last, ...also]);
}

function sizeOf(row: BundleRow): number {
  return rowSize(Object.values(row));
}

async function commit(database: Database, document: string, statements: readonly Statement[]): Promise<void> {
  const outcome = await database.write({ document, statements });
  if (outcome.kind === 'conflict') throw new StoreError(`A new document was refused: ${outcome.conflict}`, 'CONFLICT');
}
