import type { Block, LocaleId } from '@cellwire/engine';
import type { SentCell, SentCells } from '../cells/inputs.ts';
import { measureLongest } from '../longest.ts';
import { CELLS_GONE, isRefusal, type Refusal } from '../refusal.ts';
import type { CellPlace, RebasedPlaces } from './places.ts';

/** Context for translating the texts of a request. */
export interface RebaseContext {
  readonly places: RebasedPlaces;
  readonly locale: LocaleId | null;
}

/** A block of values and its range. */
export interface RequestBlock {
  readonly range: string;
  readonly values: SentCells;
}

interface BlockForm {
  /** True: the values of deleted cells are left out. */
  readonly dropsGone?: boolean;
  /** True: each list of values belongs to a column. */
  readonly isByColumns?: boolean;
}

/**
 * A block of values at the current places of its cells. Refused if a cell with a value other than null is deleted, with
 * `dropsGone` only if all cells are. Also refused if the cells were moved apart.
 */
export function rebaseBlock(
  { range, values }: RequestBlock,
  { places, locale }: RebaseContext,
  { dropsGone = false, isByColumns = false }: BlockForm = {},
): RequestBlock | Refusal {
  const block = places.parseEarlierBlock(range);
  if (isRefusal(block)) return block;
  if (block === null) return CELLS_GONE;
  const { sheet, area } = block;
  if (!places.isFollowed(sheet)) return { range, values };
  const longest = Math.max(1, measureLongest(values));
  const count = values.length * longest;
  if (!places.canFollow(count)) {
    const [rows, columns] = isByColumns ? [longest, values.length] : [values.length, longest];
    const { top, left } = area;
    return rebaseLargeBlock(
      values,
      { sheet, area: { top, left, bottom: top + rows - 1, right: left + columns - 1 } },
      places,
    );
  }
  const toEarlierCell = (i: number, j: number): CellPlace =>
    isByColumns
      ? { sheet, row: area.top + j, column: area.left + i }
      : { sheet, row: area.top + i, column: area.left + j };
  const placed = values.map((line, i) => line.map((_, j) => places.mapCell(toEarlierCell(i, j))));
  const all: CellPlace[] = [];
  for (const [i, line] of placed.entries()) {
    for (const [j, place] of line.entries()) {
      if (place !== null) all.push(place);
      else if (values[i]?.[j] !== null && !dropsGone) return CELLS_GONE;
    }
  }
  const [first] = all;
  if (first === undefined) return CELLS_GONE;
  const [top, bottom] = findExtremes(all, ({ row }) => row);
  const [left, right] = findExtremes(all, ({ column }) => column);
  if (all.some((place) => place.sheet !== first.sheet)) return CELLS_GONE;
  const [rows, columns] = [bottom - top + 1, right - left + 1];
  // Inserted rows or columns leave gaps. If there are far more gaps than cells, the block counts as split.
  if (rows * columns > Math.max(MAX_GAPS, 4 * count)) return CELLS_GONE;
  const [lineCount, lineLength] = isByColumns ? [columns, rows] : [rows, columns];
  const lines = Array.from({ length: lineCount }, () => new Array<SentCell>(lineLength).fill(null));
  for (const [i, line] of values.entries()) {
    for (const [j, value] of line.entries()) {
      const place = placed[i]?.[j];
      if (!place) continue;
      const [row, column] = [place.row - top, place.column - left];
      const target = lines[isByColumns ? column : row];
      if (target) target[isByColumns ? row : column] = rebaseValue(value, { places, locale }, toEarlierCell(i, j));
    }
  }
  return {
    range: places.formatBlock({ sheet: first.sheet, area: { top, left, bottom: top, right: left } }),
    values: lines,
  };
}

/** A very large block is translated as a whole. It is refused if its size changed, or if it has formulas or objects. */
function rebaseLargeBlock(values: SentCells, filled: Block, places: RebasedPlaces): RequestBlock | Refusal {
  const isPlain = values.every((line) =>
    line.every((value) => (typeof value !== 'object' || value === null) && !isFormula(value)),
  );
  const after = places.mapArea(filled);
  if (after === null || !isPlain) return CELLS_GONE;
  const { top, left, bottom, right } = after.area;
  const isSameSize =
    bottom - top === filled.area.bottom - filled.area.top && right - left === filled.area.right - filled.area.left;
  const first = { sheet: after.sheet, area: { top, left, bottom: top, right: left } };
  return isSameSize ? { range: places.formatBlock(first), values } : CELLS_GONE;
}

function isFormula(value: SentCell): boolean {
  return typeof value === 'string' && value.startsWith('=');
}

/** Up to this number of cells, a block may consist mostly of unchanged cells between the sent ones. */
const MAX_GAPS = 10_000;

/**
 * Returns the minimum and maximum of a coordinate. `Math.min` takes its values as arguments, and a list of a million
 * values exceeds their limit.
 */
function findExtremes(
  cells: readonly CellPlace[],
  getCoordinate: (place: CellPlace) => number,
): readonly [number, number] {
  let [least, greatest] = [Number.MAX_SAFE_INTEGER, 0];
  for (const place of cells) {
    least = Math.min(least, getCoordinate(place));
    greatest = Math.max(greatest, getCoordinate(place));
  }
  return [least, greatest];
}

function rebaseValue(value: SentCell, { places, locale }: RebaseContext, cell: CellPlace): SentCell {
  if (typeof value === 'string') return places.mapFormulaText(value, locale, cell);
  if (typeof value !== 'object' || value === null || value['as'] !== 'formula') return value;
  const { value: text } = value;
  return typeof text === 'string' ? { ...value, value: places.mapFormulaText(text, null, cell) } : value;
}
