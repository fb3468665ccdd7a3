import type { RowGuard, SqlValue, Statement, StatementResult } from '../database/database.ts';
import type { SqliteUnitResult, UnitStatements } from './transaction.ts';

/**
 * Units in a message to the writer thread. Cloning objects is slow, so a batch consists of flat lists. SQL texts are
 * sent once; later messages contain only their number.
 */
export interface UnitMessage {
  /** New SQL texts; they continue the thread's numbering. */
  readonly texts: readonly string[];
  /** New guards, numbered in the same way. */
  readonly guards: readonly RowGuard[];
  /**
   * For each unit its number of statements. For each statement the number of its text, the number of its guard (-1 for
   * none), and how many parameters it has.
   */
  readonly shape: readonly number[];
  /** Parameters of all statements. Null also replaces byte arrays, whose positions are in `blobs` and `sharedAt`. */
  readonly values: readonly (Exclude<SqlValue, Uint8Array> | null)[];
  /** Triples: index in `values`, start and end in `bytes`. */
  readonly blobs: readonly number[];
  /** All byte arrays, concatenated; transferred, not cloned. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Byte arrays in memory that several threads share. */
  readonly shared: readonly Uint8Array[];
  /** For each of them its index in `values`. */
  readonly sharedAt: readonly number[];
}

/** The answer: `changes` of each statement of committed units without result rows; all other results, by unit. */
export interface ResultMessage {
  readonly changes: readonly number[];
  readonly others: ReadonlyMap<number, SqliteUnitResult>;
}

/**
 * Assigns numbers to values that are sent once. Sender and receiver keep them while the thread lives. They must be few:
 * guards and most SQL texts are constants of modules; texts that are compiled at each call (`compileStatement`) must
 * have few variants. An SQL text must not contain values, or placeholders for lists of variable length.
 */
class ValueNumbering<T> {
  private readonly numbers = new Map<T, number>();
  private fresh: T[] = [];

  /** The number of a value. A new value gets the next number. */
  findOrAssignNumber(value: T): number {
    const existingNumber = this.numbers.get(value);
    if (existingNumber !== undefined) return existingNumber;
    const number = this.numbers.size;
    this.numbers.set(value, number);
    this.fresh.push(value);
    return number;
  }

  /** The values that got a number since the last call, for the other thread. */
  takeNewValues(): readonly T[] {
    const { fresh } = this;
    this.fresh = [];
    return fresh;
  }
}

/** Number of statements or byte arrays between two pauses. */
const ITEMS_PER_STEP = 256;
/** Number of bytes copied between two pauses. */
const BYTES_PER_STEP = 1024 * 1024;

/** Creates messages for one thread. */
export class UnitSender {
  private readonly texts = new ValueNumbering<string>();
  private readonly guards = new ValueNumbering<RowGuard>();

  /** Creates a message, with pauses. It must be sent before the next one is created. */
  *createMessage(units: readonly UnitStatements[]): Generator<void, UnitMessage> {
    const shape: number[] = [];
    const values: (Exclude<SqlValue, Uint8Array> | null)[] = [];
    const blobs: number[] = [];
    const arrays: Uint8Array[] = [];
    const shared: Uint8Array[] = [];
    const sharedAt: number[] = [];
    let length = 0;
    let count = 0;
    for (const { statements } of units) {
      shape.push(statements.length);
      for (const { sql, guard, parameters } of statements) {
        if (++count % ITEMS_PER_STEP === 0) yield;
        shape.push(
          this.texts.findOrAssignNumber(sql),
          guard === undefined ? -1 : this.guards.findOrAssignNumber(guard),
          parameters.length,
        );
        for (const value of parameters) {
          if (typeof value === 'object' && value !== null && value.buffer instanceof SharedArrayBuffer) {
            shared.push(value);
            sharedAt.push(values.length);
            values.push(null);
          } else if (typeof value === 'object' && value !== null) {
            blobs.push(values.length, length, length + value.length);
            arrays.push(value);
            length += value.length;
            values.push(null);
          } else values.push(value);
        }
      }
    }
    const bytes = yield* concatenateArrays(arrays, length);
    return {
      texts: this.texts.takeNewValues(),
      guards: this.guards.takeNewValues(),
      shape,
      values,
      blobs,
      bytes,
      shared,
      sharedAt,
    };
  }
}

/** One array with the bytes of all, copied with pauses. `length` is their total length. */
function* concatenateArrays(arrays: readonly Uint8Array[], length: number): Generator<void, Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  let count = 0;
  for (const array of arrays) {
    if (++count % ITEMS_PER_STEP === 0) yield;
    if (array.length <= BYTES_PER_STEP) bytes.set(array, at);
    else {
      for (let from = 0; from < array.length; from += BYTES_PER_STEP) {
        bytes.set(array.subarray(from, from + BYTES_PER_STEP), at + from);
        yield;
      }
    }
    at += array.length;
  }
  return bytes;
}

/** Reads messages in the thread. */
export class UnitReceiver {
  private readonly texts: string[] = [];
  private readonly guards: RowGuard[] = [];

  /** Rebuilds the units of a message. Messages must be read in the order in which they were created. */
  readUnits({
    texts,
    guards,
    shape,
    values: sent,
    blobs,
    bytes,
    shared,
    sharedAt,
  }: UnitMessage): readonly UnitStatements[] {
    this.texts.push(...texts);
    this.guards.push(...guards);
    const values: SqlValue[] = sent.slice();
    for (let i = 0; i < blobs.length; i += 3) values[blobs[i] as number] = bytes.subarray(blobs[i + 1], blobs[i + 2]);
    for (let i = 0; i < shared.length; i++) values[sharedAt[i] as number] = shared[i] as Uint8Array;
    const units: UnitStatements[] = [];
    let from = 0;
    for (let at = 0; at < shape.length; ) {
      const count = shape[at++] as number;
      const statements: Statement[] = [];
      for (let i = 0; i < count; i++, at += 3) {
        const to = from + (shape[at + 2] as number);
        const sql = this.texts[shape[at] as number] as string;
        const guard = this.guards[shape[at + 1] as number];
        const parameters = values.slice(from, to);
        statements.push(guard === undefined ? { sql, parameters } : { sql, parameters, guard });
        from = to;
      }
      units.push({ statements });
    }
    return units;
  }
}

/** The results as one list of numbers of changed rows, and all other results by position. */
export function packResults(results: readonly SqliteUnitResult[]): ResultMessage {
  const changes: number[] = [];
  const others = new Map<number, SqliteUnitResult>();
  results.forEach((result, i) => {
    if (result.kind !== 'committed' || result.results.some(({ rows }) => rows.length > 0)) others.set(i, result);
    else for (const statement of result.results) changes.push(statement.changes);
  });
  return { changes, others };
}

const NO_ROWS: StatementResult['rows'] = [];

/** The results that `packResults` packed. */
export function unpackResults(
  { changes, others }: ResultMessage,
  units: readonly UnitStatements[],
): readonly SqliteUnitResult[] {
  let at = 0;
  return units.map(({ statements }, i) => {
    const other = others.get(i);
    if (other !== undefined) return other;
    const results = statements.map(() => ({ changes: changes[at++] as number, rows: NO_ROWS }));
    return { kind: 'committed', results };
  });
}
