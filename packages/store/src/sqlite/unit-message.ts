import type { RowGuard, SqlValue, Statement, StatementResult } from '../database/database.ts';
import type { SqliteUnitResult, UnitStatements } from './transaction.ts';

/**
 * Units in a message to the writer thread. Cloning many values is slow, so a batch consists of one text, one array of
 * numbers and one array of bytes. SQL texts are sent once; later messages contain only their number.
 */
export interface UnitMessage {
  /** New SQL texts; they continue the thread's numbering. */
  readonly texts: readonly string[];
  /** New guards, numbered in the same way. */
  readonly guards: readonly RowGuard[];
  /**
   * For each unit its number of statements. For each statement the number of its text, the number of its guard (-1 for
   * none), and how many parameters it has. For each parameter its kind (`PARAMETER`), and a number or a length.
   */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** All texts of the parameters, concatenated. Cutting it at their lengths returns the same UTF-16 code units. */
  readonly text: string;
  /** All byte arrays, concatenated; transferred, not cloned. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Byte arrays in memory that several threads share. */
  readonly shared: readonly Uint8Array[];
}

/** Kinds of parameters in a message. */
const PARAMETER = { null: 0, number: 1, text: 2, bytes: 3, shared: 4 };

/** `changes` of each statement of committed units without result rows; all other results, by unit. */
interface UnitResults {
  readonly changes: readonly number[];
  readonly others: ReadonlyMap<number, SqliteUnitResult>;
}

/** The answer of the writer thread: the results of a transaction. `messages`: how many messages contained its units. */
export interface ResultMessage extends UnitResults {
  readonly messages: number;
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

/** First capacity of a sender's list of numbers. */
const FIRST_NUMBERS = 4_096;
/** Numbers of a statement and of each parameter in a message. */
const STATEMENT_NUMBERS = 3;
const PARAMETER_NUMBERS = 2;

/** Creates messages for one thread. */
export class UnitSender {
  private readonly texts = new ValueNumbering<string>();
  private readonly guards = new ValueNumbering<RowGuard>();
  /** The numbers of the message that is being created. */
  private numbers = new Float64Array(FIRST_NUMBERS);

  /** Creates a message, with pauses. It must be sent before the next one is created. */
  *createMessage(units: readonly UnitStatements[]): Generator<void, UnitMessage> {
    const arrays: Uint8Array[] = [];
    const shared: Uint8Array[] = [];
    let text = '';
    let length = 0;
    let used = 0;
    let count = 0;
    for (const { statements } of units) {
      this.reserveNumbers(used + 1);
      this.numbers[used++] = statements.length;
      for (const { sql, guard, parameters } of statements) {
        if (++count % ITEMS_PER_STEP === 0) yield;
        this.reserveNumbers(used + STATEMENT_NUMBERS + parameters.length * PARAMETER_NUMBERS);
        const { numbers } = this;
        numbers[used++] = this.texts.findOrAssignNumber(sql);
        numbers[used++] = guard === undefined ? -1 : this.guards.findOrAssignNumber(guard);
        numbers[used++] = parameters.length;
        for (const value of parameters) {
          if (typeof value === 'string') {
            numbers[used++] = PARAMETER.text;
            numbers[used++] = value.length;
            text += value;
          } else if (typeof value === 'number') {
            numbers[used++] = PARAMETER.number;
            numbers[used++] = value;
          } else if (value === null) {
            numbers[used++] = PARAMETER.null;
            numbers[used++] = 0;
          } else if (value.buffer instanceof SharedArrayBuffer) {
            numbers[used++] = PARAMETER.shared;
            numbers[used++] = 0;
            shared.push(value);
          } else {
            numbers[used++] = PARAMETER.bytes;
            numbers[used++] = value.length;
            arrays.push(value);
            length += value.length;
          }
        }
      }
    }
    const bytes = yield* concatenateArrays(arrays, length);
    return {
      texts: this.texts.takeNewValues(),
      guards: this.guards.takeNewValues(),
      numbers: this.numbers.slice(0, used),
      text,
      bytes,
      shared,
    };
  }

  private reserveNumbers(count: number): void {
    if (count <= this.numbers.length) return;
    const grown = new Float64Array(Math.max(count, this.numbers.length * 2));
    grown.set(this.numbers);
    this.numbers = grown;
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
  readUnits({ texts, guards, numbers, text, bytes, shared }: UnitMessage): readonly UnitStatements[] {
    this.texts.push(...texts);
    this.guards.push(...guards);
    const units: UnitStatements[] = [];
    let textFrom = 0;
    let bytesFrom = 0;
    let sharedFrom = 0;
    for (let at = 0; at < numbers.length; ) {
      const count = numbers[at++] as number;
      const statements: Statement[] = [];
      for (let i = 0; i < count; i++) {
        const sql = this.texts[numbers[at] as number] as string;
        const guard = this.guards[numbers[at + 1] as number];
        const parameters = new Array<SqlValue>(numbers[at + 2] as number);
        at += STATEMENT_NUMBERS;
        for (let j = 0; j < parameters.length; j++, at += PARAMETER_NUMBERS) {
          const kind = numbers[at];
          const value = numbers[at + 1] as number;
          if (kind === PARAMETER.number) parameters[j] = value;
          else if (kind === PARAMETER.text) {
            parameters[j] = text.slice(textFrom, textFrom + value);
            textFrom += value;
          } else if (kind === PARAMETER.bytes) {
            parameters[j] = bytes.subarray(bytesFrom, bytesFrom + value);
            bytesFrom += value;
          } else parameters[j] = kind === PARAMETER.shared ? (shared[sharedFrom++] as Uint8Array) : null;
        }
        statements.push(guard === undefined ? { sql, parameters } : { sql, parameters, guard });
      }
      units.push({ statements });
    }
    return units;
  }
}

/** The results as one list of numbers of changed rows, and all other results by position. */
export function packResults(results: readonly SqliteUnitResult[]): UnitResults {
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
  { changes, others }: UnitResults,
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
