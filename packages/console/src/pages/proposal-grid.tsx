import { type Area, areaText, cellText, columnName } from '@cellwire/engine';
import { ScrollContainer } from '../components/scroll-container.tsx';
import { getDisplayedCells, getProposedCells, type Proposal, type ProposedChange } from '../data/proposals.ts';
import type { Cell } from '../data/types.ts';
import { useLoad, useReloadOnChange } from '../data/use-load.ts';
import { qualifyRange } from '../grid/session/sheet-ranges.ts';
import { t } from '../text/index.ts';
import { getDisplayedText, locateRange, type ProposalPlace } from './proposal-values.ts';

/** Rows and columns of the window that is shown around the selected place. */
const ROWS = 12;
const COLUMNS = 8;
/** Windows whose selected cells are in one block of this size share one request. */
const BLOCK_ROWS = 40;
const BLOCK_COLUMNS = 16;

interface ProposalGridProps {
  readonly document: string;
  readonly proposal: Proposal;
  /** The selected place; null: none. */
  readonly place: ProposalPlace | null;
  /** Newest reported revision; null if none. The cells are loaded again when it changes. */
  readonly revision: number | null;
}

/**
 * The cells around a place. The window shows either the result of the proposal or, for what it removes, the document as
 * it is now, so that positions never mix.
 */
export function ProposalGrid({ document, proposal, place, revision }: ProposalGridProps) {
  const { id, state, conflicts } = proposal;
  const hasResult = state === 'open' && conflicts.length === 0;
  const { view = 'after', sheet = '', area } = place ?? {};
  const [row, column] = [area?.top ?? 0, area?.left ?? 0];
  const top = Math.max(0, row - Math.floor(ROWS / 2));
  const left = Math.max(0, column - Math.floor(COLUMNS / 2));
  const loadedArea = findLoadedArea(row, column);
  const range = qualifyRange(sheet, areaText(loadedArea));
  const isResult = hasResult && view === 'after';
  const loaded = useLoad(place === null ? '' : `${isResult} ${range}`, () =>
    isResult ? getProposedCells(document, id, range) : getDisplayedCells(document, range),
  );
  useReloadOnChange(loaded, String(revision));
  const cells = loaded.value?.values.cells ?? [];
  // Without a result the positions of a proposal that moves cells mean nothing in the present grid.
  if (place === null || (!hasResult && proposal.moves.length > 0)) return null;
  const changes = findChanges(proposal, place);
  const movedAreas = findMovedAreas(proposal, place);
  const findCell = (r: number, c: number) => cells[r - loadedArea.top]?.[c - loadedArea.left] ?? null;
  const isMoved = (r: number, c: number) => movedAreas.some((one) => containsCell(one, r, c));
  const columns = listIndexes(left, COLUMNS);
  const viewName = view === 'now' ? t.proposals.viewNow : hasResult ? t.proposals.viewAfter : t.proposals.viewPresent;
  const isGone = (r: number): boolean => {
    if (view === 'after') return false;
    const filled = columns.filter((c) => findCell(r, c) !== null);
    return (
      columns.every((c) => isMoved(r, c)) || (filled.length > 0 && filled.every((c) => changes.has(cellText(r, c))))
    );
  };
  return (
    <ScrollContainer className="proposal-window">
      <table className="table proposal-grid" aria-label={isResult ? t.proposals.preview : t.proposals.present}>
        <caption>
          {sheet} <span className="hint">{viewName}</span>
        </caption>
        <thead>
          <tr>
            <td />
            {columns.map((c) => (
              <th key={c} scope="col">
                {columnName(c)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listIndexes(top, ROWS).map((r) => (
            <tr key={r} className={isGone(r) ? 'gone' : undefined}>
              <th scope="row">{r + 1}</th>
              {columns.map((c) => (
                <PreviewCell
                  key={c}
                  cell={findCell(r, c)}
                  change={changes.get(cellText(r, c))}
                  moved={isMoved(r, c) ? (view === 'after' ? 'inserted' : 'deleted') : null}
                  isCurrent={row === r && column === c}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollContainer>
  );
}

/** The cells that are loaded for a selected cell. They contain its window. */
function findLoadedArea(row: number, column: number): Area {
  const firstRow = Math.floor(row / BLOCK_ROWS) * BLOCK_ROWS;
  const firstColumn = Math.floor(column / BLOCK_COLUMNS) * BLOCK_COLUMNS;
  return {
    top: Math.max(0, firstRow - ROWS),
    left: Math.max(0, firstColumn - COLUMNS),
    bottom: firstRow + BLOCK_ROWS + ROWS - 1,
    right: firstColumn + BLOCK_COLUMNS + COLUMNS - 1,
  };
}

/** The changed cells of the shown sheet: the removed ones in the present document, the others in the result. */
function findChanges({ changes }: Proposal, { view, sheet }: ProposalPlace): ReadonlyMap<string, ProposedChange> {
  const isShown = ({ deleted = false }: ProposedChange) => deleted === (view === 'now');
  return new Map(
    changes.filter(isShown).flatMap((change) => {
      const place = locateRange(change.cell, view);
      return place?.sheet === sheet ? [[areaText(place.area), change] as const] : [];
    }),
  );
}

/** Deleted rows, columns and cells in the present document, inserted ones in the result. */
function findMovedAreas({ moves }: Proposal, { view, sheet }: ProposalPlace): readonly Area[] {
  return moves.flatMap(({ from, to }) => {
    const range = view === 'now' ? (to === undefined ? from : undefined) : from === undefined ? to : undefined;
    const place = range === undefined ? null : locateRange(range, view);
    return place?.sheet === sheet ? [place.area] : [];
  });
}

function containsCell({ top, left, bottom, right }: Area, row: number, column: number): boolean {
  return row >= top && row <= bottom && column >= left && column <= right;
}

function listIndexes(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

interface PreviewCellProps {
  readonly cell: Cell | null;
  readonly change: ProposedChange | undefined;
  readonly moved: 'inserted' | 'deleted' | null;
  readonly isCurrent: boolean;
}

function PreviewCell({ cell, change, moved, isCurrent }: PreviewCellProps) {
  const kind = change === undefined ? moved : change.deleted ? 'deleted' : change.derived ? 'derived' : 'written';
  const value = change === undefined ? cell?.v : (change.after ?? change.before);
  const isNumber = typeof value === 'number' || cell?.t === 'd';
  const marks = [kind, isCurrent ? 'current' : null, isNumber ? 'end' : null].filter((mark) => mark !== null);
  const className = marks.length === 0 ? undefined : marks.join(' ');
  if (change === undefined) {
    return (
      <td className={className} title={cell?.m}>
        {cell?.m ?? ''}
      </td>
    );
  }
  const [before, after] = [getDisplayedText(change, 'before'), getDisplayedText(change, 'after')];
  const { formulas } = change;
  const title = [
    `${before} → ${after}`,
    ...(formulas === undefined ? [] : [`${formulas.before ?? ''} → ${formulas.after ?? ''}`]),
  ];
  return (
    <td className={className} title={title.join('\n')}>
      {before === '' ? null : <del>{before}</del>} {after === '' ? null : <ins>{after}</ins>}
    </td>
  );
}
