import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { hasHiddenRows, listSelectedAreas } from '../controller/selected-areas.ts';
import { computeSelectedArea } from '../selection/selection.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { type ActionResult, type CellEdit, editAreas } from './cell-edits.ts';

/** Clears the visible selected cells. */
export async function clearSelection(controller: GridController): ActionResult {
  const areas = listSelectedAreas(controller);
  const [area] = areas;
  const { sheet } = controller.state;
  const { cells } = controller.session.getOpenSheet(sheet);
  if (area === undefined) return createRefusal(t.grid.filteredOut);
  if (areas.length > 1) {
    const edits = areas.map((one): CellEdit => ({ clear: formatSheetRange(sheet, one) }));
    return editAreas(controller, edits, areas);
  }
  const expected = cells.showPendingEmpty(area);
  const body = { range: formatSheetRange(sheet, area) };
  const answer = await controller.session.sendEdit('POST', '/values/clear', body, controller.editBase);
  await cells.endPendingWrite(area, expected);
  return answer.ok ? null : answer;
}

/** Sets the number format of the visible selected cells. */
export async function formatSelection(controller: GridController, format: string): ActionResult {
  const { sheet, selection, otherAreas } = controller.state;
  const areas = listSelectedAreas(controller);
  if (areas.length === 0) return createRefusal(t.grid.filteredOut);
  const area = computeSelectedArea(selection);
  // Whole columns keep their format below the used rows, so all cells of the columns are changed.
  if (otherAreas.length > 0 || hasHiddenRows(controller, area)) {
    const edits = areas.map((area): CellEdit => ({ format: formatSheetRange(sheet, area), code: format }));
    return editAreas(controller, edits, areas);
  }
  const range = encodeURIComponent(formatSheetRange(sheet, area));
  const { session, editBase: base } = controller;
  const answer = await session.sendConsoleEdit('PUT', `/format/${range}`, { format }, { base });
  if (answer.ok) session.getOpenSheet(sheet).cells.markStale([area]);
  return answer.ok ? null : answer;
}
