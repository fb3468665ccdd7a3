import { MAX_BODY_DEPTH, MAX_BODY_LISTS, MAX_BODY_NAMES } from '../../limits/http.ts';
import { BACKSLASH, COMMA, findEndOfText, LIST, LIST_END, skipBlanks } from './json-bytes.ts';
import { parseWithNames, setMember } from './json-names.ts';
import { findLongInteger, readIntegerText, scanForLongInteger } from './long-integers.ts';
import { type NumberRows, readNumberRows } from './number-rows.ts';

/** Maximum bytes that are parsed at once. Longer texts are parsed in pieces of this size. */
const PIECE_BYTES = 64 * 1024;
/** Bytes that are scanned between two pauses. */
const SCAN_BYTES = 32 * 1024;

const OBJECT_END = 125;

/** Maximum bytes of a text that is parsed without pauses and without a scan of its structure. */
const SHORT_BYTES = 1_024;

/** Structural meanings of a byte outside of strings. */
const PLAIN = 0;
const QUOTES = 1;
const OPENS = 2;
const CLOSES = 3;
const NAMES = 4;
const SEPARATES = 5;
const MEANING = new Uint8Array(256);
for (const [characters, meaning] of [
  ['"', QUOTES],
  ['[{', OPENS],
  [']}', CLOSES],
  [':', NAMES],
  [',', SEPARATES],
] as const) {
  for (const character of characters) MEANING[character.charCodeAt(0)] = meaning;
}
/** 1: the byte is a separator or plain. */
const IS_SKIPPED = MEANING.map((meaning) => (meaning === PLAIN || meaning === SEPARATES ? 1 : 0));

/**
 * Offset of the next byte from `from` to before `end` that matters for the structure, such as a bracket or a quote;
 * `end` if there is none. A loop outside of a generator takes a fraction of the time.
 */
function skipPlain(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && IS_SKIPPED[bytes[at] as number] === 1) at++;
  return at;
}

/** A JSON text is not acceptable. The message is for the caller. */
export class JsonError extends Error {}

/** A valid JSON text contains an integer that a number cannot represent exactly. */
export class LongIntegerError extends JsonError {
  /** Names and indexes on the path to the integer. */
  readonly path: readonly string[];
  readonly integer: string;
  /** The value of the text, in which such integers are rounded. */
  readonly rounded: unknown;

  constructor(path: readonly string[], integer: string, rounded: unknown) {
    super(`${integer} cannot be stored exactly as a number`);
    this.path = path;
    this.integer = integer;
    this.rounded = rounded;
  }
}

const NOT_VALID = 'The body is not valid JSON';

/**
 * Parses a JSON text in UTF-8 in pieces, with pauses between them: parsing ten megabytes at once would block other
 * requests for a tenth of a second. Texts that would take long to parse or to traverse are refused first: too deep
 * nesting, and too many lists, objects or names. Throws `JsonError`, or `LongIntegerError` for the first integer beyond
 * ±(2^53 − 1).
 */
export function* parseInPieces(bytes: Buffer, pieceBytes = PIECE_BYTES): Generator<void, unknown> {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes.length <= pieceBytes && isShortAndPlain(bytes))
    return parseOrThrow(bytes.toString('utf8', start), JSON.parse);
  const rows = bytes.length > pieceBytes ? yield* readNumberRows(bytes) : null;
  const shape = yield* scanShape(bytes, pieceBytes, rows);
  const value = yield* new PieceParser(bytes, shape, pieceBytes).parseValue(start);
  const { longInteger } = shape;
  if (longInteger === Number.POSITIVE_INFINITY) return value;
  throw new LongIntegerError(yield* findPath(bytes, longInteger), readIntegerText(bytes, longInteger), value);
}

/** True for a short text that exceeds no limit and contains no escapes and no long integers. */
function isShortAndPlain(bytes: Buffer): boolean {
  if (bytes.length > SHORT_BYTES) return false;
  let opened = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) return false;
    if (MEANING[byte] === OPENS) opened++;
  }
  return opened <= MAX_BODY_DEPTH && findLongInteger(bytes, 0) === Number.POSITIVE_INFINITY;
}

