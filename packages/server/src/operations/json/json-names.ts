/**
 * Like `JSON.parse`, but with correct member names. V8 14.6 may read a name with an escape as another name that it has
 * parsed in the same place before: after `{"":1,"\\":2}` it finds `\` in `{"":1,"\"":2}`. It parses single strings
 * correctly. Throws `SyntaxError`. The recursion is as deep as the nesting of the text.
 */
export function parseWithNames(text: string): unknown {
  // Throws if the text is not valid JSON. The code below relies on valid JSON.
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? new JsonReader(text).readValue() : value;
}

/** Sets a member like `JSON.parse`: `__proto__` is an ordinary name. */
export function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}

/** A number or a literal. */
const WORD = /[^\s,\]}]+/y;
/** Characters between values. */
const BETWEEN = /[\s,:]*/y;

/** Parses valid JSON. */
class JsonReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readValue(): unknown {
    const first = this.skipToNext();
    if (first === '[') return this.readList();
    if (first === '{') return this.readObject();
    return this.readScalar();
  }

  private readList(): unknown[] {
    const values: unknown[] = [];
    this.at++;
    while (this.skipToNext() !== ']') values.push(this.readValue());
    this.at++;
    return values;
  }

  private readObject(): object {
    const members = {};
    this.at++;
    while (this.skipToNext() !== '}') {
      const name = String(this.readScalar());
      setMember(members, name, this.readValue());
    }
    this.at++;
    return members;
  }

  /** Reads a text, number, boolean or null at the current position. */
  private readScalar(): unknown {
    const from = this.at;
    this.at = this.text[from] === '"' ? this.findEndOfText() : this.findEndOfWord();
    return JSON.parse(this.text.slice(from, this.at));
  }

  /**
   * Index after the quote that ends a string. A regular expression would use memory for each character of a long
   * string.
   */
  private findEndOfText(): number {
    let at = this.at + 1;
    while (this.text[at] !== '"') at += this.text[at] === '\\' ? 2 : 1;
    return at + 1;
  }

  private findEndOfWord(): number {
    WORD.lastIndex = this.at;
    WORD.exec(this.text);
    return WORD.lastIndex;
  }

  /** Advances to the next value or bracket and returns its first character. */
  private skipToNext(): string | undefined {
    BETWEEN.lastIndex = this.at;
    this.at += BETWEEN.exec(this.text)?.[0].length ?? 0;
    return this.text[this.at];
  }
}
