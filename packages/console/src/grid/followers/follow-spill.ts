import { cellText, contains, parseArea } from '@cellwire/engine';
import { callApi, formatQuery, formatSheetPath } from '../../data/http.ts';
import type { Cell } from '../../data/types.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { SpilledResult } from '../controller/grid-state.ts';
import type { GridPosition } from '../selection/selection.ts';

/** Delay before the active cell is looked up, in milliseconds. */
const SETTLED_MS = 120;

/** Looks up the array of results around the active cell. Returns a function that stops it. */
export function followSpill(controller: GridController): () => void {
  let settled: ReturnType<typeof setTimeout> | undefined;
  let shown: {
    readonly sheet: string;
    readonly position: GridPosition;
    readonly cell: Cell | null | undefined;
  } | null = null;
  const look = () => {
    const { sheet, spill } = controller.state;
    const position = controller.state.selection.active;
    const cell = controller.getCell(position);
    if (shown?.sheet === sheet && shown.position === position && shown.cell === cell) return;
    shown = { sheet, position, cell };
    clearTimeout(settled);
    const isFilled = cell !== null && cell !== undefined;
    const isInside = isFilled && spill?.sheet === sheet && contains(spill.area, position.row, position.column);
    if (spill !== null && !isInside) controller.setState({ spill: null });
    if (isFilled) settled = setTimeout(() => void ask(), SETTLED_MS);
  };
  const ask = async () => {
    const shownBefore = shown;
    if (shownBefore === null) return;
    const found = await readSpill(controller, shownBefore.sheet, shownBefore.position);
    if (shownBefore === shown) controller.setState({ spill: found });
  };
  look();
  const stop = controller.subscribe(look);
  return () => {
    stop();
    clearTimeout(settled);
  };
}

/** Null if there is none or the request failed. */
async function readSpill(
  controller: GridController,
  sheet: string,
  { row, column }: GridPosition,
): Promise<SpilledResult | null> {
  const path = formatSheetPath(controller.session.id, sheet, 'spill');
  const answer = await callApi<{ readonly spill: string | null }>(
    'GET',
    path + formatQuery({ cell: cellText(row, column) }),
  );
  const area = answer.ok && answer.value.spill !== null ? parseArea(answer.value.spill) : null;
  if (area === null || (area.top === area.bottom && area.left === area.right)) return null;
  const { cells } = controller.session.getOpenSheet(sheet);
  // The formula may be far outside the visible area.
  await cells.ensureLoaded({ ...area, bottom: area.top, right: area.left });
  return { sheet, area, formula: cells.getCell(area.top, area.left)?.f ?? '' };
}
