import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { selectedAreas } from '../controller/selected-areas.ts';
import { areaOf } from '../selection/selection.ts';
import { refusal } from '../session/cell-refusals.ts';
import { rangeOf } from '../session/sheet-ranges.ts';
import { type CellEdit, editAreas, type Outcome } from './cell-edits.ts';

/** Clears what is selected and shown. */
export async function clearSelection(desk: Desk): Outcome {
  const areas = selectedAreas(desk);
  const [area] = areas;
  const { sheet } = desk.state;
  const { cells } = desk.book.sheet(sheet);
  if (area === undefined) return refusal(t.grid.filteredOut);
  if (areas.length > 1) {
    const edits = areas.map((one): CellEdit => ({ clear: rangeOf(sheet, one) }));
    return editAreas(desk, edits, areas);
  }
  const expected = cells.expectEmpty(area);
  const answer = await desk.book.edit('POST', '/values/clear', { range: rangeOf(sheet, area) });
  await cells.settle(area, expected);
  return answer.ok ? null : answer;
}

/** Gives what is selected and shown a number format. */
export async function formatSelection(desk: Desk, format: string): Outcome {
  const { sheet, selection, others } = desk.state;
  const areas = selectedAreas(desk);
  if (areas.length === 0) return refusal(t.grid.filteredOut);
  if (others.length > 0 || areas.length > 1) {
    const edits = areas.map((area): CellEdit => ({ format: rangeOf(sheet, area), code: format }));
    return editAreas(desk, edits, areas);
  }
  const area = areaOf(selection);
  const range = encodeURIComponent(rangeOf(sheet, area));
  const answer = await desk.book.editAsPeople('PUT', `/format/${range}`, { format });
  if (answer.ok) desk.book.sheet(sheet).cells.outdate([area]);
  return answer.ok ? null : answer;
}
