import { findDamage, isSealedTable, listCheckedColumns, SEALED_TABLES, selectPieces } from '../database/checksum.ts';
import {
  findRowDamage,
  INDEPENDENT_TABLES,
  isIndependentTable,
  listIndependentColumns,
  type RowDamage,
  selectIndependentRows,
} from '../database/independent-rows.ts';
import type { OnRows } from './copy.ts';
import { DocumentStates, MISCOUNT, MISCOUNTED_ROWS, UNFINISHED, UNFINISHED_ROWS } from './document-states.ts';
import {
  countRows,
  type NamedRow,
  type TableShape,
  type TransferRow,
  type TransferSource,
  toNamedRow,
} from './table-shape.ts';
import type { TransferSnapshot } from './transfer-target.ts';

/** Describes the damage of a document for users. */
export interface DocumentDamage {
  readonly document: string;
  readonly problem: string;
}

/** Maximum number of damaged pieces that a description lists. */
const MAX_NAMED_PIECES = 3;

/**
 * Collects damaged pieces by document, and damaged rows of accounts, subscriptions and proposals. `DocumentStates` says
 * in which order rows must come.
 */
export class DamageList {
  readonly rows: RowDamage[] = [];
  private readonly pieces = new Map<string, string[]>();
  private readonly states = new DocumentStates();

  /** Checks the rows of a table. Rows without checksums count as undamaged. */
  checkRows(table: Pick<TableShape, 'name' | 'columns'>, rows: readonly TransferRow[]): void {
    if (!isCheckedTable(table.name)) return;
    for (const row of rows) this.checkNamedRow(table.name, toNamedRow(table, row));
  }

  /** Adds the damage in a row to its document. */
  checkNamedRow(table: string, row: NamedRow): void {
    if (isIndependentTable(table)) {
      this.rows.push(...[findRowDamage(table, row) ?? []].flat());
      return;
    }
    const document = String(row['document_id'] ?? row['id']);
    for (const piece of findDamage(table, row)) this.addDamage(document, piece);
    const problem = this.states.findProblem(table, document, row);
    if (problem !== null) this.addDamage(document, problem);
  }

  /** Adds damage for rows that belong to no document. Call it after all rows of an installation. */
  addMissingDocuments(): void {
    for (const document of this.states.listMissing())
      this.addDamage(document, 'it does not exist, but some of its data does: an id may be damaged');
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
      return { document, problem: `damaged: ${named}${more > 0 ? `; and ${more} more` : ''}` };
    });
  }
}

/** Reads and checks all pieces of a source. */
export async function findSourceDamage(source: TransferSource, onRows: OnRows): Promise<DamageList> {
  const list = new DamageList();
  const tables = source.tables.filter(({ name }) => isCheckedTable(name));
  const total = tables.reduce((sum, { name }) => sum + (source.counts[name] ?? 0), 0);
  let done = 0;
  for (const table of tables) {
    for await (const rows of source.rows(table)) {
      list.checkRows(table, rows);
      done += rows.length;
      onRows(done, total);
    }
  }
  list.addMissingDocuments();
  return list;
}

/** Reads and checks the rows of an installation. */
export async function findSnapshotDamage(snapshot: TransferSnapshot): Promise<DamageList> {
  const list = new DamageList();
  const check = async (name: string, columnNames: readonly string[], sql: string) => {
    const columns = columnNames.map((column) => ({ name: column, kind: 'bytes' as const }));
    for await (const rows of snapshot.rows({ columns }, { sql, parameters: [] }))
      list.checkRows({ name, columns }, rows);
  };
  for (const table of SEALED_TABLES) await check(table, listCheckedColumns(table), selectPieces(table));
  await check(UNFINISHED, ['document_id'], UNFINISHED_ROWS);
  const columns = [{ name: 'document_id', kind: 'text' as const }];
  for await (const rows of snapshot.rows({ columns }, { sql: MISCOUNTED_ROWS, parameters: [] }))
    for (const [id] of rows) list.addDamage(String(id), MISCOUNT);
  for (const table of INDEPENDENT_TABLES)
    await check(table, listIndependentColumns(table), selectIndependentRows(table));
  list.addMissingDocuments();
  return list;
}

/** True if rows of the table can be damaged, or show that a document is. */
function isCheckedTable(table: string): boolean {
  return isSealedTable(table) || isIndependentTable(table) || table === UNFINISHED;
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

/** The rows of a table. Rows of damaged documents are left out. */
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
