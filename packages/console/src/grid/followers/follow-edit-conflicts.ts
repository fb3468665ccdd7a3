import type { GridController } from '../controller/grid-controller.ts';
import type { EditConflict } from '../controller/grid-state.ts';
import type { LateEdit } from '../session/session-state.ts';

/** Asks the person about edits whose cells someone else changed. Returns a function that stops it. */
export function followEditConflicts(controller: GridController): () => void {
  const { session } = controller;
  session.onConflict = async (edit) => {
    const theirs = await readDisplayText(controller, edit);
    // The cell was only moved, or written with the same content.
    if (theirs !== null && theirs === (edit.shownText ?? '')) return true;
    return new Promise<boolean>((resolve) => {
      const undecided: EditConflict = {
        edit,
        theirs,
        decide: (isMine) => {
          controller.setState({ editConflicts: controller.state.editConflicts.filter((one) => one !== undecided) });
          resolve(isMine);
        },
      };
      controller.setState({ editConflicts: [...controller.state.editConflicts, undecided] });
    });
  };
  return () => {
    session.onConflict = async () => false;
    for (const { decide } of controller.state.editConflicts) decide(false);
  };
}

async function readDisplayText(controller: GridController, { cell }: LateEdit): Promise<string | null> {
  if (cell === null) return null;
  const { row, column } = cell;
  const { cells } = controller.session.sheet(cell.sheet);
  const area = { top: row, bottom: row, left: column, right: column };
  cells.markStale([area]);
  return (await cells.ensureLoaded(area)) ? (cells.cell(row, column)?.m ?? '') : null;
}
