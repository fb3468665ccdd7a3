import type { Input } from '../../src/index.ts';
import { createDraw, drawElement } from './draw.ts';

/** Values from which cells are drawn. */
interface CellValues {
  readonly keys: readonly Input[];
  readonly texts: readonly Input[];
  /** Values that replace some cells of one column. */
  readonly odd: readonly Input[];
}

/** Creates rows of a key, a number, a date and a text. No column has odd values if `oddColumn` is too large. */
export function createMixedRows(
  rows: number,
  seed: number,
  { keys, texts, odd }: CellValues,
  oddColumn: number,
): Input[][] {
  const draw = createDraw(seed);
  return Array.from({ length: rows }, () => {
    const day = `2026-${String(1 + draw(4)).padStart(2, '0')}-${10 + draw(9)}`;
    const cells: Input[] = [drawElement(draw, keys), (draw(40) - 10) / 4, day, drawElement(draw, texts)];
    if (draw(12) === 0 && oddColumn < cells.length) cells[oddColumn] = drawElement(draw, odd);
    return cells;
  });
}
