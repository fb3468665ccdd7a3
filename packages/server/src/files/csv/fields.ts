const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Takes the fields of a CSV text in order. */
export interface FieldHandler {
  /** `quoted`: it stood in quotation marks. */
  field(text: string, quoted: boolean): void;
  endRow(): void;
}

/**
 * Splits CSV text (RFC 4180) that comes in pieces into fields. Lenient where files are: rows may be ragged, line ends
 * may be CRLF, LF or CR in one file, and text after a closing quotation mark belongs to the field.
 * Libraries tell quoted fields from others only at many times the cost of all the rest, and typing needs to know.
 */
export class FieldSplitter {
  /** The field that the last piece broke off in, from its start. */
  private rest = '';
  /** Whether a delimiter was read after which a field must follow, be it empty. */
  private due = false;
  private readonly delimiter: number;
  private readonly handler: FieldHandler;

  constructor(delimiter: string, handler: FieldHandler) {
    this.delimiter = delimiter.charCodeAt(0);
    this.handler = handler;
  }

  /** Characters of the field under way. */
  get pending(): number {
    return this.rest.length;
  }

  write(piece: string): void {
    this.split(this.rest + piece, false);
  }

  /** False when a quotation mark was never closed: the field under way is then not given. */
  end(): boolean {
    this.split(this.rest, true);
    if (this.rest !== '') return false;
    if (this.due) {
      this.handler.field('', false);
      this.handler.endRow();
    }
    this.due = false;
    return true;
  }

  private split(text: string, final: boolean): void {
    let at = 0;
    while (at < text.length) {
      const end = text.charCodeAt(at) === QUOTE ? this.quotedField(text, at, final) : this.plainField(text, at, final);
      if (end < 0) break;
      at = this.endField(text, end);
    }
    this.rest = text.slice(at);
  }

  /** Gives the field and the place of what ends it; -1 where the text does not reach so far. */
  private plainField(text: string, start: number, final: boolean): number {
    const end = this.terminator(text, start, final);
    if (end >= 0) this.handler.field(text.slice(start, end), false);
    return end;
  }

  private quotedField(text: string, start: number, final: boolean): number {
    let close = text.indexOf('"', start + 1);
    let doubled = false;
    while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) {
      doubled = true;
      close = text.indexOf('"', close + 2);
    }
    if (close < 0 || (close + 1 === text.length && !final)) return -1;
    const end = this.terminator(text, close + 1, final);
    if (end < 0) return -1;
    const inside = text.slice(start + 1, close);
    this.handler.field((doubled ? inside.replaceAll('""', '"') : inside) + text.slice(close + 1, end), true);
    return end;
  }

  /** The next delimiter or line end; a CR that may be half of one waits for the next piece. */
  private terminator(text: string, from: number, final: boolean): number {
    for (let i = from; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === this.delimiter || code === LF) return i;
      if (code === CR) return i + 1 < text.length || final ? i : -1;
    }
    return final ? text.length : -1;
  }

  /** Takes what ends a field; the place of the next one. */
  private endField(text: string, end: number): number {
    const code = text.charCodeAt(end);
    this.due = code === this.delimiter;
    if (this.due) return end + 1;
    this.handler.endRow();
    return code === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
  }
}