/** Finds the path of names and indexes to the value at an offset of a valid text. */
function* findPath(bytes: Buffer, offset: number): Generator<void, readonly string[]> {
  const path: { isList: boolean; index: number; name: string }[] = [];
  let pause = SCAN_BYTES;
  let text = '';
  for (let at = 0; at < offset; at++) {
    if (at > pause) {
      yield;
      pause = at + SCAN_BYTES;
    }
    const meaning = MEANING[bytes[at] as number];
    const last = path.at(-1);
    if (meaning === OPENS) path.push({ isList: bytes[at] === LIST, index: 0, name: '' });
    else if (meaning === CLOSES) path.pop();
    else if (meaning === SEPARATES && last !== undefined) last.index++;
    else if (meaning === NAMES && last !== undefined) last.name = String(JSON.parse(text));
    else if (meaning === QUOTES) {
      const end = findEndOfText(bytes, at);
      const isName = last !== undefined && !last.isList;
      if (isName) text = bytes.toString('utf8', at, end + 1);
      at = end;
    }
  }
  return path.map(({ isList, index, name }) => (isList ? String(index) : name));
}

/** Parses the text. Throws a `JsonError` if it is not valid JSON. */
function parseOrThrow(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonError(NOT_VALID);
    throw error;
  }
}

/** Structure of a JSON text. */
interface JsonShape {
  /** End offsets of lists and objects that are longer than a piece, by their start offsets. */
  readonly ends: ReadonlyMap<number, number>;
  /** Whether a member's name contains an escape. */
  readonly hasEscapedNames: boolean;
  /** Offset of the first integer that a number cannot represent exactly; infinity if there is none. */
  readonly longInteger: number;
  /** A part of the text that was parsed before; null if there is none. */
  readonly rows: NumberRows | null;
}

/** Matches brackets, and counts lists, objects and names. `rows`: a part that needs no scan. */
function* scanShape(bytes: Buffer, pieceBytes: number, rows: NumberRows | null): Generator<void, JsonShape> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let [lists, names, pause] = [0, 0, SCAN_BYTES];
  let [text, backslash, hasEscapedNames] = [0, -1, false];
  // The rows contain no such integer.
  let longInteger = findLongInteger(bytes, 0, rows?.start ?? 0);
  if (longInteger === Number.POSITIVE_INFINITY) longInteger = yield* scanForLongInteger(bytes, rows?.end ?? 0);
  for (let at = 0; at < bytes.length; at++) {
    if (at > pause) {
      yield;
      pause = at + SCAN_BYTES;
    }
    at = skipPlain(bytes, at, Math.min(pause, bytes.length - 1));
    const meaning = MEANING[bytes[at] as number];
    if (meaning === PLAIN || meaning === SEPARATES) continue;
    if (meaning === QUOTES) {
      text = at;
      at = findEndOfText(bytes, at);
      // Digits within a string are no integer.
      if (longInteger > text && longInteger < at) longInteger = findLongInteger(bytes, at);
    } else if (meaning === NAMES) {
      names++;
      if (backslash < text) backslash = findBackslash(bytes, text);
      hasEscapedNames ||= backslash < at;
    } else if (meaning === OPENS) {
      lists++;
      let depth = open.push(at);
      if (rows !== null && at === rows.start) {
        lists += rows.rows.length;
        depth++;
        ends.set(at, rows.end);
        // The loop continues with the closing bracket.
        at = rows.end - 1;
      }
      if (depth > MAX_BODY_DEPTH) {
        throw new JsonError(`The body must not be nested deeper than ${MAX_BODY_DEPTH} levels`);
      }
    } else {
      const from = open.pop();
      if (from === undefined) throw new JsonError(NOT_VALID);
      if (at - from > pieceBytes) ends.set(from, at);
    }
  }
  if (lists > MAX_BODY_LISTS)
    throw new JsonError(`The body must not have more than ${MAX_BODY_LISTS} lists and objects`);
  if (names > MAX_BODY_NAMES) throw new JsonError(`The body must not have more than ${MAX_BODY_NAMES} names`);
  if (open.length > 0) throw new JsonError(NOT_VALID);
  return { ends, hasEscapedNames, longInteger, rows };
}

/** The position of the next backslash; the length of the bytes if there is none. */
function findBackslash(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(BACKSLASH, from);
  return found < 0 ? bytes.length : found;
}

/** Collects the members of a long list or object. */
interface MemberCollector {
  /** Adds several short members: their text with the commas between them. */
  addShortMembers(text: string): void;
  /** Adds a long member. `before`: the text between the comma and the member, which in an object is its name. */
  addLongMember(before: string, value: unknown): void;
  readonly result: unknown;
}

/** Parses a text whose opening and closing brackets match in number, though not necessarily in kind. */
class PieceParser {
  private readonly bytes: Buffer;
  private readonly ends: ReadonlyMap<number, number>;
  private readonly rows: NumberRows | null;
  private readonly parse: (text: string) => unknown;
  private readonly pieceBytes: number;

