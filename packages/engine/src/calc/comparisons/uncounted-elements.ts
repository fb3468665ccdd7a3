import type { CallNode } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import { countSelected } from '../../functions/selection/selected-statistics.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference, type SheetArea, type Value } from '../../functions/value.ts';
import { NA } from '../../value/errors.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { isNumber, readColumn, unwrapWholeArray } from './range-conditions.ts';

/**
 * `MATCH(0;COUNTIF(H$1:H8;A$1:A$9);0)` finds the first element of a range that no cell above the formula contains. Older
 * workbooks list distinct values with such formulas. The counts do not decrease when the counted range grows, so each
 * search continues the search of the formula above.
 */

/** A search in a range for an element that the counted range does not contain. */
interface GrowingSearch {
  /** The wave of the last search; see `SheetReader.wave`. */
  wave: number;
  /** The last counted row. */
  bottom: number;
  /** Index of the first element that may be uncounted. */
  position: number;
}

/** Owner of the searches in a range; see `FunctionContext.getRangeState`. */
const SEARCHES = {};

/** Returns the calculation that replaces a call of MATCH; null if there is none. Its value is null for arrays. */
export function compileUncountedSearch(
  { args }: CallNode,
  { comparisons }: FunctionSpec,
): ((e: Evaluation) => Value | null) | null {
  const [wanted, array, type] = args;
  if (comparisons !== 'position' || !isNumber(wanted, 0) || !isNumber(type, 0) || array === undefined) return null;
  const call = unwrapWholeArray(array);
  if (call.k !== 'call' || FUNCTIONS.get(call.name)?.distinct !== 'countedEqual') return null;
  const [counted, list] = call.args;
  if (counted?.k !== 'area' || list?.k !== 'area' || !list.top.absolute || !list.bottom.absolute) return null;
  const [countedCode, listCode] = [compileArea(counted), compileArea(list)];
  return (e) => {
    const range = countedCode(e, null);
    const elements = readColumn(e, listCode);
    if (!(range instanceof Reference) || range.areas.length > 1 || elements === null) return null;
    const [area] = elements.areas;
    const search = continueSearch(e, range.areas[0], area);
    const rows = area.bottom - area.top + 1;
    for (; search !== null && search.position < rows; search.position++) {
      e.spendCells(1);
      const element = e.readCell(area.sheet, area.top + search.position, area.left);
      const count = countSelected(e, [range, element]);
      if (typeof count !== 'number') return null;
      if (count === 0) break;
    }
    if (search === null) return null;
    if (e.formats !== null) e.formats.last = 0;
    return search.position === rows ? NA : search.position + 1;
  };
}

/**
 * The search of the formula whose counted range ends one row above, or a new search. Null if formulas are calculated on
 * demand.
 *
 * A search continues only within one wave. A wave calculates each formula once, after the cells that it reads. The
 * counted cells of the formula above therefore keep their values until the end of the wave, except where an array grows
 * into them; the next wave then calculates all formulas again that read them. Between waves the counted cells can
 * change, and formulas of different runs have no order.
 */
function continueSearch(e: Evaluation, counted: SheetArea, list: SheetArea): GrowingSearch | null {
  const searches = e.getRangeState(SEARCHES, [list], () => new Map<string, GrowingSearch>(), 'moved');
  if (searches === null) return null;
  const { wave } = e;
  const { sheet, top, bottom, left, right } = counted;
  const key = [sheet, top, left, right, list.top, list.bottom].join();
  const known = searches.get(key);
  const search = known?.wave === wave && known.bottom === bottom - 1 ? known : { wave, bottom, position: 0 };
  search.bottom = bottom;
  searches.set(key, search);
  return search;
}
