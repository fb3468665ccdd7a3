/** A tag in a text. */
export interface HtmlTag {
  /** In lower case. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly start: number;
  /** Position after the tag. */
  readonly end: number;
  /** Position after the text of an element whose content has no tags; else `end`. */
  readonly contentEnd: number;
}

/** Elements whose content is text. */
const TEXT_ELEMENTS: ReadonlySet<string> = new Set([
  'style',
  'script',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
]);
/** Maximum characters of a tag. A longer one counts as unfinished. */
const MAX_TAG_CHARACTERS = 4_000_000;
const NAME = /\/?([a-z][^\s/>]{0,40})/iy;
const [QUOTE, APOSTROPHE, EQUALS, GREATER] = [34, 39, 61, 62];

/** Finds the next tag outside comments; null if there is none. It reads each character at most twice. */
export function findNextTag(html: string, from: number): HtmlTag | null {
  for (let start = html.indexOf('<', from); start !== -1; start = html.indexOf('<', start)) {
    NAME.lastIndex = start + 1;
    const name = NAME.exec(html)?.[1]?.toLowerCase();
    if (name !== undefined) {
      const end = findTagEnd(html, start + 1 + name.length);
      if (end === -1) return null;
      const isEnd = html[start + 1] === '/';
      const contentEnd = !isEnd && TEXT_ELEMENTS.has(name) ? findTextEnd(html, end, name) : end;
      return { name, isEnd, start, end, contentEnd };
    }
    const isComment = html.startsWith('<!--', start);
    const end = isComment ? html.indexOf('-->', start + 4) : -1;
    if (isComment && end === -1) return null;
    start = isComment ? end : start + 1;
  }
  return null;
}

/** Position after the tag's `>`; quoted values may contain one. -1 if the tag has no end. */
function findTagEnd(html: string, from: number): number {
  let quote = 0;
  let isValueStart = false;
  const last = Math.min(html.length, from + MAX_TAG_CHARACTERS);
  for (let i = from; i < last; i++) {
    const code = html.charCodeAt(i);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === GREATER) return i + 1;
    else if (isValueStart && (code === QUOTE || code === APOSTROPHE)) quote = code;
    // Spaces may separate a value from its `=`.
    if (code > 32) isValueStart = quote === 0 && code === EQUALS;
  }
  return -1;
}

/** Start of the end tag of an element whose content is text. */
function findTextEnd(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
}

const QUOTED_OR_STYLE = /"[^"]*"|'[^']*'|\sstyle(?=\s*=)/gi;

/**
 * Renames style attributes and removes style elements: the content security policy forbids inline styles, and browsers
 * report them in parsed documents, too.
 */
export function disableStyles(html: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let tag = findNextTag(html, 0); tag !== null; tag = findNextTag(html, tag.contentEnd)) {
    const { name, isEnd, start, end, contentEnd } = tag;
    const text = html.slice(start, end);
    if (name === 'style' && !isEnd) parts.push(html.slice(copied, start));
    else if (/style/i.test(text))
      parts.push(
        html.slice(copied, start),
        text.replace(QUOTED_OR_STYLE, (part) => (/^\s/.test(part) ? ' data-style' : part)),
        html.slice(end, contentEnd),
      );
    else continue;
    copied = contentEnd;
  }
  return parts.join('') + html.slice(copied);
}

/** Texts of the style elements. */
export function listStyles(html: string): readonly string[] {
  const styles: string[] = [];
  for (let tag = findNextTag(html, 0); tag !== null; tag = findNextTag(html, tag.contentEnd))
    if (tag.name === 'style' && !tag.isEnd) styles.push(html.slice(tag.end, tag.contentEnd));
  return styles;
}
