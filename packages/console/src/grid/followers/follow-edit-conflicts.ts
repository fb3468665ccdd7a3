import { type Area, cellText } from '@cellwire/engine';
import { markUnsaved } from '../../data/unsaved.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { ConflictingCell, EditConflict } from '../controller/grid-state.ts';
import type { PositionMapping, SheetPosition } from '../session/position-mapping.ts';
import type { ConflictChoice, LateEdit } from '../session/session-state.ts';
import { parseSheetRange, qualifyRange } from '../session/sheet-ranges.ts';
import { mapRange } from './follow-positions.ts';

/** Maximum number of cells whose values the question shows. */
const MAX_SHOWN = 5;

/** Asks the person about edits whose cells someone else changed. Returns a function that stops it. */
export function followEditConflicts(controller: GridController): () => void {
  const { session } = controller;
  const setConflicts = (editConflicts: readonly EditConflict[]) => {
    // An edit without a decision is lost when the page closes.
    markUnsaved(controller, editConflicts.length > 0);
    controller.setState({ editConflicts });
  };
  session.onConflict = async (edit) => {
    const { revision } = session.revisions;
    const { cells, count } = await describeConflict(controller, edit);
    // The cell was only moved, or written with the same content.
    if (edit.cell !== null && cells[0]?.theirs === (edit.shownText ?? '')) return 'mine';
    return new Promise<ConflictChoice>((resolve) => {
      const undecided: EditConflict = {
        cells,
        count,
        isByMe: edit.isByMe,
        decide: (choice) => {
          setConflicts(controller.state.editConflicts.filter((one) => one.decide !== undecided.decide));
          resolve(choice);
        },
      };
      const mappings = session.revisions.findMappingsAfter(revision) ?? [];
      setConflicts([...controller.state.editConflicts, mappings.reduce(mapConflict, undecided)]);
    });
  };
  const stopMapping = session.revisions.onMapping((mapping) => {
    const { editConflicts } = controller.state;
    if (editConflicts.length > 0)
      controller.setState({ editConflicts: editConflicts.map((one) => mapConflict(one, mapping)) });
  });
  return () => {
    stopMapping();
    session.onConflict = async () => 'theirs';
    for (const { decide } of controller.state.editConflicts) decide('theirs');
  };
}

/** The conflict with the present positions of its cells. Deleted cells keep their last position. */
function mapConflict(conflict: EditConflict, mapping: PositionMapping): EditConflict {
  const cells = conflict.cells.map((cell) => ({ ...cell, range: mapRange(cell.range, mapping) ?? cell.range }));
  return { ...conflict, cells };
}

/** Reads the current texts of the first conflicting cells of an edit. */
async function describeConflict(
  controller: GridController,
  { cell, mine, ranges }: LateEdit,
): Promise<Pick<EditConflict, 'cells' | 'count'>> {
  if (cell !== null) return { cells: [await readConflictingCell(controller, cell, mine)], count: 1 };
  const areas = ranges.flatMap((range) => parseSheetRange(range) ?? []);
  const positions = areas.flatMap(({ sheet, area }) => listFirstCells(area).map((one) => ({ sheet, ...one })));
  const shown = positions.slice(0, MAX_SHOWN).map((position) => readConflictingCell(controller, position, null));
  return { cells: await Promise.all(shown), count: areas.reduce((sum, { area }) => sum + countCellsIn(area), 0) };
}

/** Reads the current text of a conflicting cell. `myText`: the text that the person typed; null if unknown. */
async function readConflictingCell(
  controller: GridController,
  { sheet, row, column }: SheetPosition,
  myText: string | null,
): Promise<ConflictingCell> {
  const { cells } = controller.session.getOpenSheet(sheet);
  const area = { top: row, bottom: row, left: column, right: column };
  cells.markStale([area]);
  const isLoaded = await cells.ensureLoaded(area);
  return {
    range: qualifyRange(sheet, cellText(row, column)),
    theirs: isLoaded ? (cells.getCell(row, column)?.m ?? '') : null,
    mine: myText ?? cells.getPendingText(row, column) ?? null,
  };
}

function countCellsIn({ top, left, bottom, right }: Area): number {
  return (bottom - top + 1) * (right - left + 1);
}

/** The first cells of an area, row by row. */
function listFirstCells({
  top,
  left,
  bottom,
  right,
}: Area): readonly { readonly row: number; readonly column: number }[] {
  const cells: { readonly row: number; readonly column: number }[] = [];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      if (cells.length === MAX_SHOWN) return cells;
      cells.push({ row, column });
    }
  }
  return cells;
}
