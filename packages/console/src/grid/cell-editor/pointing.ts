import { type Area, parseArea, splitSheetPrefix } from '@cellwire/engine';
import type { Direction } from '../controller/commands.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { findAdjacentCell, findKnownEdge, requestEdge } from '../controller/navigation.ts';
import { type CellDraft, canAcceptReference, insertReference } from '../formula/draft.ts';
import type { GridPosition } from '../selection/selection.ts';

interface PointingKey {
  readonly to: Direction;
  /** True if Shift is pressed: the key moves one corner of the range. */
  readonly extend: boolean;
  /** Ctrl: goes to the edge of the data. */
  readonly far: boolean;
}

/**
 * Points at a cell with an arrow key while a formula accepts a reference. The start is the last pointed cell, else the
 * formula's cell, or the active cell on another sheet.
 */
export function pointWithArrowKey(
  controller: GridController,
  draft: CellDraft,
  { to, extend, far }: PointingKey,
): void {
  const { anchor, corner } = findPointedRange(controller, draft);
  const move = (position: GridPosition) => pointAtRange(controller, extend ? anchor : position, position);
  if (!far) return move(findAdjacentCell(controller, corner, to));
  const near = findKnownEdge(controller, corner, to);
  if (near !== null) return move(near);
  const { sheet } = controller.state;
  void requestEdge(controller, corner, to).then((edge) => {
    const { state } = controller;
    // The answer is dropped if the person has typed since.
    if (edge !== null && state.draft === draft && state.sheet === sheet) move(edge);
  });
}

/** True if arrow keys point at cells: the formula accepts a reference and was started by typing. */
export function canPointByKeys(draft: CellDraft): boolean {
  return draft.isEnterMode && draft.text.startsWith('=') && canAcceptReference(draft);
}

/** Inserts a range into the open formula, or replaces the range that was pointed at last. */
function pointAtRange(controller: GridController, anchor: GridPosition, corner: GridPosition): void {
  const { draft, sheet } = controller.state;
  const area: Area = {
    top: Math.min(anchor.row, corner.row),
    bottom: Math.max(anchor.row, corner.row),
    left: Math.min(anchor.column, corner.column),
    right: Math.max(anchor.column, corner.column),
  };
  const next = draft === null ? null : insertReference(draft, sheet, area);
  if (next?.pickedReference == null) return;
  const moving = { isBottom: corner.row > anchor.row, isRight: corner.column > anchor.column };
  controller.setState({ draft: { ...next, pickedReference: { ...next.pickedReference, moving } } });
  controller.view?.revealCell(corner);
}

/** Anchor and moving corner of the pointed range. */
function findPointedRange(
  controller: GridController,
  draft: CellDraft,
): { readonly anchor: GridPosition; readonly corner: GridPosition } {
  const { sheet, selection } = controller.state;
  const { pickedReference, text } = draft;
  const reference =
    pickedReference === null ? null : splitSheetPrefix(text.slice(pickedReference.from, pickedReference.to));
  const area = reference === null ? null : parseArea(reference.rest);
  const isOnSheet = (reference?.sheet ?? draft.sheet) === sheet;
  if (pickedReference === null || area === null || !isOnSheet) {
    const start = draft.sheet === sheet ? draft.position : selection.active;
    return { anchor: start, corner: start };
  }
  const { isBottom, isRight } = pickedReference.moving ?? { isBottom: true, isRight: true };
  return {
    anchor: { row: isBottom ? area.top : area.bottom, column: isRight ? area.left : area.right },
    corner: { row: isBottom ? area.bottom : area.top, column: isRight ? area.right : area.left },
  };
}
