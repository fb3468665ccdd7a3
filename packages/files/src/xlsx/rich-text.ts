import type { XmlAttributes } from '../archive/xml.ts';
import { MAX_ATTACHMENT_LENGTH } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { escapeCharacters, formatTextElement, unescapeText } from './text.ts';
import { XmlCopy } from './xml-copy.ts';

/** Matches leading or trailing blanks, which readers drop unless the element preserves them. */
const OUTER_BLANKS = /^\s|\s$/;
/** Elements that are copied instead of read as text: formatted runs, phonetic readings and their properties. */
const COPIED_ELEMENTS = new Set(['r', 'rPh', 'phoneticPr']);

/** A child of the container: plain text, or a formatted run as an element. */
type RichTextPart = { readonly text: string } | { readonly run: string };

/**
 * Reads the content of a text container (`si` or `is`; ECMA-376 part 1, §18.4.8): plain texts, formatted runs and
 * phonetic readings in any order. Each `t` is unescaped separately, because an escape cannot extend over two of them.
 */
export class RichTextReader {
  /** The text so far, without phonetic readings. */
  text = '';
  /** True if parts of the text are formatted or have phonetic readings. */
  isRich = false;
  private readonly leftOut: LeftOut;
  /** The parts of the text; null until the first copied element, because most texts have none. */
  private parts: RichTextPart[] | null = null;
  private readings = '';
  private length = 0;
  /** The child that is being copied, and its name. */
  private copy: XmlCopy | null = null;
  private copied = '';
  /** Content of the open `t` before unescaping, or null; and the attributes of `t`. */
  private raw: string | null = null;
  private attributes: XmlAttributes = {};

  constructor(leftOut: LeftOut) {
    this.leftOut = leftOut;
  }

  /** Starts a new container. */
  startContainer(): void {
    this.text = '';
    this.isRich = false;
    this.parts = null;
    this.readings = '';
    this.length = 0;
    this.copy = null;
    this.copied = '';
    this.raw = null;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.copy === null && COPIED_ELEMENTS.has(name)) {
      this.parts ??= this.text === '' ? [] : [{ text: this.text }];
      this.isRich ||= name !== 'phoneticPr';
      this.copy = new XmlCopy(MAX_ATTACHMENT_LENGTH, { prefixes: ['xml'], blanks: true });
      this.copied = name;
    }
    if (name === 't') {
      this.raw = '';
      this.attributes = attributes;
    } else this.copy?.openElement(name, attributes);
  }

  /** Adds the characters of a text element. Ignores characters outside of text elements. */
  addCharacters(text: string): void {
    if (this.raw !== null) this.raw += text;
  }

  closeElement(name: string): void {
    if (name === 't') this.endText();
    if (this.copy?.closeElement(name) !== true) return;
    const { text, isTooLong } = this.copy;
    this.copy = null;
    // Text that is not copied counts, too.
    this.length += isTooLong ? MAX_ATTACHMENT_LENGTH + 1 : text.length;
    if (this.copied === 'r') this.parts?.push({ run: text });
    else this.readings += text;
  }

  /**
   * Returns the content of the container. Plain texts next to runs become runs without a format. Null if it is too
   * long.
   */
  buildContent(): string | null {
    const parts = this.parts ?? [];
    if (this.length > MAX_ATTACHMENT_LENGTH) return null;
    const hasRuns = parts.some((part) => 'run' in part);
    const elements = parts.map((part) => {
      if ('run' in part) return part.run;
      return hasRuns ? `<r>${formatTextElement(part.text)}</r>` : formatTextElement(part.text);
    });
    return elements.join('') + this.readings;
  }

  /** Ends a text element: adds its text to the copied XML and, unless it is a phonetic reading, to the plain text. */
  private endText(): void {
    const text = unescapeText(this.raw ?? '', this.leftOut);
    this.raw = null;
    this.copy?.openElement(
      't',
      OUTER_BLANKS.test(text) ? { ...this.attributes, 'xml:space': 'preserve' } : this.attributes,
    );
    if (text !== '') this.copy?.addCharacters(escapeCharacters(text));
    if (this.copied === 'rPh' && this.copy !== null) return;
    this.text += text;
    if (this.copy !== null || this.parts === null) return;
    this.parts.push({ text });
    this.length += text.length;
  }
}
