import type { Statement } from '../database/database.ts';
import type { ArchiveFile } from './archive-reader.ts';
import { insertOne, namedRow, type TableShape, type TransferRow } from './table-shape.ts';

/** Tables with the rows of a document that are many. */
const LARGE_TABLES: ReadonlySet<string> = new Set(['chunks', 'bases', 'base_chunks', 'commits', 'file_parts']);
/** … and those that make it visible. */
const VISIBLE_TABLES: ReadonlySet<string> = new Set(['documents', 'checkpoints', 'shares', 'protections']);

/** A row of a document in a backup. */
export interface BackupRow {
  readonly table: string;
  readonly row: ReturnType<typeof namedRow>;
  readonly values: TransferRow;
  readonly statement: Statement;
  /** Whether it belongs to the last unit, which makes the document visible. */
  readonly isLast: boolean;
}

/**
 * The rows of one document in a backup of this version, and the users of the backup before them. Reads the file to its
 * end.
 */
export async function* readDocumentRows(archive: ArchiveFile, document: string): AsyncGenerator<BackupRow> {
  for (const table of archive.tables) {
    for await (const rows of archive.rows(table)) {
      if (table.name === 'trash') yield* readTrashedRows(archive, table, rows, document);
      if (!LARGE_TABLES.has(table.name) && !VISIBLE_TABLES.has(table.name) && table.name !== 'users') continue;
      for (const values of rows) {
        const row = namedRow(table, values);
        if (table.name !== 'users' && row[table.name === 'documents' ? 'id' : 'document_id'] !== document) continue;
        yield {
          table: table.name,
          row,
          values,
          statement: insertStatement(table, values),
          isLast: VISIBLE_TABLES.has(table.name),
        };
      }
    }
  }
  await archive.end();
}

/** A document that was in the bin when the backup was made has its row there. */
function* readTrashedRows(
  archive: ArchiveFile,
  table: TableShape,
  rows: readonly TransferRow[],
  document: string,
): Generator<BackupRow> {
  const documents = archive.tables.find(({ name }) => name === 'documents');
  if (documents === undefined) return;
  for (const trashed of rows) {
    const row: ReturnType<typeof namedRow> = { ...namedRow(table, trashed), id: document };
    if (row['document_id'] !== document) continue;
    const values = documents.columns.map(({ name }) => row[name] ?? null);
    yield { table: 'documents', row, values, statement: insertStatement(documents, values), isLast: true };
  }
}

function insertStatement(table: TableShape, values: TransferRow): Statement {
  return { sql: insertOne(table), parameters: values };
}

/** Counters of a document, and what they count of its audit log. */
const COUNTERS = [
  ['audited', 'id'],
  ['api_audited', 'api_number'],
] as const;

/** What must be done that a subscription, and what was grouped for it, go on behind a document's earlier state. */
export function resumeSubscriptions(document: string, revision: number): readonly Statement[] {
  return [
    {
      sql: "update windows set grouped = ?, ahead = '{}', version = version + 1 where document_id = ? and grouped > ?",
      parameters: [revision, document, revision],
    },
    {
      sql: 'update webhooks set since_revision = ? where document_id = ? and since_revision > ?',
      parameters: [revision, document, revision],
    },
    { sql: 'delete from removed where document_id = ?', parameters: [document] },
    // The log that stayed may be longer than the backup's: its numbers must not be given a second time.
    ...COUNTERS.map(([counter, number]) => ({
      sql: `update documents set ${counter} = (select max(${number}) from audit where document_id = ?)
        where id = ? and ${counter} < (select max(${number}) from audit where document_id = ?)`,
      parameters: [document, document, document],
    })),
  ];
}
