/**
 * The rows of a text with delimited fields. A field that begins with a quotation mark ends at the next single one, and
 * may contain delimiters, line breaks and doubled quotation marks (RFC 4180). A line break at the end adds no row.
 */
export function* parseDelimitedRows(text: string, delimiter: string): Generator<readonly string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length || row.length > 0) {
    const quoted = text[at] === '"' ? readQuotedField(text, at, delimiter) : null;
    const { field, end } = quoted ?? readPlainField(text, at, delimiter);
    row.push(field);
    at = end;
    if (at < text.length && text.startsWith(delimiter, at)) {
      at += delimiter.length;
      continue;
    }
    yield row;
    row = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
}

interface DelimitedField {
  readonly field: string;
  /** The position of the delimiter or line break after it. */
  readonly end: number;
}

/** Reads an unquoted field from `start` to the next delimiter, the end of the row or the end of the text. */
function readPlainField(text: string, start: number, delimiter: string): DelimitedField {
  let end = start;
  while (end < text.length && !isFieldEnd(text, end, delimiter)) end++;
  return { field: text.slice(start, end), end };
}

/** Null if the field has no closing quotation mark, or text after it. */
function readQuotedField(text: string, start: number, delimiter: string): DelimitedField | null {
  const parts: string[] = [];
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return null;
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') {
      const end = quote + 1;
      return end === text.length || isFieldEnd(text, end, delimiter) ? { field: parts.join('"'), end } : null;
    }
    from = quote + 2;
  }
}

function isFieldEnd(text: string, offset: number, delimiter: string): boolean {
  return text[offset] === '\n' || text[offset] === '\r' || text.startsWith(delimiter, offset);
}
