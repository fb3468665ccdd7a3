import { findDamage, isSealedTable } from '../database/checksum.ts';
import type { SqlValue } from '../database/database.ts';
import type { OnRows } from './copy.ts';
import { countRows, type TableShape, type TransferRow, type TransferSource, toNamedRow } from './table-shape.ts';

/** Describes the damage of a document for users. */
export interface DocumentDamage {
  readonly document: string;
  readonly problem: string;
}

/** A row by column names. */
export type NamedRow = Readonly<Record<string, SqlValue>>;

/** Maximum number of damaged pieces that a description lists. */
const MAX_NAMED_PIECES = 3;

/** Collects damaged pieces by document. */
export class DamageList {
  private readonly pieces = new Map<string, string[]>();

  /** Checks the rows of a table. Rows without checksums count as undamaged. */
  checkRows(table: Pick<TableShape, 'name' | 'columns'>, rows: readonly TransferRow[]): void {
    if (!isSealedTable(table.name)) return;
    for (const row of rows) this.checkNamed(table.name, toNamedRow(table, row));
  }

  checkNamed(table: string, row: NamedRow): void {
    for (const piece of findDamage(table, row)) this.addDamage(String(row['document_id']), piece);
  }

  addDamage(document: string, problem: string): void {
    const documentPieces = this.pieces.get(document) ?? [];
    this.pieces.set(document, documentPieces);
    documentPieces.push(problem);
  }

  hasDocument(document: string): boolean {
    return this.pieces.has(document);
  }

  get documents(): readonly DocumentDamage[] {
    return [...this.pieces].map(([document, pieces]) => {
      const more = pieces.length - MAX_NAMED_PIECES;
      const named = pieces.slice(0, MAX_NAMED_PIECES).join('; ');
      return { document, problem: `damaged: ${named}${more > 0 ? `; and ${more} more pieces` : ''}` };
    });
  }
}

/** Reads and checks all pieces of a source. */
export async function findSourceDamage(source: TransferSource, onRows: OnRows): Promise<DamageList> {
  const list = new DamageList();
  const tables = source.tables.filter(({ name }) => isSealedTable(name));
  const total = tables.reduce((sum, { name }) => sum + (source.counts[name] ?? 0), 0);
  let done = 0;
  for (const table of tables) {
    for await (const rows of source.rows(table)) {
      list.checkRows(table, rows);
      done += rows.length;
      onRows(done, total);
    }
  }
  return list;
}

/** Returns a source without the rows of the given documents. */
export async function excludeDocuments(source: TransferSource, documents: DamageList): Promise<TransferSource> {
  const rows = (table: TableShape) => readRemainingRows(source, table, documents);
  const counts: Record<string, number> = { ...source.counts };
  for (const table of source.tables) {
    if (findDocumentColumn(table) < 0) continue;
    counts[table.name] = 0;
    for await (const some of rows(table)) counts[table.name] = (counts[table.name] ?? 0) + some.length;
  }
  return { ...source, counts, rows };
}

async function* readRemainingRows(source: TransferSource, table: TableShape, documents: DamageList) {
  const column = findDocumentColumn(table);
  for await (const rows of source.rows(table)) {
    const kept = column < 0 ? rows : rows.filter((row) => !documents.hasDocument(String(row[column])));
    if (kept.length > 0) yield kept;
  }
}

/** Returns the index of the column with the document id; -1 if there is none. */
function findDocumentColumn({ name, columns }: TableShape): number {
  const idColumn = name === 'documents' ? 'id' : 'document_id';
  return columns.findIndex((column) => column.name === idColumn);
}

/** Counts the documents and rows of a source. */
export function measureSource(source: Pick<TransferSource, 'counts'>): {
  readonly documents: number;
  readonly rows: number;
} {
  return { documents: source.counts['documents'] ?? 0, rows: countRows(source) };
}
