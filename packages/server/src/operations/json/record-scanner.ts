import {
  ASCII,
  BOOLEAN,
  FieldNames,
  NULL,
  NUMBER,
  OTHER,
  type SentRecords,
} from '../../service/records/sent-records.ts';
import { COMMA, QUOTE } from './json-bytes.ts';
import { isDigit, MINUS, NO_NUMBER, NumberScanner } from './number-scanner.ts';

const [NEWLINE, CARRIAGE_RETURN, TAB, SPACE] = [10, 13, 9, 32];
const [COLON, OPEN, CLOSE] = [58, 123, 125];
/** The line does not have the common form. */
const OTHER_FORM = -1;

/** Maximum lists of names that a scanner knows, in names, and maximum names that may follow a name. */
const MAX_NODES = 2_048;
const MAX_FOLLOWERS = 64;

/** Bytes of a text in JSON. 1: an ASCII character without an escape. 2: part of another character. 0: all others. */
const TEXT_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < SPACE || byte === QUOTE || byte === '\\'.charCodeAt(0)) return 0;
  return byte < 128 ? 1 : 2;
});

const LITERALS = [
  { bytes: Buffer.from('null'), kind: NULL, number: 0 },
  { bytes: Buffer.from('true'), kind: BOOLEAN, number: 1 },
  { bytes: Buffer.from('false'), kind: BOOLEAN, number: 0 },
];

/** A name in the lists of names that begin with the same names. */
class NameNode {
  /** The name in JSON. */
  readonly token: Uint8Array;
  readonly followers = new Map<string, NameNode>();
  /** The follower that was found last: most records have the same names as the one before. */
  expected: NameNode | null = null;
  /** The list that ends here; null: none. */
  list: FieldNames | null = null;

  constructor(token: Uint8Array) {
    this.token = token;
  }
}

/**
 * Reads lines of the form that nearly all lines have: an object of texts, numbers, booleans and nulls, with names that
 * an earlier line had in the same order. It creates no object per record. `parseInPieces` parses all other lines.
 */
export class RecordScanner {
  private readonly root = new NameNode(new Uint8Array(0));
  private nodes = 0;
  private readonly numberScanner = new NumberScanner();

  /** The list of a record's names. Lines with the same names are scanned from now on. */
  learnNames(names: readonly string[]): FieldNames {
    let node = this.root;
    for (const name of names) {
      const next = node.followers.get(name) ?? this.addFollower(node, name);
      if (next === null) return new FieldNames(names);
      node = next;
    }
    node.list ??= new FieldNames(names);
    return node.list;
  }

  private addFollower(node: NameNode, name: string): NameNode | null {
    if (this.nodes >= MAX_NODES || node.followers.size >= MAX_FOLLOWERS) return null;
    this.nodes++;
    const follower = new NameNode(Buffer.from(JSON.stringify(name)));
    node.followers.set(name, follower);
    return follower;
  }

  /**
   * Reads a line in well-formed UTF-8 that begins at a position of the records' bytes and ends with a line end, and
   * adds its record. Returns the position after the line end. -1 if the line has another form: it adds nothing then.
   */
  scanLine(records: SentRecords, from: number): number {
    const { fieldCount } = records;
    const others = records.others.length;
    const end = this.scanRecord(records, from);
    if (end !== OTHER_FORM) return end;
    records.fieldCount = fieldCount;
    records.others.length = others;
    return OTHER_FORM;
  }

  // The line end stops every loop over the bytes: it is part of no token, no text and no number.
  private scanRecord(records: SentRecords, from: number): number {
    const { bytes } = records;
    if (bytes[from] !== OPEN) return OTHER_FORM;
    let at = from;
    let node = this.root;
    let fields = 0;
    do {
      at = skipBlanks(bytes, at + 1);
      const next = findFollower(node, bytes, at);
      if (next === null) return OTHER_FORM;
      node = next;
      at = skipBlanks(bytes, at + node.token.length);
      if (bytes[at] !== COLON) return OTHER_FORM;
      at = this.scanValue(records, skipBlanks(bytes, at + 1));
      if (at === OTHER_FORM) return OTHER_FORM;
      fields++;
      at = skipBlanks(bytes, at);
    } while (bytes[at] === COMMA);
    if (bytes[at] !== CLOSE || node.list === null) return OTHER_FORM;
    at = skipBlanks(bytes, at + 1);
    if (bytes[at] !== NEWLINE) return OTHER_FORM;
    records.endRecord(node.list, fields);
    return at + 1;
  }

  /** Adds the value at a position. Returns the position after it. */
  private scanValue(records: SentRecords, at: number): number {
    const { bytes } = records;
    records.reserveField();
    const field = records.fieldCount++;
    const first = bytes[at] as number;
    if (first === QUOTE) return scanText(records, field, at + 1);
    if (first === MINUS || isDigit(first)) return this.scanNumber(records, field, at);
    for (const literal of LITERALS) {
      if (!hasBytes(bytes, at, literal.bytes)) continue;
      records.kinds[field] = literal.kind;
      records.numbers[field] = literal.number;
      return at + literal.bytes.length;
    }
    return OTHER_FORM;
  }

  /** Adds the number at a position as the value of a field. Returns the position after it. */
  private scanNumber({ bytes, kinds, numbers }: SentRecords, field: number, from: number): number {
    const { numberScanner } = this;
    const end = numberScanner.scan(bytes, from);
    // The parser for single lines refuses integers that a number cannot represent exactly.
    if (end === NO_NUMBER || numberScanner.isLongInteger) return OTHER_FORM;
    kinds[field] = NUMBER;
    numbers[field] = numberScanner.isLong ? Number(bytes.toString('latin1', from, end)) : numberScanner.number;
    return end;
  }
}

/** Adds the text that begins at a position. Returns the position after its quote. */
function scanText(records: SentRecords, field: number, start: number): number {
  const { bytes, kinds } = records;
  let at = start;
  while (TEXT_BYTES[bytes[at] as number] === 1) at++;
  if (bytes[at] === QUOTE) {
    kinds[field] = ASCII;
    records.textStarts[field] = start;
    records.textEnds[field] = at;
    return at + 1;
  }
  while (TEXT_BYTES[bytes[at] as number] !== 0) at++;
  if (bytes[at] !== QUOTE) return OTHER_FORM;
  kinds[field] = OTHER;
  records.numbers[field] = records.others.push(bytes.toString('utf8', start, at)) - 1;
  return at + 1;
}

/** The follower of a node whose name begins at a position; null: none. */
function findFollower(node: NameNode, bytes: Buffer, at: number): NameNode | null {
  const { expected } = node;
  if (expected !== null && hasBytes(bytes, at, expected.token)) return expected;
  for (const follower of node.followers.values()) {
    if (!hasBytes(bytes, at, follower.token)) continue;
    node.expected = follower;
    return follower;
  }
  return null;
}

/** True if certain bytes begin at a position. */
function hasBytes(bytes: Uint8Array, at: number, token: Uint8Array): boolean {
  for (let i = 0; i < token.length; i++) if (bytes[at + i] !== token[i]) return false;
  return true;
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CARRIAGE_RETURN) at++;
  return at;
}
