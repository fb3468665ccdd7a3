import { type Statement, StoreError, TRANSFER_BATCH_BYTES, TRANSFER_BATCH_ROWS } from '@cellwire/store';
import { bumpAccessEpoch, toEmailKey } from '@cellwire/store/accounts';
import {
  ANYONE,
  beginCreation,
  continueCreation,
  documentById,
  endCreation,
  trashedDocument,
} from '@cellwire/store/documents';
import {
  type BackupRow,
  checkArchive,
  checkShapes,
  DamageList,
  type DocumentDamage,
  measureRow,
  openArchive,
  openSource,
  readDocumentRows,
  resumeSubscriptions,
} from '@cellwire/store/transfer';
import { deleteForReplacement } from '../../documents/remove.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { type OnStep, refuseOnDamage } from './copy-tables.ts';
import { findUser } from './find-user.ts';
import { buildImportAudit, type DocumentContext } from './new-document.ts';

interface RestoreDocumentInput {
  readonly from: string;
  readonly document: string;
  /** Replaces the existing document with that id. */
  readonly replace: boolean;
  readonly onStep: OnStep;
}

interface RestoredDocument {
  readonly documents: number;
  readonly problems: readonly DocumentDamage[];
}

type RestoreContext = DocumentContext & Pick<ServiceContext, 'store'>;

/**
 * Restores one document from a backup of this installation under its own id, while the service runs. Its subscriptions
 * continue; shares of users who do not exist any more are dropped.
 */
export function restoreDocument(
  context: RestoreContext,
  input: RestoreDocumentInput,
): Promise<RestoredDocument | Refusal> {
  const { from, document, replace, onStep } = input;
  const { database, clock } = context;
  return refuseOnDamage('from', async () => {
    const damage = new DamageList();
    const head = await checkArchive(from, (done, total) => onStep('Reading', done, total), damage);
    if (head.holds !== 'installation')
      return invalidRequest('from', 'The file contains a single document; import it with document create --from');
    const problems = damage.documents.filter((one) => one.document === document);
    if (problems.length > 0) return { documents: 0, problems };
    await checkVersion(context, head.tables);
    const [[there = null], [trashed]] = await database.readAll([
      documentById({ id: document }),
      trashedDocument({ id: document, until: 0 }),
    ]);
    if (there !== null && !replace) {
      return invalidRequest(
        'document',
        `Document ${document} exists already; pass --replace to restore the backup over it`,
      );
    }
    const found = await inspectBackup(context, from, document);
    if (isRefusal(found)) return found;
    const isTrashed = trashed !== undefined;
    if (there !== null || isTrashed) await deleteForReplacement(database, document, clock(), isTrashed);
    await storeDocument(context, input, found);
    return { documents: 1, problems: [] };
  });
}

/** Throws if the backup has other tables or columns than the database, because its rows could not be inserted. */
async function checkVersion({ store }: RestoreContext, tables: Parameters<typeof checkShapes>[0]): Promise<void> {
  const source = await openSource(store, false);
  try {
    checkShapes(tables, source.tables);
  } finally {
    await source.close();
  }
}

interface BackupDocument {
  readonly owner: { readonly id: number; readonly name: string };
  readonly revision: number;
  /** Users whose shares are restored: users of the backup who still exist here, and `ANYONE`. */
  readonly users: ReadonlySet<number>;
}

/** Owner, revision and restorable users of a document in a backup; refused if it or its owner here does not exist. */
async function inspectBackup(
  context: RestoreContext,
  from: string,
  document: string,
): Promise<BackupDocument | Refusal> {
  const emails = new Map<number, string>();
  const shared: number[] = [];
  let row: BackupRow['row'] | null = null;
  await processBackupRows(from, document, async (one) => {
    if (one.table === 'users') emails.set(Number(one.row['id']), String(one.row['email']));
    if (one.table === 'documents') row = one.row;
    if (one.table === 'shares') shared.push(Number(one.row['user_id']));
  });
  const found = row as BackupRow['row'] | null;
  if (found === null) return invalidRequest('document', `The backup has no document ${document}`);
  const findSameUser = async (id: number) => {
    const user = await findUser(context, String(id));
    return !isRefusal(user) && toEmailKey(user.email) === toEmailKey(emails.get(id) ?? '') ? user : null;
  };
  const owner = await findSameUser(Number(found['owner_id']));
  if (owner === null) {
    return invalidRequest(
      'document',
      'The document’s owner does not exist here; restore the backup elsewhere and move the document with document export',
    );
  }
  const users = new Set<number>([ANYONE]);
  for (const id of shared) if ((await findSameUser(id)) !== null) users.add(id);
  return { owner, revision: Number(found['revision']), users };
}

/** Stores the document of a backup in several transactions. It becomes visible with the last one. */
async function storeDocument(
  { database, clock }: RestoreContext,
  { from, document }: RestoreDocumentInput,
  backup: BackupDocument,
): Promise<void> {
  const last: Statement[] = [];
  let part: Statement[] = [];
  let bytes = 0;
  const commit = async (statements: readonly Statement[]): Promise<void> => {
    const { kind } = await database.write({ document, statements });
    if (kind === 'conflict') throw new StoreError(`Another process is using document ${document}; try again`, 'IN_USE');
  };
  const flush = async (): Promise<void> => {
    await commit([continueCreation({ id: document, now: clock() }), ...part]);
    part = [];
    bytes = 0;
  };
  await commit([beginCreation({ id: document, now: clock() })]);
  await processBackupRows(from, document, async ({ table, row, values, statement, isLast }) => {
    if (table === 'users' || (table === 'shares' && !backup.users.has(Number(row['user_id'])))) return;
    if (isLast) {
      last.push(statement);
      return;
    }
    part.push(statement);
    bytes += measureRow(values);
    if (part.length >= TRANSFER_BATCH_ROWS || bytes >= TRANSFER_BATCH_BYTES) await flush();
  });
  if (part.length > 0) await flush();
  const extraStatements = [
    ...resumeSubscriptions(document, backup.revision),
    ...buildImportAudit(document, backup.owner, clock()),
    bumpAccessEpoch({}),
  ];
  await commit([endCreation({ id: document }), ...last, ...extraStatements]);
}

/** Runs the task on each row that the backup has of the document. */
async function processBackupRows(
  from: string,
  document: string,
  task: (row: BackupRow) => Promise<void>,
): Promise<void> {
  const archive = await openArchive(from);
  try {
    for await (const row of readDocumentRows(archive, document)) await task(row);
  } finally {
    await archive.close();
  }
}
