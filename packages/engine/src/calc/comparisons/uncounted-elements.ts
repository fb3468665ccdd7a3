import type { CallNode, Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import { countSelected } from '../../functions/selection/selected-statistics.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference, type SheetArea, type Value } from '../../functions/value.ts';
import { NA } from '../../value/errors.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { readColumn, unwrapWholeArray } from './range-conditions.ts';

/**
 * `MATCH(0;COUNTIF(H$1:H8;A$1:A$9);0)`, by which older workbooks list different values: the first element of a range that
 * no cell above contains. Further rows of a growing range only count more, so that each search continues the search of
 * the formula above.
 */

/** A search in a range, for the first rows of another range. */
interface GrowingSearch {
  /** The last counted row. */
  bottom: number;
  /** All elements before this one were found. */
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
  if (comparisons !== 'position' || !isZero(wanted) || !isZero(type) || array === undefined) return null;
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

function isZero(node: Node | undefined): boolean {
  return node?.k === 'number' && node.value === 0;
}

/**
 * The search of the formula whose counted range ends one row above, or a new search. The cells of that range have not
 * changed since: formulas are calculated after the cells that they read. Null if formulas are calculated on demand.
 */
function continueSearch(e: Evaluation, counted: SheetArea, list: SheetArea): GrowingSearch | null {
  const searches = e.getRangeState(SEARCHES, [list], () => new Map<string, GrowingSearch>(), 'moved');
  if (searches === null) return null;
  const { sheet, top, bottom, left, right } = counted;
  const key = [sheet, top, left, right, list.top, list.bottom].join();
  const known = searches.get(key);
  const search = known?.bottom === bottom - 1 ? known : { bottom, position: 0 };
  search.bottom = bottom;
  searches.set(key, search);
  return search;
}
