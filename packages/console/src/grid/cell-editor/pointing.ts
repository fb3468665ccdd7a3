import { type Area, parseArea, splitSheetPrefix } from '@cellwire/engine';
import type { Direction } from '../controller/commands.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { askEdge, beside, knownEdge } from '../controller/navigation.ts';
import { type Draft, isPointing, picking } from '../formula/draft.ts';
import type { Place } from '../selection/selection.ts';

interface PointingKey {
  readonly to: Direction;
  /** Shift: the range grows or shrinks at the corner that moves. */
  readonly extend: boolean;
  /** Ctrl: to the end of the data. */
  readonly far: boolean;
}

/**
 * Points at a cell by an arrow key while a formula waits for a reference: from the cell that was pointed at before, else
 * from the formula's own cell, or on another sheet from the cell that is active there.
 */
export function pointByKey(desk: Desk, draft: Draft, { to, extend, far }: PointingKey): void {
  const { anchor, corner } = pointedRange(desk, draft);
  const move = (place: Place) => pointAt(desk, extend ? anchor : place, place);
  if (!far) return move(beside(desk, corner, to));
  const near = knownEdge(desk, corner, to);
  if (near !== null) return move(near);
  const { sheet } = desk.state;
  void askEdge(desk, corner, to).then((edge) => {
    const { state } = desk;
    // What was typed meanwhile counts.
    if (edge !== null && state.draft === draft && state.sheet === sheet) move(edge);
  });
}

/** Whether arrow keys point at cells: where a formula waits for a reference and was begun by typing. */
export function isPointedByKeys(draft: Draft): boolean {
  return draft.isQuick && draft.text.startsWith('=') && isPointing(draft);
}

function pointAt(desk: Desk, anchor: Place, corner: Place): void {
  const { draft, sheet } = desk.state;
  const area: Area = {
    top: Math.min(anchor.row, corner.row),
    bottom: Math.max(anchor.row, corner.row),
    left: Math.min(anchor.column, corner.column),
    right: Math.max(anchor.column, corner.column),
  };
  const next = draft === null ? null : picking(draft, sheet, area);
  if (next?.picked == null) return;
  const moving = { isBottom: corner.row > anchor.row, isRight: corner.column > anchor.column };
  desk.become({ draft: { ...next, picked: { ...next.picked, moving } } });
  desk.view?.reveal(corner);
}

/** Where the range that was pointed at began, and its corner that moves. */
function pointedRange(desk: Desk, draft: Draft): { readonly anchor: Place; readonly corner: Place } {
  const { sheet, selection } = desk.state;
  const { picked, text } = draft;
  const reference = picked === null ? null : splitSheetPrefix(text.slice(picked.from, picked.to));
  const area = reference === null ? null : parseArea(reference.rest);
  const isOnSheet = (reference?.sheet ?? draft.sheet) === sheet;
  if (picked === null || area === null || !isOnSheet) {
    const start = draft.sheet === sheet ? draft.place : selection.active;
    return { anchor: start, corner: start };
  }
  const { isBottom, isRight } = picked.moving ?? { isBottom: true, isRight: true };
  return {
    anchor: { row: isBottom ? area.top : area.bottom, column: isRight ? area.left : area.right },
    corner: { row: isBottom ? area.bottom : area.top, column: isRight ? area.right : area.left },
  };
}
