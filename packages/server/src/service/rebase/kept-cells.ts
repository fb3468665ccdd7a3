import type { Area, Block, Edit } from '@cellwire/engine';

/** A copy of a matrix with null, which leaves a cell unchanged, in place of the values of these areas. */
export function matrixWithout<T>(
  values: readonly (readonly T[])[],
  { row: top, column: left }: { readonly row: number; readonly column: number },
  areas: readonly Area[],
): readonly (readonly (T | null)[])[] {
  const lines: (readonly (T | null)[])[] = [...values];
  for (const area of areas) {
    const lastRow = Math.min(area.bottom, top + lines.length - 1);
    for (let row = Math.max(area.top, top); row <= lastRow; row++) {
      const line = [...(lines[row - top] ?? [])];
      const end = Math.min(area.right - left + 1, line.length);
      if (area.left - left < end) line.fill(null, Math.max(0, area.left - left), end);
      lines[row - top] = line;
    }
  }
  return lines;
}

/** The edits without these cells; null if that is impossible, because an edit does more than enter values. */
export function valueEditsWithout(edits: readonly Edit[], cells: readonly Block[]): readonly Edit[] | null {
  const rest: Edit[] = [];
  for (const edit of edits) {
    if (edit.kind !== 'setValues') return null;
    const { sheet, row, column, values } = edit;
    const own = cells.filter((block) => block.sheet === sheet).map(({ area }) => area);
    rest.push({ ...edit, values: matrixWithout(values, { row, column }, own) });
  }
  return rest;
}
