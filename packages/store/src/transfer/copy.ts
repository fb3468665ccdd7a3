import { StoreError } from '../database/database.ts';
import { encodeRow } from './row-bytes.ts';
import { type Row, type Source, type TableShape, totalOf } from './shape.ts';

/** Told how many rows were carried, and of how many. */
export type OnRows = (done: number, total: number) => void;

/** Where rows go: nobody sees them before it is finished, and none is left where it is not. */
export interface Filling {
  insert(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Goes on with numbers greater than that. */
  setSerial(table: TableShape, greatest: number): Promise<void>;
  /** What it holds by now. */
  rows(table: TableShape): AsyncIterable<readonly Row[]>;
}

/** Carries everything. */
export async function copy(source: Source, filling: Filling, onRows: OnRows): Promise<void> {
  const total = totalOf(source);
  let done = 0;
  for (const table of source.tables) {
    for await (const rows of source.rows(table)) {
      await filling.insert(table, rows);
      done += rows.length;
      onRows(done, total);
    }
    const greatest = source.serials[table.name] ?? 0;
    if (table.serial && greatest > 0) await filling.setSerial(table, greatest);
  }
}

/** Holds every row of both beside each other. Throws `StoreError` (`DIFFERENT`) at the first that is not the same. */
export async function compare(source: Source, filling: Pick<Filling, 'rows'>, onRows: OnRows): Promise<void> {
  const total = totalOf(source);
  let done = 0;
  for (const table of source.tables) {
    const there = oneByOne(filling.rows(table));
    try {
      for await (const rows of source.rows(table)) {
        for (const row of rows) {
          const found = await there.next();
          if (found.done || !encodeRow(row).equals(encodeRow(found.value))) throw different(table, row);
        }
        done += rows.length;
        onRows(done, total);
      }
      const more = await there.next();
      if (!more.done) throw different(table, more.value);
    } finally {
      await there.return(undefined);
    }
  }
}

async function* oneByOne(parts: AsyncIterable<readonly Row[]>): AsyncGenerator<Row, undefined> {
  for await (const rows of parts) yield* rows;
}

function different({ name, columns, key }: TableShape, row: Row): StoreError {
  const place = key.map((column) => `${column} ${row[columns.findIndex((one) => one.name === column)]}`);
  return new StoreError(`The copy of ${name} differs at ${place.join(', ')}`, 'DIFFERENT');
}
