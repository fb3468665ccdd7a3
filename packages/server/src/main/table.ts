/** Formats rows as a text table with headings. Returns `none` if there are no rows. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none;
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => measureWidth(line[column] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((text, column) => padText(text, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats a count with its noun: `1 row`, `2 rows`. `noun`: its singular; the plural must end in `s`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats items after their noun: `row 1`, `rows 1, 2`. `noun`: its singular; the plural must end in `s`. */
export function formatNamedItems(noun: string, items: readonly (string | number)[]): string {
  return `${noun}${items.length === 1 ? '' : 's'} ${items.join(', ')}`;
}

function padText(text: string, length: number): string {
  return text + ' '.repeat(Math.max(0, length - measureWidth(text)));
}

function measureWidth(text: string): number {
  return [...text].length;
}
