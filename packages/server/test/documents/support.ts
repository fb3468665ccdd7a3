import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { cellView, type DocumentSettings, type Edit, type Snapshot } from '@cellwire/engine';
import type { Database, Unit, UnitOutcome } from '@cellwire/store';
import { prepareQuery, prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { instrumentDatabase } from '../../../store/test/instrumented-database.ts';
import { getStoreLocation, openFolderDatabase } from '../../../store/test/postgres/folder-databases.ts';
import { CalculationPool, type InlineBounds } from '../../src/documents/calculation/pool.ts';
import { type MemoryBounds, openDocuments } from '../../src/documents/documents.ts';
import type { DocumentsEnvironment } from '../../src/documents/environment.ts';
import type { CommitProposal, Documents, OpenDocument, ProposalHead, Proposer } from '../../src/documents/types.ts';

export const LIMITS = { calculationMs: 10_000, calculationCells: 1_000_000 };
/** Number of durable commits after which a checkpoint is due. */
export const CHECKPOINT_COMMITS = 40;
export const AUTHOR = { userId: 1, origin: 'api', tokenId: null, tokenName: null };
export const SETTINGS: DocumentSettings = { locale: 'ru-RU', dateSystem: 'google', timeZone: 'UTC' };

/** A new folder for a database; removed after the test. A database that still closes may create files meanwhile. */
export function createTemporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-'));
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

const insertWorkspace = prepareStatement(() =>
  sql.insertInto('workspaces').values({ name: 'W', plan: 'enterprise', created_at: 0 }),
);
const insertOwner = prepareStatement(() =>
  sql
    .insertInto('users')
    .values({ email: 'o@x.org', email_key: 'o@x.org', name: 'O', password_hash: '', workspace_id: 1, created_at: 0 }),
);

/** Adds the owner of the tests' documents, with the id 1. */
export async function addOwner(database: Database): Promise<void> {
  await database.write({ document: null, statements: [insertWorkspace({}), insertOwner({})] });
}

/** Numbers of rows in the tables that the creation of a document fills. */
export const rowCounts = prepareQuery(() =>
  sql.selectNoFrom((eb) => [
    eb
      .selectFrom('chunks')
      .select((inner) => inner.fn.countAll<number>().as('n'))
      .as('chunks'),
    eb
      .selectFrom('checkpoints')
      .select((inner) => inner.fn.countAll<number>().as('n'))
      .as('checkpoints'),
    eb
      .selectFrom('documents')
      .select((inner) => inner.fn.countAll<number>().as('n'))
      .as('documents'),
    eb
      .selectFrom('unfinished')
      .select((inner) => inner.fn.countAll<number>().as('n'))
      .as('unfinished'),
  ]),
);

export interface Installation {
  readonly folder: string;
  readonly database: Database;
  readonly documents: Documents;
  /** Errors of background work. */
  readonly errors: readonly unknown[];
  /** The time for documents, in milliseconds. */
  readonly clock: { now: number };
}

/** Limits that move all work to threads. */
export const NOTHING_INLINE: InlineBounds = {
  milliseconds: 0,
  values: -1,
  formulaValues: 0,
  runs: -1,
  bytes: -1,
  baseBytes: -1,
};

/** Threads start slowly, so all tests of a file share them. */
let pool: CalculationPool | null = null;

/** From this call on, documents are read, calculated and stored in threads. */
export function calculateInThreads(): void {
  const threads = new CalculationPool(2, NOTHING_INLINE);
  pool = threads;
  after(() => {
    pool = null;
    return threads.close();
  });
}

/** Opens a data folder as a process does. Several installations with one folder act like several processes. */
export function openInstallation(
  test: TestContext,
  folder: string,
  wrap: (database: Database) => Database = (database) => database,
  memoryBounds?: MemoryBounds,
  calculation: { readonly pool?: CalculationPool; readonly limits?: typeof LIMITS } = {},
): Installation {
  const database = wrap(instrumentDatabase(openFolderDatabase(folder)));
  const errors: unknown[] = [];
  const clock = { now: 0 };
  const environment: DocumentsEnvironment = {
    database,
    clock: () => clock.now,
    limits: calculation.limits ?? LIMITS,
    checkpointCommits: CHECKPOINT_COMMITS,
    onError: (what, error) => errors.push({ what, error }),
  };
  const threads = calculation.pool ?? pool;
  const documents = openDocuments(
    threads === null ? environment : { ...environment, threads: { pool: threads, store: getStoreLocation(folder) } },
    memoryBounds,
  );
  test.after(async () => {
    await documents.close();
    await database.close();
  });
  return { folder, database, documents, errors, clock };
}

/** Creates an installation with an owner. */
export async function createInstallation(test: TestContext): Promise<Installation> {
  const installation = openInstallation(test, createTemporaryFolder(test));
  await addOwner(installation.database);
  return installation;
}

export async function createDocument(documents: Documents, timeZone = 'UTC'): Promise<string> {
  const created = await documents.create({
    ownerId: 1,
    title: 'T',
    type: 'table',
    format: 'collaborative',
    content: { kind: 'empty', ...SETTINGS, timeZone },
  });
  if (created.kind !== 'created') throw new Error(`not created: ${JSON.stringify(created)}`);
  return created.id;
}

export async function openDocument(documents: Documents, id: string): Promise<OpenDocument> {
  const document = await documents.open(id);
  if (document === null) throw new Error('no such document');
  return document;
}

/** The newest state of a document. */
export async function readSnapshot(document: OpenDocument): Promise<Snapshot> {
  const snapshot = await document.readSnapshot();
  if (snapshot === null) throw new Error('the document was removed');
  return snapshot;
}

export function getFirstSheetId({ sheets }: Pick<ProposalHead, 'sheets'>): number {
  return (sheets[0] as ProposalHead['sheets'][number]).id;
}

/** The value of a cell in the first sheet. */
export function readValue(snapshot: Snapshot, row: number, column: number) {
  return cellView(snapshot, getFirstSheetId(snapshot), row, column)?.v ?? null;
}

/** A proposed commit of edits whose answer is the revision. */
export function createProposal(edits: readonly Edit[]): CommitProposal<number> {
  return {
    kind: 'proposal',
    edits,
    author: AUTHOR,
    finish: (_, commit) => ({ reply: commit.revision, statements: [] }),
  };
}

/** Writes one value; replies with the revision. */
export function setValue(row: number, column: number, value: string | number): Proposer<number, never> {
  return (head) =>
    createProposal([{ kind: 'setValues', sheet: getFirstSheetId(head), row, column, values: [[value]], mode: 'user' }]);
}

/** Creates a database whose writes fail while `currentFailure` returns an error, like on a full disk. */
export function createFailingDatabase(database: Database, currentFailure: () => Error | null): Database {
  return {
    read: (query) => database.read(query),
    readOne: (query) => database.readOne(query),
    readLatest: (query) => database.readLatest(query),
    readAll: (queries) => database.readAll(queries),
    readInBackground: (queries) => database.readInBackground(queries),
    readInBatches: (query, size) => database.readInBatches(query, size),
    openSnapshot: database.openSnapshot,
    commitPositions: database.commitPositions,
    write: (unit: Unit): Promise<UnitOutcome> => {
      const error = currentFailure();
      return error === null ? database.write(unit) : Promise.reject(error);
    },
    countConnections: () => database.countConnections(),
    checkIntegrity: () => database.checkIntegrity(),
    close: () => database.close(),
  };
}
