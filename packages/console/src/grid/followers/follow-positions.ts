import { type Area, areaText, parseArea } from '@cellwire/engine';
import { followDraft, restoreDraft } from '../controller/follow-draft.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { GridState } from '../controller/grid-state.ts';
import type { GridFilter } from '../session/filter.ts';
import { PositionHistory } from '../session/position-history.ts';
import { mapSelection, type NamedSheetArea, type PositionMapping } from '../session/position-mapping.ts';
import { parseSheetRange, qualifyRange } from '../session/sheet-ranges.ts';

/** The positions in the state of the grid. */
type HeldPositions = Pick<
  GridState,
  | 'sheet'
  | 'selection'
  | 'otherAreas'
  | 'tabColumn'
  | 'lastRevision'
  | 'draft'
  | 'copied'
  | 'spill'
  | 'fillTarget'
  | 'filter'
>;

/** Keeps the state of the grid at the same cells when they move. Returns a function that stops it. */
export function followPositions(controller: GridController): () => void {
  const history = new PositionHistory<HeldPositions>(mapHeldPositions, (restored, { before, after }, current) => ({
    ...restored,
    draft: restoreDraft(current.draft, before.draft, after.draft),
    copied: restoreCopied(current.copied, before.copied, after.copied),
  }));
  return controller.session.revisions.onMapping((mapping) => {
    const { state, sheet } = controller;
    controller.mapLeftSelections(mapping);
    sheet.filter = sheet.filter && mapFilter(sheet.filter, mapping);
    controller.setState(history.map(pickPositions(state), mapping));
    const { revision } = mapping;
    const present = controller.session.state.viewers.map((one) =>
      // The page of a viewer may already have been ahead of this page.
      one.revision >= revision ? one : { ...one, range: mapRange(one.range, mapping), revision },
    );
    controller.session.setState({ viewers: present });
    controller.view?.setShape(controller.shape);
  });
}

/** Returns the members of the state that are positions. */
function pickPositions(state: GridState): HeldPositions {
  const { sheet, selection, otherAreas, tabColumn, lastRevision, draft, copied, spill, fillTarget, filter } = state;
  return { sheet, selection, otherAreas, tabColumn, lastRevision, draft, copied, spill, fillTarget, filter };
}

/** Maps all positions of the state through a change. */
function mapHeldPositions(held: HeldPositions, mapping: PositionMapping): HeldPositions {
  const { sheet, draft, copied, spill, fillTarget, filter } = held;
  return {
    ...held,
    ...(held.lastRevision === null ? mapSelectionState(held, mapping) : findReturnedSelection(held, mapping)),
    draft: draft && followDraft(draft, mapping),
    copied: copied && mapCopied(copied, mapping),
    spill: spill && mapSpill(spill, mapping),
    fillTarget: fillTarget && mapAreaOnSheet(sheet, fillTarget, mapping),
    filter: filter && mapFilter(filter, mapping),
  };
}

/**
 * Maps the selection. If its cells were deleted, it stays, and requests name the last revision that contains these
 * cells.
 */
function mapSelectionState(state: HeldPositions, mapping: PositionMapping): Partial<HeldPositions> {
  const { sheet, otherAreas, tabColumn } = state;
  const selection = mapSelection(state.selection, sheet, mapping);
  // If cells were only overwritten, the selection stays at its position.
  if (selection === null && mapping.canLoseCells) return { lastRevision: mapping.revision - 1 };
  return {
    selection: selection ?? state.selection,
    otherAreas: otherAreas.flatMap((area) => mapAreaOnSheet(sheet, area, mapping) ?? []),
    tabColumn: tabColumn === null ? null : (mapping.mapLine(sheet, 'columns', tabColumn) ?? tabColumn),
  };
}

/** Returns the selection at the present position of its cells, if they exist again; else no changes. */
function findReturnedSelection(
  { sheet, selection, lastRevision }: HeldPositions,
  { returned }: PositionMapping,
): Partial<HeldPositions> {
  const found = returned?.revision === lastRevision ? mapSelection(selection, sheet, returned.mapping) : null;
  return found === null ? {} : { selection: found, otherAreas: [], lastRevision: null };
}

function mapAreaOnSheet(sheet: string, area: Area, mapping: PositionMapping): Area | null {
  const found = mapping.mapArea({ sheet, area });
  return found?.sheet === sheet ? found.area : null;
}

type CopiedSelection = NonNullable<GridState['copied']>;

/**
 * If copied cells were deleted or separated, they keep their positions and their last revision, because the deletion may
 * be undone. See also `SheetListener.onReplaced`.
 */
