import type { XmlAttributes } from '../archive/xml.ts';

/**
 * Formats attributes as text, each preceded by a blank. Attributes of other namespaces belong to extensions and are
 * omitted.
 */
export function formatAttributes(attributes: XmlAttributes, omitted: ReadonlySet<string> = NONE): string {
  let text = '';
  for (const name in attributes) {
    if (name.includes(':') || name === 'xmlns' || omitted.has(name)) continue;
    text += ` ${name}="${escapeAttributeValue(attributes[name] as string)}"`;
  }
  return text;
}

const NONE: ReadonlySet<string> = new Set();

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes an attribute value. `ST_Xstring` escapes are kept as read, because only some attributes use them. */
export function escapeAttributeValue(value: string): string {
  return value.replace(/[&<>"\t\n\r]/g, (c) => ENTITIES[c] ?? `&#${c.charCodeAt(0)};`);
}

/** Escapes text between elements. */
function escapeContent(text: string): string {
  return text.replace(/[&<>\r]/g, (c) => ENTITIES[c] ?? `&#${c.charCodeAt(0)};`);
}

/** Options of a copy. */
interface XmlCopyOptions {
  /** True to copy elements of extensions with a known prefix. */
  readonly extensions?: boolean;
  /** Copies attributes with these namespace prefixes. */
  readonly prefixes?: readonly string[];
  /** True to copy texts that consist of blanks. */
  readonly blanks?: boolean;
  /** Returns which parts of an element are formulas: its text, or the attributes with the returned names. */
  readonly formulasIn?: (name: string, attributes: XmlAttributes) => 'text' | readonly string[];
  /** Attributes of the first element that are not copied. */
  readonly omitted?: ReadonlySet<string>;
}

/**
 * Copies elements as text, in the namespace of their part and by default without extensions. Equal elements give equal
 * texts, and unknown content is dropped.
 */
export class XmlCopy {
  /** Texts before, between and after the formulas: one more than the formulas. */
  readonly texts: string[] = [''];
  readonly formulas: string[] = [];
  private readonly maxLength: number;
  private readonly options: XmlCopyOptions;
  private length = 0;
  private depth = 0;
  /** Depth of the skipped extension; 0 for none. */
  private skipped = 0;
  private isOpen = false;
  /** Depth of the element whose text is a formula; 0 for none. */
  private formulaDepth = 0;
  private formula = '';

  /** `maxLength`: the length after which nothing more is copied. */
  constructor(maxLength: number, options: XmlCopyOptions = {}) {
    this.maxLength = maxLength;
    this.options = options;
  }

  get isTooLong(): boolean {
    return this.length > this.maxLength;
  }

  /** The whole copy, if it has no formulas. */
  get text(): string {
    return this.texts.join('');
  }

  openElement(name: string, attributes: XmlAttributes): void {
    this.depth++;
    if (this.skipped > 0 || this.isTooLong) return;
    const isExtension = name === 'extLst' || name.includes(':');
    if (isExtension && (!this.options.extensions || name.startsWith('?'))) {
      this.skipped = this.depth;
      return;
    }
    this.endTag();
    this.appendText(`<${name}`);
    const formulas = this.options.formulasIn?.(name, attributes) ?? [];
    this.addAttributes(attributes, formulas === 'text' ? [] : formulas);
    this.isOpen = true;
    if (formulas === 'text') {
      this.formulaDepth = this.depth;
      this.formula = '';
    }
  }

  /** Adds text between tags: to the formula if one is open, else to the copied XML. */
  addCharacters(text: string): void {
    if (this.skipped > 0 || this.isTooLong) return;
    if (this.formulaDepth > 0) {
      this.formula += text;
      this.length += text.length;
    } else if (this.options.blanks || text.trim() !== '') {
      this.endTag();
      this.appendText(escapeContent(text));
    }
  }

  /** Closes an element. Returns true for the first element that was opened. */
  closeElement(name: string): boolean {
    if (this.skipped > 0) {
      if (this.skipped === this.depth) this.skipped = 0;
    } else if (!this.isTooLong) {
      if (this.formulaDepth === this.depth) this.endFormula();
      this.appendText(this.isOpen ? '/>' : `</${name}>`);
      this.isOpen = false;
    }
    return --this.depth === 0;
  }

  private appendText(text: string): void {
    this.texts[this.texts.length - 1] += text;
    this.length += text.length;
  }

  private addAttributes(attributes: XmlAttributes, formulas: readonly string[]): void {
    const { prefixes = [], omitted } = this.options;
    for (const name in attributes) {
      const colon = name.indexOf(':');
      // Files may use any prefix for relationship ids.
      const isLink = colon >= 0 && name.endsWith(':id') && prefixes.includes('r');
      if (name === 'xmlns' || (colon >= 0 && !isLink && !prefixes.includes(name.slice(0, colon)))) continue;
      if (this.depth === 1 && omitted?.has(name)) continue;
      const value = attributes[name] as string;
      if (formulas.includes(name)) {
        this.appendText(` ${name}="`);
        this.addFormula(value);
        this.appendText('"');
      } else this.appendText(` ${isLink ? 'r:id' : name}="${escapeAttributeValue(value)}"`);
    }
  }

  /** Adds a formula and begins the text after it. */
  private addFormula(text: string): void {
    this.formulas.push(text);
    this.texts.push('');
    this.length += text.length;
  }

  /** Ends a formula: the XML is split there, so that the formula can change. */
  private endFormula(): void {
    this.formulaDepth = 0;
    this.endTag();
    this.addFormula(this.formula);
  }

  private endTag(): void {
    if (this.isOpen) this.appendText('>');
    this.isOpen = false;
  }
}

/** Joins texts with the formulas between them. */
export function joinWithFormulas(texts: readonly string[], formulas: readonly string[]): string {
  return texts.map((text, i) => (i === 0 ? text : escapeAttributeValue(formulas[i - 1] ?? '') + text)).join('');
}
