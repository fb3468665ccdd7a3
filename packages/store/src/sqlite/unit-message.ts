import type { Guard, SqlValue, Statement, StatementResult } from '../database/database.ts';
import type { SqliteUnitResult, UnitStatements } from './transaction.ts';

/**
 * Units on their way to the writer's thread. Cloning objects for another thread is dear, so a batch travels as
 * flat lists; texts of statements are sent once and then by number.
 */
export interface UnitMessage {
  /** SQL texts that the thread does not know yet; numbered on from those it knows. */
  readonly texts: readonly string[];
  /** Guards, in the same way. */
  readonly guards: readonly Guard[];
  /** For each unit its number of statements; for each of these its text, guard (-1: none) and number of parameters. */
  readonly shape: readonly number[];
  /** Null where `blobs` says what stands there. */
  readonly values: readonly (Exclude<SqlValue, Uint8Array> | null)[];
  /** Place in `values`, and where its bytes begin and end. */
  readonly blobs: readonly number[];
  /** All byte arrays one after another: to be transferred, not cloned. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The answer: `changes` of each statement of the units that were committed and gave no rows, and all other results. */
export interface ResultMessage {
  readonly changes: readonly number[];
  readonly others: ReadonlyMap<number, SqliteUnitResult>;
}

/**
 * Numbers for values that are sent once. Both sides keep them for as long as the thread lives. They are few: guards are
 * constants of the modules that write statements, and so are texts, but for those of statements built at each call
 * (`statement`), whose shapes must therefore be few. No text may hold a value or as many places as a list is long.
 */
class Numbering<T> {
  private readonly numbers = new Map<T, number>();
  private fresh: T[] = [];

  numberOf(value: T): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(value, number);
    this.fresh.push(value);
    return number;
  }

  takeFresh(): readonly T[] {
    const { fresh } = this;
    this.fresh = [];
    return fresh;
  }
}

/** Statements, or pieces of bytes, between two pauses. */
const ITEMS_PER_STEP = 256;
/** Bytes of one piece that are copied between two pauses. */
const BYTES_PER_STEP = 1024 * 1024;

/** The sender's side of one thread. */
export class UnitSender {
  private readonly texts = new Numbering<string>();
  private readonly guards = new Numbering<Guard>();

  /** Pauses between steps. The message must be sent before the next one is made. */
  *createMessage(units: readonly UnitStatements[]): Generator<void, UnitMessage> {
    const shape: number[] = [];
    const values: (Exclude<SqlValue, Uint8Array> | null)[] = [];
    const blobs: number[] = [];
    const arrays: Uint8Array[] = [];
    let length = 0;
    let count = 0;
    for (const { statements } of units) {
      shape.push(statements.length);
      for (const { sql, guard, parameters } of statements) {
        if (++count % ITEMS_PER_STEP === 0) yield;
        shape.push(this.texts.numberOf(sql), guard === undefined ? -1 : this.guards.numberOf(guard), parameters.length);
        for (const value of parameters) {
          if (value instanceof Uint8Array) {
            blobs.push(values.length, length, length + value.length);
            arrays.push(value);
            length += value.length;
            values.push(null);
          } else values.push(value);
        }
      }
    }
    const bytes = yield* concatenate(arrays, length);
    return { texts: this.texts.takeFresh(), guards: this.guards.takeFresh(), shape, values, blobs, bytes };
  }
}

function* concatenate(arrays: readonly Uint8Array[], length: number): Generator<void, Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const [i, array] of arrays.entries()) {
    if ((i + 1) % ITEMS_PER_STEP === 0) yield;
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

/** The thread's side. */
export class UnitReceiver {
  private readonly texts: string[] = [];
  private readonly guards: Guard[] = [];

  readUnits({ texts, guards, shape, values: sent, blobs, bytes }: UnitMessage): readonly UnitStatements[] {
    this.texts.push(...texts);
    this.guards.push(...guards);
    const values: SqlValue[] = sent.slice();
    for (let i = 0; i < blobs.length; i += 3) values[blobs[i] as number] = bytes.subarray(blobs[i + 1], blobs[i + 2]);
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
