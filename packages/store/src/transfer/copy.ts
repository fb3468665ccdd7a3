import { StoreError } from '../database/database.ts';
import { encodeRow } from './row-bytes.ts';
import { countRows, type TableShape, type TransferRow, type TransferSource } from './table-shape.ts';

/** Receives the number of copied rows, and the total. */
export type OnRows = (done: number, total: number) => void;

/** Receives rows. They become visible only when the transfer has finished, and are removed if it fails. */
export interface RowSink {
  insert(table: TableShape, rows: readonly TransferRow[]): Promise<void>;
  /** Sets the last number of a serial table. */
  setSerial(table: TableShape, greatest: number): Promise<void>;
  /** The rows received so far. */
  rows(table: TableShape): AsyncIterable<readonly TransferRow[]>;
}

/** Copies all rows. */
export async function copyAllRows(source: TransferSource, sink: RowSink, onRows: OnRows): Promise<void> {
  const total = countRows(source);
  let done = 0;
  for (const table of source.tables) {
    for await (const rows of source.rows(table)) {
      await sink.insert(table, rows);
      done += rows.length;
      onRows(done, total);
    }
    const greatest = source.serials[table.name] ?? 0;
    if (table.serial && greatest > 0) await sink.setSerial(table, greatest);
  }
}

/** Compares all rows of both sides. Throws `StoreError` (`DIFFERENT`) at the first difference. */
export async function compareAllRows(
  source: TransferSource,
  sink: Pick<RowSink, 'rows'>,
  onRows: OnRows,
): Promise<void> {
  const total = countRows(source);
  let done = 0;
  for (const table of source.tables) {
    const copies = flattenRows(sink.rows(table));
    try {
      for await (const rows of source.rows(table)) {
        for (const row of rows) {
          const copy = await copies.next();
          if (copy.done || !encodeRow(row).equals(encodeRow(copy.value))) throw createDifferenceError(table, row);
        }
        done += rows.length;
        onRows(done, total);
      }
      const more = await copies.next();
      if (!more.done) throw createDifferenceError(table, more.value);
    } finally {
      await copies.return(undefined);
    }
  }
}

/** The rows of all batches, one by one. */
async function* flattenRows(parts: AsyncIterable<readonly TransferRow[]>): AsyncGenerator<TransferRow, undefined> {
  for await (const rows of parts) yield* rows;
}

/** The error for a row of the copy that differs from the source, named by its key. */
function createDifferenceError({ name, columns, key }: TableShape, row: TransferRow): StoreError {
  const place = key.map((column) => `${column} ${row[columns.findIndex((one) => one.name === column)]}`);
  return new StoreError(`The copy of ${name} differs at ${place.join(', ')}`, 'DIFFERENT');
}
