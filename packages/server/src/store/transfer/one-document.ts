import type { Statement } from '../database.ts';
import type { Archive } from './archive-reader.ts';
import { insertOne, namedRow, type Row, type TableShape } from './shape.ts';

/** Tables with the rows of a document that are many. */
const MANY: ReadonlySet<string> = new Set(['chunks', 'bases', 'base_chunks', 'commits', 'file_parts']);
/** … and those that make it visible. */
const FEW: ReadonlySet<string> = new Set(['documents', 'checkpoints', 'shares', 'protections']);

/** A row of a document in a backup. */
export interface DocumentRow {
  readonly table: string;
  readonly row: ReturnType<typeof namedRow>;
  readonly values: Row;
  readonly statement: Statement;
  /** Whether it belongs to the last unit, which makes the document visible. */
  readonly isLast: boolean;
}

/**
 * The rows of one document in a backup of this version, and the users of the backup before them. Reads the file to its
 * end.
 */
export async function* rowsOfOneDocument(archive: Archive, document: string): AsyncGenerator<DocumentRow> {
  for (const table of archive.tables) {
    for await (const rows of archive.rows(table)) {
      if (!MANY.has(table.name) && !FEW.has(table.name) && table.name !== 'users') continue;
      for (const values of rows) {
        const row = namedRow(table, values);
        if (table.name !== 'users' && row[table.name === 'documents' ? 'id' : 'document_id'] !== document) continue;
        yield {
          table: table.name,
          row,
          values,
          statement: insertStatement(table, values),
          isLast: FEW.has(table.name),
        };
      }
    }
  }
  await archive.end();
}

function insertStatement(table: TableShape, values: Row): Statement {
  return { sql: insertOne(table), parameters: values };
}

/** What must be done that a subscription, and what was grouped for it, go on behind a document's earlier state. */
export function followFrom(document: string, revision: number): readonly Statement[] {
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
    ...['id', 'api_number'].map((number) => countFrom(document, number)),
  ];
}

/** The log of a document that is replaced stays: its next entries are numbered after those that it has. */
function countFrom(document: string, number: string): Statement {
  const counter = number === 'id' ? 'audited' : 'api_audited';
  const greatest = `(select coalesce(max(${number}), 0) from audit where document_id = ?)`;
  return {
    sql: `update documents set ${counter} = ${greatest} where id = ? and ${counter} < ${greatest}`,
    parameters: [document, document, document],
  };
}
