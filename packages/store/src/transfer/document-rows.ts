import type { Statement } from '../database/database.ts';
import type { ArchiveFile } from './archive-reader.ts';
import { buildInsertSql, type TableShape, type TransferRow, toNamedRow } from './table-shape.ts';

/** Tables with many rows of a document. */
const LARGE_TABLES: ReadonlySet<string> = new Set(['chunks', 'bases', 'base_chunks', 'commits', 'file_parts']);
/** Tables whose rows make a document visible. */
const VISIBLE_TABLES: ReadonlySet<string> = new Set(['documents', 'checkpoints', 'shares', 'protections']);

/** A row of a document in a backup. */
export interface BackupRow {
  readonly table: string;
  readonly row: ReturnType<typeof toNamedRow>;
  readonly values: TransferRow;
  readonly statement: Statement;
  /** True if the row belongs to the last unit, which makes the document visible. */
  readonly isLast: boolean;
}

/**
 * Yields the rows of one document from a backup, after the users of the backup. The backup must have the schema of this
 * version. Reads the file to its end.
 */
export async function* readDocumentRows(archive: ArchiveFile, document: string): AsyncGenerator<BackupRow> {
  for (const table of archive.tables) {
    for await (const rows of archive.rows(table)) {
      if (table.name === 'trash') yield* readTrashedRows(archive, table, rows, document);
      if (!LARGE_TABLES.has(table.name) && !VISIBLE_TABLES.has(table.name) && table.name !== 'users') continue;
      for (const values of rows) {
        const row = toNamedRow(table, values);
        if (table.name !== 'users' && row[table.name === 'documents' ? 'id' : 'document_id'] !== document) continue;
        yield {
          table: table.name,
          row,
          values,
          statement: buildInsertStatement(table, values),
          isLast: VISIBLE_TABLES.has(table.name),
        };
      }
    }
  }
  await archive.end();
}

/** Rows of a document that was in the trash at the time of the backup. */
function* readTrashedRows(
  archive: ArchiveFile,
  table: TableShape,
  rows: readonly TransferRow[],
  document: string,
): Generator<BackupRow> {
  const documents = archive.tables.find(({ name }) => name === 'documents');
  if (documents === undefined) return;
  for (const trashed of rows) {
    const row: ReturnType<typeof toNamedRow> = { ...toNamedRow(table, trashed), id: document };
    if (row['document_id'] !== document) continue;
    const values = documents.columns.map(({ name }) => row[name] ?? null);
    yield { table: 'documents', row, values, statement: buildInsertStatement(documents, values), isLast: true };
  }
}

function buildInsertStatement(table: TableShape, values: TransferRow): Statement {
  return { sql: buildInsertSql(table), parameters: values };
}

/** Counters of a document, and the SQL of the greatest number that each has counted. */
const COUNTERS = [
  ['audited', 'select max(id) from audit where document_id = ?'],
  [
    'api_audited',
    'select api_number from audit where document_id = ? and api_number is not null order by id desc limit 1',
  ],
] as const;

/** Returns statements that prepare subscriptions and their grouping to continue from an earlier state of a document. */
export function resumeSubscriptions(document: string, revision: number): readonly Statement[] {
  return [
    {
      sql: "update windows set grouped = ?, ahead = '{}', version = version + 1 where document_id = ? and grouped > ?",
      parameters: [revision, document, revision],
    },
    {
      sql: `update webhooks set since_revision = ?, active_sum = active_sum - since_revision + ?
        where document_id = ? and since_revision > ?`,
      parameters: [revision, revision, document, revision],
    },
    { sql: 'delete from removed where document_id = ?', parameters: [document] },
    // The existing audit log may be longer than the backup's, and its numbers must not be reused.
    ...COUNTERS.map(([counter, greatest]) => ({
      sql: `update documents set ${counter} = (${greatest}) where id = ? and ${counter} < (${greatest})`,
      parameters: [document, document, document],
    })),
  ];
}
