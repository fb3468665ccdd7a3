/** The rows of a CSV text by RFC 4180; line ends may be of any kind, and a last empty line is none. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const { field, end } = text[at] === '"' ? quotedField(text, at) : plainField(text, at);
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

interface Field {
  readonly field: string;
  /** Where what ends it stands. */
  readonly end: number;
}

function plainField(text: string, start: number): Field {
  let end = start;
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++;
  return { field: text.slice(start, end), end };
}

function quotedField(text: string, start: number): Field {
  let field = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { field: field + text.slice(at), end: text.length };
    field += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const rest = plainField(text, quote + 1);
      return { field: field + rest.field, end: rest.end };
    }
    field += '"';
    at = quote + 2;
  }
}
