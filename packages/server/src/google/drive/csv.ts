/** The rows of a CSV text according to RFC 4180. Any kind of line end is accepted; an empty last line is ignored. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const { field, end } = text[at] === '"' ? readQuotedField(text, at) : readPlainField(text, at);
    row.push(field);
    const mark = text[end];
    at = end + 1;
    if (mark === ',') continue;
    if (mark === '\r' && text[at] === '\n') at++;
    rows.push(row);
    row = [];
    if (mark === undefined) break;
  }
  const last = rows.at(-1);
  if (last?.length === 1 && last[0] === '') rows.pop();
  return rows;
}

interface CsvField {
  readonly field: string;
  /** Position of the delimiter after the field. */
  readonly end: number;
}

function readPlainField(text: string, start: number): CsvField {
  let end = start;
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++;
  return { field: text.slice(start, end), end };
}

function readQuotedField(text: string, start: number): CsvField {
  let field = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { field: field + text.slice(at), end: text.length };
    field += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const rest = readPlainField(text, quote + 1);
      return { field: field + rest.field, end: rest.end };
    }
    field += '"';
    at = quote + 2;
  }
}