  constructor(bytes: Buffer, { ends, hasEscapedNames, rows }: JsonShape, pieceBytes: number) {
    this.bytes = bytes;
    this.ends = ends;
    this.rows = rows;
    this.parse = hasEscapedNames ? parseWithNames : JSON.parse;
    this.pieceBytes = pieceBytes;
  }

  /** The only value of the text from `start`. */
  *parseValue(start: number): Generator<void, unknown> {
    const open = skipBlanks(this.bytes, start);
    const close = this.ends.get(open);
    if (close === undefined) return parseOrThrow(this.decodeText(open, this.bytes.length), this.parse);
    if (skipBlanks(this.bytes, close + 1) < this.bytes.length) throw new JsonError(NOT_VALID);
    return yield* this.parseLongValue(open, close);
  }

  /** Parses the list or object between two brackets, given by their positions, in steps. */
  private *parseLongValue(open: number, close: number): Generator<void, unknown> {
    if (open === this.rows?.start) return this.rows.rows;
    const isList = this.bytes[open] === LIST;
    if (this.bytes[close] !== (isList ? LIST_END : OBJECT_END)) throw new JsonError(NOT_VALID);
    const members = isList ? new ListMembers(this.parse) : new ObjectMembers(this.parse);
    yield* this.parseMembers(open, close, members);
    return members.result;
  }

  /** Adds the members between two brackets: short ones several at a time, long ones one by one. */
  private *parseMembers(open: number, close: number, into: MemberCollector): Generator<void> {
    const { bytes } = this;
    let run = open + 1;
    let member = run;
    let depth = 0;
    for (let at = run; at < close; at++) {
      if (depth > 0) at = skipPlain(bytes, at, close);
      const meaning = MEANING[bytes[at] as number];
      if (meaning === PLAIN || meaning === NAMES) continue;
      if (meaning === QUOTES) at = findEndOfText(bytes, at);
      else if (meaning === CLOSES) depth--;
      else if (meaning === SEPARATES && depth === 0) {
        if (at - run >= this.pieceBytes) {
          into.addShortMembers(this.decodeText(run, at));
          run = at + 1;
          yield;
        }
        member = at + 1;
      } else if (meaning === OPENS) {
        const end = depth === 0 ? this.ends.get(at) : undefined;
        if (end === undefined) {
          depth++;
          continue;
        }
        if (member > run) into.addShortMembers(this.decodeText(run, member - 1));
        into.addLongMember(this.decodeText(member, at), yield* this.parseLongValue(at, end));
        at = skipBlanks(bytes, end + 1);
        if (at === close) return;
        if (bytes[at] !== COMMA) throw new JsonError(NOT_VALID);
        run = at + 1;
        member = run;
      }
    }
    if (run > open + 1 || skipBlanks(bytes, run) < close) into.addShortMembers(this.decodeText(run, close));
  }

  private decodeText(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }
}

class ListMembers implements MemberCollector {
  readonly result: unknown[] = [];
  private readonly parse: (text: string) => unknown;

  constructor(parse: (text: string) => unknown) {
    this.parse = parse;
  }

  /** Parses a piece of JSON text with whole values and appends them. */
  addShortMembers(text: string): void {
    const values = parseOrThrow(`[${text}]`, this.parse) as unknown[];
    // A text without values means that there is nothing between two commas.
    if (values.length === 0) throw new JsonError(NOT_VALID);
    for (const value of values) this.result.push(value);
  }

  /** Appends a value that was parsed before. Only blanks may precede it. */
  addLongMember(before: string, value: unknown): void {
    if (/[^\t\n\r ]/.test(before)) throw new JsonError(NOT_VALID);
    this.result.push(value);
  }
}

class ObjectMembers implements MemberCollector {
  readonly result = {};
  private readonly parse: (text: string) => unknown;

  constructor(parse: (text: string) => unknown) {
    this.parse = parse;
  }

  /** Parses a piece of JSON text with whole members and adds them. */
  addShortMembers(text: string): void {
    const members = Object.entries(parseOrThrow(`{${text}}`, this.parse) as object);
    if (members.length === 0) throw new JsonError(NOT_VALID);
    for (const [name, value] of members) setMember(this.result, name, value);
  }

  /** Adds a value that was parsed before. The text before it ends with its name and a colon. */
  addLongMember(before: string, value: unknown): void {
    for (const name of Object.keys(parseOrThrow(`{${before}null}`, this.parse) as object))
      setMember(this.result, name, value);
  }
}
