import type { AreaNode, CallNode, Node } from '../formula/ast.ts';
import type { FunctionSpec } from '../functions/spec.ts';
import { Reference, type SheetArea, type Value } from '../functions/value.ts';
import { hasWildcard } from '../functions/wildcard.ts';
import { resolveCoordinate } from '../graph/precedent.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { NA } from '../value/errors.ts';
import type { Evaluation } from './evaluation.ts';

/**
 * Looks up one value in a column, either by the column's index or by a binary search of sorted numbers. This is faster
 * than calling the function. Returns null if the caller must call the function (wildcards, blanks, columns without an
 * index).
 */
export type CompiledLookup = (e: Evaluation, target: number | string) => Value | null;

/** Compiles a call of a lookup function to a search that replaces the call; null if the call must be made. */
export function compileLookupCode(node: CallNode, spec: FunctionSpec): CompiledLookup | null {
  switch (spec.lookup) {
    case 'table':
      return compileTableLookup(node);
    case 'position':
      return compilePositionLookup(node);
    case 'result':
      return compileResultLookup(node);
    default:
      return null;
  }
}

/** Finds the row of a value in a column. Returns -1 for none; null if the caller must call the function. */
type LookupSearch = (e: Evaluation, searched: SheetArea, value: number | string) => number | null;
/** Returns the result for a row that was found; null if the caller must call the function. */
type LookupResult = (e: Evaluation, searched: SheetArea, row: number) => Value | null;

/** The first row with an equal value. Wildcards are left to the function. */
const findExactRow: LookupSearch = (e, searched, value) =>
  typeof value === 'string' && hasWildcard(value) ? null : e.findFirstRowWithValue(searched, value);

/** The row of the last number not greater than the value, in an ascending column. Texts are left to the function. */
const findSortedRow: LookupSearch = (e, searched, value) =>
  typeof value === 'string' || searched.bottom === MAX_ROWS - 1 ? null : e.findLastRowAtMost(searched, value);

/** The search mode of MATCH and VLOOKUP by their last argument; null if it is negative or not a constant. */
function findSearch(last: Node | undefined): LookupSearch | null {
  if (last === undefined) return findSortedRow;
  if (last.k === 'boolean') return last.value ? findSortedRow : findExactRow;
  if (last.k !== 'number' || last.value < 0) return null;
  return last.value === 0 ? findExactRow : findSortedRow;
}

/** Compiles VLOOKUP with a constant column number. */
function compileTableLookup(node: CallNode): CompiledLookup | null {
  const [, table, index, last] = node.args;
  const search = findSearch(last);
  if (table?.k !== 'area' || index?.k !== 'number' || search === null) return null;
  const across = Math.trunc(index.value) - 1;
  if (across < 0 || table.left.absolute !== table.right.absolute) return null;
  if (across > Math.abs(table.right.at - table.left.at)) return null;
  return compileColumnLookup(table, search, (e, { sheet, left }, row) => e.readCell(sheet, row, left + across));
}

/** Compiles MATCH in one column. */
function compilePositionLookup(node: CallNode): CompiledLookup | null {
  const [, table, kind] = node.args;
  const search = findSearch(kind);
  if (table?.k !== 'area' || !isOneColumn(table) || search === null) return null;
  return compileColumnLookup(table, search, (_, { top }, row) => row - top + 1);
}

/** Compiles XLOOKUP with three arguments: a searched column and a result column with the same rows. */
function compileResultLookup(node: CallNode): CompiledLookup | null {
  const [, lookup, result] = node.args;
  if (node.args.length !== 3 || lookup?.k !== 'area' || result?.k !== 'area') return null;
  if (!isOneColumn(lookup) || !isOneColumn(result) || !haveSameRows(lookup, result)) return null;
  return compileColumnLookup(lookup, findExactRow, (e, { top }, foundRow) => {
    const area = resolveArea(e, result);
    if (!area) return null;
    const row = area.top + foundRow - top;
    return new Reference([{ sheet: area.sheet, top: row, left: area.left, bottom: row, right: area.left }]);
  });
}

function isOneColumn(node: AreaNode): boolean {
  return node.left.absolute === node.right.absolute && node.left.at === node.right.at;
}

function haveSameRows(a: AreaNode, b: AreaNode): boolean {
  return (
    a.top.absolute === b.top.absolute &&
    a.top.at === b.top.at &&
    a.bottom.absolute === b.bottom.absolute &&
    a.bottom.at === b.bottom.at
  );
}

/**
 * Compiles a lookup that searches the first column of an area. `answer` returns the result for the row that was found.
 */
function compileColumnLookup(table: AreaNode, search: LookupSearch, answer: LookupResult): CompiledLookup {
  return (e, wanted) => {
    const searched = resolveArea(e, table);
    const row = searched && search(e, searched, wanted);
    if (searched === null || row === null) return null;
    return row < 0 ? NA : answer(e, searched, row);
  };
}

function resolveArea(e: Evaluation, node: AreaNode): SheetArea | null {
  if (node.sheet && !('id' in node.sheet)) return null;
  const a = resolveCoordinate(node.top, e.row);
  const b = resolveCoordinate(node.bottom, e.row);
  const c = resolveCoordinate(node.left, e.column);
  const d = resolveCoordinate(node.right, e.column);
  const top = Math.min(a, b);
  const left = Math.min(c, d);
  const bottom = Math.max(a, b);
  if (top < 0 || left < 0 || bottom >= MAX_ROWS || Math.max(c, d) >= MAX_COLUMNS) return null;
  return { sheet: node.sheet ? node.sheet.id : e.sheet, top, left, bottom, right: left };
}
