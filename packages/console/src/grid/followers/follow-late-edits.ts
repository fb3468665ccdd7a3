import type { Desk } from '../controller/grid-controller.ts';
import type { UndecidedEdit } from '../controller/grid-state.ts';
import type { LateEdit } from '../session/session-state.ts';

/** Asks the person about edits that waited while someone else changed their cells, until the answer is called. */
export function followLateEdits(desk: Desk): () => void {
  const { book } = desk;
  book.onConflict = async (edit) => {
    const theirs = await shownIn(desk, edit);
    // The cell was only moved, or written with what it held.
    if (theirs !== null && theirs === (edit.seen ?? '')) return true;
    return new Promise<boolean>((resolve) => {
      const undecided: UndecidedEdit = {
        edit,
        theirs,
        decide: (isMine) => {
          desk.become({ lateEdits: desk.state.lateEdits.filter((one) => one !== undecided) });
          resolve(isMine);
        },
      };
      desk.become({ lateEdits: [...desk.state.lateEdits, undecided] });
    });
  };
  return () => {
    book.onConflict = async () => false;
    for (const { decide } of desk.state.lateEdits) decide(false);
  };
}

async function shownIn(desk: Desk, { cell }: LateEdit): Promise<string | null> {
  if (cell === null) return null;
  const { row, column } = cell;
  const { cells } = desk.book.sheet(cell.sheet);
  const area = { top: row, bottom: row, left: column, right: column };
  cells.outdate([area]);
  return (await cells.fetched(area)) ? (cells.cell(row, column)?.m ?? '') : null;
}
