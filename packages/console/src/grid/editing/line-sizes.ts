import { type Axis, columnName } from '@cellwire/engine';
import type { GridController } from '../controller/grid-controller.ts';
import { LINE_SIZE_LIMITS, ROW_HEIGHT } from '../view/grid-view.ts';
import { estimateTextHeight, estimateTextWidth } from '../view/row-node.ts';

/** Maximum size that a double click sets, in pixels. */
const MAX_FITTED = { rows: LINE_SIZE_LIMITS.rows.max, columns: 600 } as const;

/** Shows a size for a line. If the line is selected, shows it for all selected lines. */
export function showLineSize(controller: GridController, axis: Axis, line: number, size: number): void {
  controller.resizedLines.setSize(controller.state.sheet, axis, { ...findLinesToResize(controller, axis, line), size });
  controller.view?.setShape(controller.shape);
}

/** Saves the size in the document. People who may only read keep it until they close the page. */
export async function saveLineSize(controller: GridController, axis: Axis, line: number, size: number): Promise<void> {
  showLineSize(controller, axis, line, size);
  const { sheet, session } = controller;
  if (!session.canEdit || sheet.layout?.may.write === false) return;
  const { first, last } = findLinesToResize(controller, axis, line);
  const formatLine = (one: number) => (axis === 'rows' ? one + 1 : columnName(one));
  const answer = await session.saveLineSizes(sheet, `${formatLine(first)}:${formatLine(last)}`, size);
  controller.resizedLines.clearSizes(sheet.name);
  controller.view?.setShape(controller.shape);
  if (!answer.ok) controller.onFailure(answer);
}

/** Fits the size of a line to its visible content. */
export function fitLineSize(controller: GridController, axis: Axis, line: number): void {
  const { viewport } = controller.view ?? {};
  if (viewport === undefined) return;
  const { first, last } = axis === 'columns' ? viewport.visibleRows : viewport.visibleColumns;
  const sizes = Array.from({ length: last - first + 1 }, (_, i) =>
    axis === 'columns'
      ? measureFittingWidth(controller, first + i, line)
      : measureFittingHeight(controller, line, first + i, viewport.columns.getSize(first + i)),
  );
  const size = Math.max(...sizes);
  if (size > 0) void saveLineSize(controller, axis, line, Math.min(MAX_FITTED[axis], size));
}

/** Width that a cell needs; 0 if it is empty. */
function measureFittingWidth(controller: GridController, row: number, column: number): number {
  const text = controller.getCell({ row, column })?.m ?? '';
  return text === '' ? 0 : estimateTextWidth(text, controller.sheet.cells.getStyle(row, column));
}

/** Height that a cell needs, at least the default height. */
function measureFittingHeight(controller: GridController, row: number, column: number, width: number): number {
  const text = controller.getCell({ row, column })?.m ?? '';
  return Math.max(ROW_HEIGHT, estimateTextHeight(text, width, controller.sheet.cells.getStyle(row, column)));
}

function findLinesToResize(
  controller: GridController,
  axis: Axis,
  line: number,
): { readonly first: number; readonly last: number } {
  const { kind } = controller.state.selection;
  const { top, left, bottom, right } = controller.selectedArea;
  const [first, last] = axis === 'rows' ? [top, bottom] : [left, right];
  return kind === axis && line >= first && line <= last ? { first, last } : { first: line, last: line };
}