function mapCopied(copied: CopiedSelection, mapping: PositionMapping): CopiedSelection {
  const { table } = copied;
  if (copied.isSheetReplaced) return copied;
  if (copied.lastRevision !== null) {
    const { returned } = mapping;
    if (returned?.revision !== copied.lastRevision) return copied;
    const again = mapCopiedLines({ ...copied, rows: table.rows, columns: table.columns }, returned.mapping);
    if (again === null || !hasSameSize(again.area, copied.area)) return copied;
    return { ...copied, ...again, table: { ...table, rows: again.rows, columns: again.columns }, lastRevision: null };
  }
  const found = mapCopiedLines({ ...copied, rows: table.rows, columns: table.columns }, mapping);
  if (found === null) return { ...copied, lastRevision: mapping.revision - 1 };
  const { sheet, area, rows, columns } = found;
  return { ...copied, sheet, area, table: { ...table, rows, columns } };
}

/** The copy after a change was undone. Its sheet may have another name since. */
function restoreCopied(
  current: GridState['copied'],
  before: GridState['copied'],
  after: GridState['copied'],
): GridState['copied'] {
  const isSame =
    current?.table.id === before?.table.id &&
    current?.lastRevision === after?.lastRevision &&
    current?.isSheetReplaced === after?.isSheetReplaced &&
    current?.area === after?.area;
  return isSame && before !== null && current !== null ? { ...before, sheet: current.sheet } : current;
}

/** Rows and columns of a copy, and the range around them. */
interface CopiedSheetLines extends NamedSheetArea {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/** Null if some of the cells were deleted or separated. */
export function mapCopiedLines(lines: CopiedSheetLines, mapping: PositionMapping): CopiedSheetLines | null {
  const { sheet, area } = lines;
  const found = mapping.mapArea({ sheet, area });
  if (found === null) return null;
  if (found.sheet !== sheet) {
    const [down, right] = [found.area.top - area.top, found.area.left - area.left];
    return {
      ...found,
      rows: lines.rows.map((row) => row + down),
      columns: lines.columns.map((column) => column + right),
    };
  }
  const rows = mapLines(lines.rows, (row) => mapping.mapCell({ sheet, row, column: lines.columns[0] ?? 0 })?.row);
  const columns = mapLines(
    lines.columns,
    (column) => mapping.mapCell({ sheet, row: lines.rows[0] ?? 0, column })?.column,
  );
  return rows === null || columns === null ? null : { sheet, area: found.area, rows, columns };
}

/** True if an area has as many rows and columns as before. If other cells lie between restored cells, it is larger. */
function hasSameSize(now: Area, before: Area): boolean {
  return now.bottom - now.top === before.bottom - before.top && now.right - now.left === before.right - before.left;
}

/** Null if a line was deleted. */
function mapLines(lines: readonly number[], mapLine: (line: number) => number | undefined): readonly number[] | null {
  const moved = lines.map(mapLine);
  return moved.every((line) => line !== undefined) ? moved : null;
}

/** Maps the array of results around the active cell; null if its cells were deleted or separated. */
function mapSpill(spill: NonNullable<GridState['spill']>, mapping: PositionMapping): GridState['spill'] {
  const found = mapping.mapArea(spill);
  return found && { ...spill, ...found };
}

/** Inserted rows are shown until the filter is evaluated again. Null if the range was deleted. */
function mapFilter(filter: GridFilter, mapping: PositionMapping): GridFilter | null {
  const { sheet, count } = filter;
  const area = mapAreaOnSheet(sheet, filter.area, mapping);
  if (area === null) return null;
  const shown = filter.rows.flatMap((row) => mapping.mapLine(sheet, 'rows', row) ?? []);
  const rows = [...new Set([...shown, ...mapping.listInsertedRows(sheet)])].sort((a, b) => a - b);
  const columns = [...filter.columns].flatMap(([column, condition]) => {
    const moved = mapping.mapLine(sheet, 'columns', column);
    return moved === null ? [] : [[moved, condition] as const];
  });
  return {
    ...filter,
    area,
    columns: new Map(columns),
    revision: String(mapping.revision),
    top: area.top,
    rows,
    count: mapping.mapLine(sheet, 'rows', count) ?? count,
  };
}

/** Text of the range with the positions of its cells after the change; null if the cells are gone. */
export function mapRange(range: string | null, mapping: PositionMapping): string | null {
  const place = range === null ? null : parseSheetRange(range);
  if (place === null) return range;
  const found = mapping.mapArea(place);
  return found === null || parseArea(areaText(found.area)) === null
    ? null
    : qualifyRange(found.sheet, areaText(found.area));
}
