import { type Area, contains, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { Point } from '../../components/menu.tsx';
import type { Desk } from '../controller/grid-controller.ts';
import { report } from '../editing/cell-edits.ts';
import { fillDownAlong, fillTo } from '../editing/fill-actions.ts';
import { fitSize, keepSize, setSize } from '../editing/line-sizes.ts';
import { areaOf, selectionAt } from '../selection/selection.ts';
import { shownFilter } from '../sort-and-filter/filter-actions.ts';
import type { ViewEvents } from '../view/grid-view.ts';
import type { Hit } from '../view/viewport.ts';

/** Opens the menu for what was hit, at a point of the window in pixels. */
export type OpenMenu = (on: Hit['on'], at: Point) => void;

function areaOfHit({ on, row, column }: Hit): Area {
  const isRow = on === 'row' || on === 'corner';
  const isColumn = on === 'column' || on === 'corner';
  return {
    top: isColumn ? 0 : row,
    bottom: isColumn ? MAX_ROWS - 1 : row,
    left: isRow ? 0 : column,
    right: isRow ? MAX_COLUMNS - 1 : column,
  };
}

const KINDS = {
  row: 'rows',
  column: 'columns',
  corner: 'all',
  cell: 'cells',
  columnEdge: 'columns',
  rowEdge: 'rows',
} as const;

export function viewEvents(desk: Desk, menu: { readonly current: OpenMenu }): ViewEvents {
  let isPicking = false;
  let from: Hit | null = null;
  return {
    onDown: (hit, event) => {
      isPicking = desk.pick(areaOfHit(hit));
      from = hit;
      if (isPicking) return;
      if (desk.state.draft !== null) void desk.confirm();
      const kind = KINDS[hit.on];
      const { selection, others } = desk.state;
      const isMore = event.ctrlKey || event.metaKey;
      const next = event.shiftKey ? { ...selection, corner: hit, kind } : { ...selectionAt(desk.holder(hit)), kind };
      const kept = isMore && !event.shiftKey ? [...others, desk.area] : isMore || event.shiftKey ? others : [];
      desk.select(next, hit.on === 'cell' ? hit : null, kept);
      desk.view?.focus();
    },
    onDrag: (hit) => {
      if (isPicking && from !== null) {
        const [a, b] = [areaOfHit(from), areaOfHit({ ...hit, on: from.on })];
        desk.pick({
          top: Math.min(a.top, b.top),
          left: Math.min(a.left, b.left),
          bottom: Math.max(a.bottom, b.bottom),
          right: Math.max(a.right, b.right),
        });
        return;
      }
      const { selection } = desk.state;
      if (selection.corner.row === hit.row && selection.corner.column === hit.column) return;
      desk.select({ ...selection, corner: { row: hit.row, column: hit.column } }, null, desk.state.others);
    },
    onUp: () => {
      isPicking = false;
      desk.view?.focus();
    },
    onDoubleClick: (hit) => {
      if (hit.on === 'columnEdge') fitSize(desk, 'columns', hit.column);
      if (hit.on === 'rowEdge') fitSize(desk, 'rows', hit.row);
      if (hit.on === 'cell' && desk.canWrite && desk.state.draft === null) desk.begin(null, 'cell');
    },
    onMenu: (hit, at) => {
      const areas = [areaOf(desk.state.selection), ...desk.state.others];
      const isInside = areas.some((area) => contains(area, hit.row, hit.column));
      if (!isInside || hit.on !== 'cell') desk.select({ ...selectionAt(desk.holder(hit)), kind: KINDS[hit.on] }, null);
      menu.current(hit.on, at);
    },
    onSeen: (area) => desk.sheet.cells.want(area),
    onLineSize: (axis, line, size, isDone) =>
      isDone ? void keepSize(desk, axis, line, size) : setSize(desk, axis, line, size),
    onFill: (to) => report(desk, fillTo(desk, to)),
    onFillAlong: () => report(desk, fillDownAlong(desk)),
    onFilter: (column) => openFilter(desk, column),
  };
}

/** Asks about a column of the filter: its header becomes the active cell. */
function openFilter(desk: Desk, column: number): void {
  const filter = shownFilter(desk);
  if (filter === null) return;
  desk.select(selectionAt({ row: filter.top, column }));
  desk.onCommand({ kind: 'filter' });
}
