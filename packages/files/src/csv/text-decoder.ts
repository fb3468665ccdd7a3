import { CODE_PAGES } from './code-pages.ts';

/** Names of encodings that other programs use, and the labels that are used here. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...['macroman', 'mac-roman', 'mac_roman'].map((name) => [name, 'macintosh'] as const),
  ...['mac-ce', 'mac_latin2', 'maccentraleurope'].map((name) => [name, 'x-mac-ce'] as const),
  ...[...CODE_PAGES.keys()].filter((label) => label.startsWith('ibm')).map((label) => [label.slice(3), label] as const),
]);

/** Decodes a text in pieces, like `TextDecoder`. */
export interface PieceDecoder {
  /** Name of the encoding. */
  readonly encoding: string;
  /** Throws if the bytes are invalid and the decoder is fatal. A call without bytes ends the text. */
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/** True for a label of the Encoding Standard, and for a name of a code page (`ibm850`, `cp850`, `x-mac-ce`). */
export function isTextEncoding(label: string): boolean {
  try {
    findEncodingName(label);
    return true;
  } catch {
    return false;
  }
}

/** Returns the name of the encoding with a label. Throws a `RangeError` for an unknown label. */
export function findEncodingName(label: string): string {
  return createTextDecoder(label, false).encoding;
}

/** Creates a decoder. Throws a `RangeError` for an unknown label. */
export function createTextDecoder(label: string, fatal: boolean): PieceDecoder {
  const plain = label
    .trim()
    .toLowerCase()
    .replace(/^(?:cp|ibm)-?(?=\d)/, '');
  const name = ALIASES.get(plain) ?? plain;
  const codePage = CODE_PAGES.get(name);
  return codePage === undefined
    ? new TextDecoder(ALIASES.get(plain) ?? label, { fatal })
    : new CodePageDecoder(name, codePage, fatal);
}

const FIRST_CODE = 0x80;
const NO_CHARACTER = '\ufffd';

class CodePageDecoder implements PieceDecoder {
  readonly encoding: string;
  private readonly isFatal: boolean;
  /** The UTF-16 unit of each byte. */
  private readonly units: Uint16Array;

  constructor(name: string, upper: string, isFatal: boolean) {
    this.encoding = name;
    this.isFatal = isFatal;
    this.units = Uint16Array.from({ length: 256 }, (_, byte) =>
      byte < FIRST_CODE ? byte : upper.charCodeAt(byte - FIRST_CODE),
    );
  }

  decode(bytes: Uint8Array = new Uint8Array()): string {
    const { units } = this;
    const decoded = new Uint16Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) decoded[i] = units[bytes[i] as number] as number;
    const text = Buffer.from(decoded.buffer).toString('utf16le');
    if (this.isFatal && text.includes(NO_CHARACTER)) throw new TypeError(`invalid bytes for ${this.encoding}`);
    return text;
  }
}
