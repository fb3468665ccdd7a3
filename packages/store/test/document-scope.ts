import type { Database, Statement, Unit } from '../src/database/database.ts';

/** Tables whose rows belong to a document; rows of all other tables belong to the installation. */
export const DOCUMENT_TABLES: ReadonlySet<string> = new Set([
  'documents',
  'unfinished',
  'removed',
  'trash',
  'shares',
  'protections',
  'personal_filters',
  'commits',
  'checkpoints',
  'bases',
  'base_chunks',
  'chunks',
  'audit',
  'idempotency',
  'webhooks',
  'windows',
  'notifications',
  'deliveries',
  'file_parts',
  'retention',
  'delivery_totals',
  'proposals',
  'proposal_events',
  'used_confirmations',
]);

const CHANGED_TABLE = /^(?:insert into|update|delete from) "(\w+)"/;

/** Returns the table that a statement changes; null if it changes none. */
export function findChangedTable({ sql }: Pick<Statement, 'sql'>): string | null {
  return CHANGED_TABLE.exec(sql)?.[1] ?? null;
}

/** Wraps a database: rejects units that change rows of a document other than their own. */
export function checkDocumentScope(database: Database): Database {
  return {
    read: (query) => database.read(query),
    readOne: (query) => database.readOne(query),
    readLatest: (query) => database.readLatest(query),
    readAll: (queries) => database.readAll(queries),
    readInBackground: (queries) => database.readInBackground(queries),
    readInBatches: (query, size) => database.readInBatches(query, size),
    openSnapshot: database.openSnapshot,
    commitPositions: database.commitPositions,
    countConnections: () => database.countConnections(),
    checkIntegrity: () => database.checkIntegrity(),
    close: () => database.close(),
    async write(unit) {
      const stray = unit.statements.find((statement) => isOutOfScope(unit, statement));
      if (stray !== undefined) throw new Error(`changes rows of another document than ${unit.document}: ${stray.sql}`);
      return database.write(unit);
    },
  };
}

function isOutOfScope({ document }: Unit, statement: Statement): boolean {
  if (!DOCUMENT_TABLES.has(findChangedTable(statement) ?? '')) return false;
  return document === null || !statement.parameters.includes(document);
}
