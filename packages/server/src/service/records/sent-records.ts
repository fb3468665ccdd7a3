import { growArray } from '@cellwire/engine';
import { isRecordMembers, type RecordMembers } from './parse-filter.ts';

/**
 * Kinds of sent fields. `ASCII`: a text of ASCII characters without escapes, which stays bytes. `OTHER`: a list, an object
 * or a text that is stored as a string.
 */
export const [NULL, NUMBER, BOOLEAN, ASCII, OTHER] = [0, 1, 2, 3, 4];

const MIN_FIELDS = 64;
const MIN_BYTES = 4_096;

/** The names of a record's fields, in the order of the request. Records with the same names share it. */
export class FieldNames {
  readonly names: readonly string[];
  private canonical: readonly CanonicalField[] | null = null;

  /** `names`: each once. */
  constructor(names: readonly string[]) {
    this.names = names;
  }

  hasNames(names: readonly string[]): boolean {
    if (names.length !== this.names.length) return false;
    for (let i = 0; i < names.length; i++) if (names[i] !== this.names[i]) return false;
    return true;
  }

  /** The fields in the order of canonical JSON. */
  listCanonicalFields(): readonly CanonicalField[] {
    this.canonical ??= [...this.names.keys()]
      .sort((a, b) => compareUnits(this.names[a] as string, this.names[b] as string))
      .map((index, i) => ({ index, prefix: `${i === 0 ? '' : ','}${JSON.stringify(this.names[index])}:` }));
    return this.canonical;
  }
}

interface CanonicalField {
  readonly index: number;
  /** The text before the value. */
  readonly prefix: string;
}

/** The order of `Array.prototype.sort`. */
function compareUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const NO_NAMES = new FieldNames([]);

/** Fields in arrays; see `SentRecords`. */
interface FieldArrays {
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  readonly textStarts: Uint32Array;
  readonly textEnds: Uint32Array;
  readonly bytes: Buffer;
}

/** The value of a field that is a number, a boolean or an ASCII text. */
export function readPlainValue(
  { kinds, numbers, textStarts, textEnds, bytes }: FieldArrays,
  field: number,
): number | boolean | string {
  if (kinds[field] === ASCII) return bytes.toString('latin1', textStarts[field], textEnds[field]);
  const number = numbers[field] as number;
  return kinds[field] === BOOLEAN ? number !== 0 : number;
}

/**
 * The records of a request as they were sent. Fields are stored in arrays, because an object for each record of an
 * upload would be garbage. Reads never change them.
 */
export class SentRecords {
  /** Index of the first record that is not an object; null if there is none. */
  firstInvalid: number | null = null;
  /** The names of each record. */
  readonly names: FieldNames[] = [];
  firstFields = new Uint32Array(MIN_FIELDS);
  /** Number of fields of all records. */
  fieldCount = 0;
  kinds = new Uint8Array(MIN_FIELDS);
  /** For each field that is no ASCII text: the number, 0 or 1 for a boolean, or the index in `others`. */
  numbers = new Float64Array(MIN_FIELDS);
  /** The start and the end of each ASCII text in `bytes`. */
  textStarts = new Uint32Array(MIN_FIELDS);
  textEnds = new Uint32Array(MIN_FIELDS);
  readonly others: unknown[] = [];
  /** Contains the ASCII texts. */
  bytes = Buffer.alloc(0);
  byteCount = 0;

  /** The records of a list in a JSON body. */
  static fromList(values: readonly unknown[]): SentRecords {
    const records = new SentRecords();
    let names = NO_NAMES;
    for (const value of values) {
      if (isRecordMembers(value)) {
        const own = Object.keys(value);
        if (!names.hasNames(own)) names = new FieldNames(own);
      }
      records.addRecord(value, names);
    }
    return records;
  }

  get count(): number {
    return this.names.length;
  }

  /** Adds a record from JSON. `names`: its names, in their order. */
  addRecord(value: unknown, names: FieldNames): void {
    if (!isRecordMembers(value)) {
      this.firstInvalid ??= this.count;
      return this.endRecord(NO_NAMES, 0);
    }
    for (const name of names.names) this.addField((value as RecordMembers)[name]);
    this.endRecord(names, names.names.length);
  }

  /** Ends a record whose fields were added last. */
  endRecord(names: FieldNames, fields: number): void {
    if (this.count === this.firstFields.length) this.firstFields = growArray(this.firstFields, 2 * this.count);
    this.firstFields[this.count] = this.fieldCount - fields;
    this.names.push(names);
  }

  /** Ensures capacity for one more field. */
  reserveField(): void {
    if (this.fieldCount < this.kinds.length) return;
    const capacity = 2 * this.fieldCount;
    this.kinds = growArray(this.kinds, capacity);
    this.numbers = growArray(this.numbers, capacity);
    this.textStarts = growArray(this.textStarts, capacity);
    this.textEnds = growArray(this.textEnds, capacity);
  }

  /** Appends bytes that contain texts. Returns their position. */
  appendBytes(bytes: Uint8Array): number {
    const from = this.byteCount;
    const end = from + bytes.length;
    if (end > this.bytes.length) {
      const more = Buffer.alloc(Math.max(MIN_BYTES, 2 * end));
      more.set(this.bytes.subarray(0, from));
      this.bytes = more;
    }
    this.bytes.set(bytes, from);
    this.byteCount = end;
    return from;
  }

  /** Removes all records. The next ones use the same memory. */
  clear(): void {
    this.firstInvalid = null;
    this.names.length = 0;
    this.fieldCount = 0;
    this.others.length = 0;
    this.byteCount = 0;
  }

  /** The value of a field. */
  readValue(field: number): unknown {
    switch (this.kinds[field]) {
      case NULL:
        return null;
      case OTHER:
        return this.others[this.numbers[field] as number];
      default:
        return readPlainValue(this, field);
    }
  }

  /** Yields canonical JSON, record by record. `formatOther` yields the JSON of a list or object. */
  *writeCanonicalJson(formatOther: (value: unknown) => Generator<string, void>): Generator<string, void> {
    yield '[';
    for (let record = 0; record < this.count; record++) {
      let text = record === 0 ? '{' : ',{';
      for (const { index, prefix } of (this.names[record] as FieldNames).listCanonicalFields()) {
        const field = (this.firstFields[record] as number) + index;
        text += prefix;
        if (this.kinds[field] !== OTHER) text += this.formatPlain(field);
        else {
          yield text;
          yield* formatOther(this.readValue(field));
          text = '';
        }
      }
      yield `${text}}`;
    }
    yield ']';
  }

  /** The JSON of a field that is no list, object or text with special characters. */
  private formatPlain(field: number): string {
    if (this.kinds[field] !== ASCII) return JSON.stringify(this.readValue(field));
    // The text is the content of a JSON string without escapes.
    return `"${readPlainValue(this, field)}"`;
  }

  private addField(value: unknown): void {
    this.reserveField();
    const field = this.fieldCount++;
    switch (typeof value) {
      case 'number':
        this.kinds[field] = NUMBER;
        this.numbers[field] = value;
        break;
      case 'boolean':
        this.kinds[field] = BOOLEAN;
        this.numbers[field] = Number(value);
        break;
      default:
        this.kinds[field] = value === null ? NULL : OTHER;
        this.numbers[field] = value === null ? 0 : this.others.push(value) - 1;
    }
  }
}
