import { areaText } from '@cellwire/engine';
import { Dialog } from '../../components/dialog.tsx';
import { Table } from '../../components/table.tsx';
import { formatLocalNumber, t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { ConflictingCell, EditConflict } from '../controller/grid-state.ts';
import { useGridState } from '../controller/use-controller.ts';
import { parseSheetRange } from '../session/sheet-ranges.ts';

/** Shows both values of the oldest conflict and asks which one to keep. */
export function EditConflictDialog({ controller }: { readonly controller: GridController }) {
  const { editConflicts, sheet } = useGridState(controller);
  const [first, ...others] = editConflicts;
  if (first === undefined) return null;
  const { cells, count, decide, isByMe } = first;
  const texts = isByMe ? t.grid.late.byMe : t.grid.late.byAnother;
  const [cell, ...moreCells] = cells;
  return (
    <Dialog title={texts.title(describeCells(first, sheet))} onClose={() => decide('theirs')}>
      <p>{texts.hint}</p>
      {cell === undefined ? null : moreCells.length === 0 ? (
        <dl className="facts">
          <dt>{texts.theirs}</dt>
          <dd>{describeTheirText(cell)}</dd>
          <dt>{t.grid.late.mine}</dt>
          <dd>{describeMyText(cell)}</dd>
        </dl>
      ) : (
        <Table columns={[t.grid.late.cell, texts.theirs, t.grid.late.mine]}>
          {cells.map((one) => (
            <tr key={one.range}>
              <td>{formatAddress(one, sheet)}</td>
              <td>{describeTheirText(one)}</td>
              <td>{describeMyText(one)}</td>
            </tr>
          ))}
        </Table>
      )}
      {count > cells.length && cells.length > 0 ? (
        <p>{t.grid.late.moreCells(formatLocalNumber(count - cells.length))}</p>
      ) : null}
      {others.length > 0 ? <p>{t.grid.late.left(others.length)}</p> : null}
      <footer className="row end">
        <button type="button" className="button" data-focus-first onClick={() => decide('theirs')}>
          {texts.keepTheirs}
        </button>
        <button type="button" className="button primary" onClick={() => decide('mine')}>
          {t.grid.late.keepMine}
        </button>
      </footer>
    </Dialog>
  );
}

/** `sheet`: the sheet that the page shows. */
function describeCells({ cells, count }: EditConflict, sheet: string): string {
  if (cells.length === 0) return t.grid.late.someCells;
  return count > cells.length ? t.grid.late.cellCount(count) : cells.map((one) => formatAddress(one, sheet)).join(', ');
}

/** The address of a cell, with the name of its sheet if the page shows another one. */
function formatAddress({ range }: ConflictingCell, sheet: string): string {
  const place = parseSheetRange(range);
  return place?.sheet === sheet ? areaText(place.area) : range;
}

function describeTheirText({ theirs }: ConflictingCell): string {
  return theirs === '' ? t.grid.empty : (theirs ?? t.grid.late.unknown);
}

function describeMyText({ mine }: ConflictingCell): string {
  return mine === '' ? t.grid.empty : (mine ?? t.grid.late.mineText);
}
