/**
 * What `JSON.parse` makes of a text, with the names of its members as they were sent. V8 14.6 reads a name that holds an
 * escape as another one that it met in the same place before: after `{"":1,"\\":2}` it finds `\` in `{"":1,"\"":2}`.
 * Texts by themselves it reads rightly. Throws `SyntaxError`; recurses as deep as the text is nested.
 */
export function parseWithNames(text: string): unknown {
  // Says whether it is JSON: from here on every character is where it belongs.
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? new JsonReader(text).value() : value;
}

/** As `JSON.parse` does it: `__proto__` is a name like others. */
export function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}

/** A number or a word. */
const WORD = /[^\s,\]}]+/y;
/** What stands between values. */
const BETWEEN = /[\s,:]*/y;

/** Reads what is known to be JSON. */
class JsonReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  value(): unknown {
    const first = this.next();
    if (first === '[') return this.list();
    if (first === '{') return this.object();
    return this.scalar();
  }

  private list(): unknown[] {
    const values: unknown[] = [];
    this.at++;
    while (this.next() !== ']') values.push(this.value());
    this.at++;
    return values;
  }

  private object(): object {
    const members = {};
    this.at++;
    while (this.next() !== '}') {
      const name = String(this.scalar());
      setMember(members, name, this.value());
    }
    this.at++;
    return members;
  }

  private scalar(): unknown {
    const from = this.at;
    this.at = this.text[from] === '"' ? this.endOfText() : this.endOfWord();
    return JSON.parse(this.text.slice(from, this.at));
  }

  /** Behind the quote that ends a text. A loop, since a pattern would remember every character of a long one. */
  private endOfText(): number {
    let at = this.at + 1;
    while (this.text[at] !== '"') at += this.text[at] === '\\' ? 2 : 1;
    return at + 1;
  }

  private endOfWord(): number {
    WORD.lastIndex = this.at;
    WORD.exec(this.text);
    return WORD.lastIndex;
  }

  /** Goes to the next value or bracket; its first character. */
  private next(): string | undefined {
    BETWEEN.lastIndex = this.at;
    this.at += BETWEEN.exec(this.text)?.[0].length ?? 0;
    return this.text[this.at];
  }
}
