/** Cells as tables between programs carry them: tabs between columns, lines between rows, quoted where they must be. */
export function formatTsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quoteCell).join('\t')).join('\n');
}

function quoteCell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reads such a text. A last line's end begins no row. */
export function parseTsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const end = text.length;
  while (at <= end) {
    const isQuoted = text[at] === '"';
    const [cell, next] = isQuoted ? readQuotedCell(text, at) : readPlainCell(text, at);
    row.push(cell);
    at = next;
    const mark = text[at];
    if (mark === '\t') {
      at++;
      continue;
    }
    rows.push(row);
    row = [];
    if (mark === '\r' && text[at + 1] === '\n') at++;
    at++;
    if (at >= end) break;
  }
  return rows;
}

function readPlainCell(text: string, from: number): readonly [cell: string, next: number] {
  let at = from;
  while (at < text.length && text[at] !== '\t' && text[at] !== '\n' && text[at] !== '\r') at++;
  return [text.slice(from, at), at];
}

/** A quote that is never closed, or followed by more of the cell, is a character like others. */
function readQuotedCell(text: string, from: number): readonly [cell: string, next: number] {
  let cell = '';
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== '"') {
      cell += text[at];
      continue;
    }
    if (text[at + 1] === '"') {
      cell += '"';
      at++;
      continue;
    }
    const after = text[at + 1];
    if (after === undefined || after === '\t' || after === '\n' || after === '\r') return [cell, at + 1];
    break;
  }
  return readPlainCell(text, from);
}
