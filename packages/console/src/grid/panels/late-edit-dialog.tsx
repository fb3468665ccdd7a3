import { cellText } from '@cellwire/engine';
import { Dialog } from '../../components/dialog.tsx';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { useDesk } from '../host/grid-host.tsx';
import type { LateEdit } from '../session/document-session.ts';

/** An edit and what someone else wrote in its place. */
export interface UndecidedEdit {
  readonly edit: LateEdit;
  /** What the cell shows now; null: not known, or an edit of more cells. */
  readonly theirs: string | null;
  readonly decide: (isMine: boolean) => void;
}

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

/** Both values of the oldest such edit, and the choice between them. */
export function LateEditDialog({ desk }: { readonly desk: Desk }) {
  const { lateEdits } = useDesk(desk);
  const [first, ...others] = lateEdits;
  if (first === undefined) return null;
  const { cell, mine } = first.edit;
  const where = cell === null ? t.grid.late.someCells : cellText(cell.row, cell.column);
  return (
    <Dialog title={t.grid.late.title(where)} onClose={() => first.decide(false)}>
      <p>{t.grid.late.hint}</p>
      <dl className="facts">
        <dt>{t.grid.late.theirs}</dt>
        <dd>{first.theirs === '' ? t.grid.empty : (first.theirs ?? t.grid.late.mineText)}</dd>
        <dt>{t.grid.late.mine}</dt>
        <dd>{mine === '' ? t.grid.empty : (mine ?? t.grid.late.mineText)}</dd>
      </dl>
      {others.length > 0 ? <p>{t.grid.late.left(others.length)}</p> : null}
      <footer className="actions">
        <button type="button" className="button" data-focus-first onClick={() => first.decide(false)}>
          {t.grid.late.keepTheirs}
        </button>
        <button type="button" className="button primary" onClick={() => first.decide(true)}>
          {t.grid.late.keepMine}
        </button>
      </footer>
    </Dialog>
  );
}
