import type { Attributes } from '../xml.ts';
import { escapeText } from './text.ts';

/** Attributes as text, each with a blank before it; those of other namespaces belong to extensions and are left out. */
export function attributesText(attributes: Attributes, omitted: ReadonlySet<string> = NONE): string {
  let text = '';
  for (const name in attributes) {
    if (name.includes(':') || name === 'xmlns' || omitted.has(name)) continue;
    text += ` ${name}="${attributeText(attributes[name] as string)}"`;
  }
  return text;
}

const NONE: ReadonlySet<string> = new Set();

/** As it was read: without the escapes of `ST_Xstring`, which only some attributes have. */
function attributeText(value: string): string {
  return value.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\t\n\r]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/**
 * Writes elements anew as they are read, in the namespace of their part and without what extensions added: equal ones
 * have equal texts, and nothing but elements and attributes of the standard comes through.
 */
export class XmlCopy {
  text = '';
  private readonly maxLength: number;
  private depth = 0;
  /** Depth of the extension that is passed over; 0 for none. */
  private skipped = 0;
  private isOpen = false;

  /** `maxLength`: characters after which nothing more is taken in. */
  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  get isTooLong(): boolean {
    return this.text.length > this.maxLength;
  }

  open(name: string, attributes: Attributes): void {
    this.depth++;
    if (this.skipped > 0 || this.isTooLong) return;
    if (name === 'extLst' || name.includes(':')) {
      this.skipped = this.depth;
      return;
    }
    this.endTag();
    this.text += `<${name}${attributesText(attributes)}`;
    this.isOpen = true;
  }

  characters(text: string): void {
    if (this.skipped > 0 || this.isTooLong || text.trim() === '') return;
    this.endTag();
    this.text += escapeText(text);
  }

  /** Whether the first element that was opened is closed with it. */
  close(name: string): boolean {
    if (this.skipped > 0) {
      if (this.skipped === this.depth) this.skipped = 0;
    } else if (!this.isTooLong) {
      this.text += this.isOpen ? '/>' : `</${name}>`;
      this.isOpen = false;
    }
    return --this.depth === 0;
  }

  private endTag(): void {
    if (this.isOpen) this.text += '>';
    this.isOpen = false;
  }
}
