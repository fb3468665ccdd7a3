import { type Area, contains, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { Point } from '../../components/menu.tsx';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { type TrackedArea, trackArea } from '../controller/held-selection.ts';
import { reportFailure } from '../editing/cell-edits.ts';
import { fillDownBesideData, fillLargerArea } from '../editing/fill-actions.ts';
import { fitLineSize, saveLineSize, showLineSize } from '../editing/line-sizes.ts';
import { activateRuleControl } from '../editing/rule-actions.ts';
import { computeSelectedArea, createCellSelection } from '../selection/selection.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { getCurrentFilter } from '../sort-and-filter/filter-actions.ts';
import type { ViewEvents } from '../view/view-events.ts';
import type { GridHit } from '../view/viewport.ts';

/** Opens the menu for the hit, at a point of the window in pixels. */
export type OpenMenu = (target: GridHit['on'], point: Point) => void;

function toHitArea({ on, row, column }: GridHit): Area {
  const isRow = on === 'row' || on === 'corner';
  const isColumn = on === 'column' || on === 'corner';
  return {
    top: isColumn ? 0 : row,
    bottom: isColumn ? MAX_ROWS - 1 : row,
    left: isRow ? 0 : column,
    right: isRow ? MAX_COLUMNS - 1 : column,
  };
}

const SELECTION_KINDS = {
  row: 'rows',
  column: 'columns',
  corner: 'all',
  cell: 'cells',
  columnEdge: 'columns',
  rowEdge: 'rows',
} as const;

export function createViewEvents(controller: GridController, menu: { readonly current: OpenMenu }): ViewEvents {
  /** Position at which the person is picking a range for a formula; null if none. */
  let picked: { readonly on: GridHit['on']; readonly from: TrackedArea } | null = null;
  const endPicking = () => {
    picked?.from.release();
    picked = null;
  };
  /** The row or column that is being resized; null if none. */
  let resized: TrackedArea | null = null;
  const cancelResize = () => {
    if (resized === null) return;
    resized.release();
    controller.resizedLines.clearSizes(resized.sheet.name);
    resized = null;
    controller.view?.setShape(controller.shape);
  };
  let isFilling = false;
  return {
    onDown: (hit, event) => {
      endPicking();
      if (controller.pickReference(toHitArea(hit))) {
        picked = { on: hit.on, from: trackArea(controller, toHitArea(hit)) };
        return;
      }
      if (controller.state.draft !== null) void controller.confirmDraft();
      const kind = SELECTION_KINDS[hit.on];
      const { selection, otherAreas } = controller.state;
      const isMore = event.ctrlKey || event.metaKey;
      const next = event.shiftKey
        ? { ...selection, corner: hit, kind }
        : { ...createCellSelection(controller.findFirstMergedCell(hit)), kind };
      const kept =
        isMore && !event.shiftKey
          ? [...otherAreas, controller.selectedArea]
          : isMore || event.shiftKey
            ? otherAreas
            : [];
      controller.select(next, hit.on === 'cell' ? hit : null, kept);
      controller.view?.focus();
    },
    onDrag: (hit) => {
      if (picked !== null) {
        const [a, b] = [picked.from.getCurrent(), toHitArea({ ...hit, on: picked.on })];
        if (a === null) return endPicking();
        controller.pickReference({
          top: Math.min(a.top, b.top),
          left: Math.min(a.left, b.left),
          bottom: Math.max(a.bottom, b.bottom),
          right: Math.max(a.right, b.right),
        });
        return;
      }
      const { selection, lastRevision } = controller.state;
      // Another person deleted the cells at which the drag began.
      if (lastRevision !== null) return controller.view?.cancelDrag();
      if (selection.corner.row === hit.row && selection.corner.column === hit.column) return;
      controller.select(
        { ...selection, corner: { row: hit.row, column: hit.column } },
        null,
        controller.state.otherAreas,
      );
    },
    onUp: () => {
      endPicking();
      controller.view?.focus();
    },
    onDoubleClick: (hit) => {
      if (hit.on === 'columnEdge') fitLineSize(controller, 'columns', hit.column);
      if (hit.on === 'rowEdge') fitLineSize(controller, 'rows', hit.row);
      if (hit.on === 'cell' && controller.state.draft === null) controller.beginEditing(null, 'cell');
    },
    onMenu: (hit, at) => {
      const areas = [computeSelectedArea(controller.state.selection), ...controller.state.otherAreas];
      const isInside = areas.some((area) => contains(area, hit.row, hit.column));
      if (!isInside || hit.on !== 'cell')
        controller.select(
          { ...createCellSelection(controller.findFirstMergedCell(hit)), kind: SELECTION_KINDS[hit.on] },
          null,
        );
      menu.current(hit.on, at);
    },
    onVisible: (area) => controller.sheet.cells.setVisibleArea(area),
    onLineSize: (axis, line, size, isDone) => {
      resized ??= trackArea(controller, toHitArea({ on: axis === 'rows' ? 'row' : 'column', row: line, column: line }));
      const area = resized.getCurrent();
      const current = axis === 'rows' ? area?.top : area?.left;
      // Another person deleted the line in the meantime.
      if (current === undefined) return isDone ? cancelResize() : controller.view?.cancelDrag();
      if (!isDone) return showLineSize(controller, axis, current, size);
      resized.release();
      resized = null;
      void saveLineSize(controller, axis, current, size);
    },
    onLineSizeCancel: cancelResize,
    onFillDrag: (to) => {
      isFilling = true;
      controller.setState({ fillTarget: to });
    },
    onFillCancel: () => {
      isFilling = false;
      controller.setState({ fillTarget: null });
    },
    onFillEnd: () => {
      if (!isFilling) return;
      isFilling = false;
      const { fillTarget, lastRevision } = controller.state;
      const { selectedArea: from } = controller;
      controller.setState({ fillTarget: null });
      const isAround =
        fillTarget !== null &&
        lastRevision === null &&
        contains(fillTarget, from.top, from.left) &&
        contains(fillTarget, from.bottom, from.right);
      if (isAround) reportFailure(controller, fillLargerArea(controller, from, fillTarget));
      // Another person deleted or separated the cells in the meantime.
      else controller.onFailure(createRefusal(t.grid.interrupted));
    },
    onFillAlong: () => reportFailure(controller, fillDownBesideData(controller)),
    onFilter: (column) => openFilter(controller, column),
    onRule: () => {
      activateRuleControl(controller);
      controller.view?.focus();
    },
  };
}

/** Opens the filter dialog for a column; its header becomes the active cell. */
function openFilter(controller: GridController, column: number): void {
  const filter = getCurrentFilter(controller);
  if (filter === null) return;
  controller.select(createCellSelection({ row: filter.top, column }));
  controller.onCommand({ kind: 'filter' });
}
