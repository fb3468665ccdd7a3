import { cellText } from '@cellwire/engine';
import { Dialog } from '../../components/dialog.tsx';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useGridState } from '../controller/use-controller.ts';

/** Shows both values of the oldest conflict and asks which one to keep. */
export function EditConflictDialog({ controller }: { readonly controller: GridController }) {
  const { editConflicts } = useGridState(controller);
  const [first, ...others] = editConflicts;
  if (first === undefined) return null;
  const { cell, mine } = first.edit;
  const cellName = cell === null ? t.grid.late.someCells : cellText(cell.row, cell.column);
  return (
    <Dialog title={t.grid.late.title(cellName)} onClose={() => first.decide(false)}>
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
