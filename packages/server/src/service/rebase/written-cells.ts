import { type Block, columnIndex, columnName, intersects, MAX_COLUMNS, MAX_ROWS, subtract } from '@cellwire/engine';
import { MAX_BATCH_BLOCKS } from '../../limits/requests.ts';
import type { CellEdit } from '../cells/edit-cells.ts';
import { formatBlockRange, formatQualifiedRange, formatRange, parseRange } from '../ranges.ts';
import { isRefusal } from '../refusal.ts';
import type { RequestBlock } from './block.ts';
import { excludeFromMatrix } from './kept-cells.ts';
import type { RebasedPlaces } from './places.ts';
import { type OperationMembers, parseNamedOperation } from './requests.ts';

/** The range of all cells of a sheet. */
export function formatWholeSheet(sheet: string): string {
  return formatQualifiedRange(sheet, formatRange({ top: 0, left: 0, bottom: MAX_ROWS - 1, right: MAX_COLUMNS - 1 }));
}

/** The ranges that edits write. */
export function listEditedRanges(edits: readonly CellEdit[]): readonly string[] {
  return edits.flatMap(({ clear, format, put, values = [], copy, fill, to }) => {
    if (put !== undefined) return [formatBlockRange(put, values)];
    const range = clear ?? format;
    if (range !== undefined) return [range];
    if (to === undefined) return [];
    return copy === undefined ? (fill === undefined ? [] : [to]) : listCopiedRange(copy, to);
  });
}

/**
 * The ranges whose cells operations of `structure` write or delete. Operations that only move cells have none: other
 * users' values move with their cells.
 */
export function listWrittenRanges(operations: readonly unknown[]): readonly string[] {
  return operations.flatMap((operation) => {
    const named = parseNamedOperation(operation);
    return named === null ? [] : listOperationRanges(named.name, named.members);
  });
}

/** The ranges whose cells an operation of the structure overwrites or deletes. */
function listOperationRanges(name: string, members: OperationMembers): readonly string[] {
  const { sheet, range, from, to, count = 1 } = members;
  switch (name) {
    case 'deleteCells':
    case 'replace':
    case 'removeDuplicates':
      return typeof range === 'string' ? [range] : [];
    case 'fill':
      return typeof to === 'string' ? [to] : [];
    case 'copy':
    case 'cut':
      return typeof from === 'string' && typeof to === 'string' ? listCopiedRange(from, to) : [];
    case 'deleteRows':
      return typeof from === 'number'
        ? [formatQualifiedRange(String(sheet), `${from}:${from + Number(count) - 1}`)]
        : [];
    case 'deleteColumns': {
      if (typeof from !== 'string') return [];
      const last = Math.min(MAX_COLUMNS, columnIndex(from) + Number(count)) - 1;
      return [formatQualifiedRange(String(sheet), `${from}:${columnName(last)}`)];
    }
    default:
      return [];
  }
}

/** The range that a copy of `from` fills from the first cell of `to`; empty if one of them is invalid. */
function listCopiedRange(from: string, to: string): readonly string[] {
  const [source, target] = [parseRange(from), parseRange(to)];
  if (isRefusal(source) || isRefusal(target)) return [];
  const { top, left, bottom, right } = source.area;
  const first = target.area;
  const area = {
    top: first.top,
    left: first.left,
    bottom: Math.min(MAX_ROWS - 1, first.top + bottom - top),
    right: Math.min(MAX_COLUMNS - 1, first.left + right - left),
  };
  return [target.sheet === null ? formatRange(area) : formatQualifiedRange(target.sheet, formatRange(area))];
}

/** A block of values that leaves these cells unchanged; null if it has no other cells. */
export function excludeFromBlock(
  { range, values }: RequestBlock,
  cells: readonly Block[],
  places: RebasedPlaces,
): RequestBlock | null {
  const block = places.parseEarlierBlock(range);
  if (block === null || isRefusal(block)) return null;
  const { top: row, left: column } = block.area;
  const lines = excludeFromMatrix(values, { sheet: block.sheet, row, column }, cells);
  return lines.every((line) => line.every((value) => value === null)) ? null : { range, values: lines };
}

/** The parts of ranges outside these cells; null if there are none or too many. */
export function excludeFromRanges(
  ranges: readonly string[],
  cells: readonly Block[],
  places: RebasedPlaces,
): readonly string[] | null {
  const rest: string[] = [];
  for (const range of ranges) {
    const block = places.parseEarlierBlock(range);
    if (block === null || isRefusal(block)) return null;
    const { sheet, area } = block;
    const taken = cells.filter((one) => one.sheet === sheet && intersects(one.area, area));
    if (taken.length === 0) rest.push(range);
    else {
      let parts: readonly Block['area'][] = [area];
      for (const one of taken) parts = parts.flatMap((part) => subtract(part, one.area));
      rest.push(...parts.map((part) => places.formatBlock({ sheet, area: part })));
    }
    if (rest.length > MAX_BATCH_BLOCKS) return null;
  }
  return rest.length === 0 ? null : rest;
}

/** Edits that leave these cells unchanged; null if that is impossible, because a copy or fill writes one of them. */
export function excludeFromEdits(
  edits: readonly CellEdit[],
  cells: readonly Block[],
  places: RebasedPlaces,
): readonly CellEdit[] | null {
  const rest: CellEdit[] = [];
  for (const edit of edits) {
    const { clear, format, put, values = [] } = edit;
    if (put !== undefined) {
      const block = excludeFromBlock({ range: put, values }, cells, places);
      if (block !== null) rest.push({ ...edit, put: block.range, values: block.values });
    } else if (clear !== undefined) {
      rest.push(...(excludeFromRanges([clear], cells, places) ?? []).map((range) => ({ ...edit, clear: range })));
    } else if (format !== undefined) {
      rest.push(...(excludeFromRanges([format], cells, places) ?? []).map((range) => ({ ...edit, format: range })));
    } else {
      const kept = excludeFromRanges(listEditedRanges([edit]), cells, places);
      if (kept?.length !== 1 || kept[0] !== listEditedRanges([edit])[0]) return null;
      rest.push(edit);
    }
    if (rest.length > MAX_BATCH_BLOCKS) return null;
  }
  return rest.length === 0 ? null : rest;
}
