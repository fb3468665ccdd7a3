import { areaText, cellText, columnName, parseArea, splitSheetPrefix } from '@cellwire/engine';
import { getDisplayedCells, type ProposedChange } from '../data/proposals.ts';
import type { Cell } from '../data/types.ts';
import { useLoad, useReloadOnNews } from '../data/use-load.ts';
import { qualifyRange } from '../grid/session/sheet-ranges.ts';
import { t } from '../text/index.ts';

/** Rows and columns of the window that is shown around a changed cell. */
const ROWS = 12;
const COLUMNS = 8;

/** A changed cell with its position. Rows and columns count from 0. */
interface PlacedChange {
  readonly change: ProposedChange;
  readonly sheet: string;
  readonly row: number;
  readonly column: number;
}

function locateChange(change: ProposedChange): PlacedChange | null {
  const parts = splitSheetPrefix(change.cell);
  const at = parts === null ? null : parseArea(parts.rest);
  return parts?.sheet == null || at === null ? null : { change, sheet: parts.sheet, row: at.top, column: at.left };
}

interface GridProps {
  readonly document: string;
  readonly changes: readonly ProposedChange[];
  readonly selected: number;
  /** Newest reported revision; null if none. The cells are loaded again when it changes. */
  readonly revision: number | null;
}

/** The cells around a changed cell as they would be. */
export function ProposalGrid({ document, changes, selected, revision }: GridProps) {
  const placed = changes.map(locateChange);
  const current = placed[selected] ?? null;
  const top = Math.max(0, (current?.row ?? 0) - Math.floor(ROWS / 2));
  const left = Math.max(0, (current?.column ?? 0) - Math.floor(COLUMNS / 2));
  const area = areaText({ top, left, bottom: top + ROWS - 1, right: left + COLUMNS - 1 });
  const range = current === null ? null : qualifyRange(current.sheet, area);
  const loaded = useLoad(range ?? '', () => getDisplayedCells(document, range ?? ''));
  useReloadOnNews(loaded, String(revision));
  const cells = loaded.value?.values.cells ?? [];
  if (current === null) return null;
  const own = new Map(
    placed.flatMap((one) =>
      one?.sheet === current.sheet ? [[cellText(one.row, one.column), one.change] as const] : [],
    ),
  );
  const isGone = (row: number): boolean => {
    const changesByCell = cells[row - top]?.map((cell, i) => [cell, own.get(cellText(row, left + i))] as const) ?? [];
    const filled = changesByCell.filter(([cell]) => cell !== null);
    return filled.length > 0 && filled.every(([, change]) => change?.deleted === true);
  };
  return (
    <table className="table proposal-grid" aria-label={t.proposals.preview}>
      <caption>{current.sheet}</caption>
      <thead>
        <tr>
          <td />
          {listIndexes(left, COLUMNS).map((column) => (
            <th key={column} scope="col">
              {columnName(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {listIndexes(top, ROWS).map((row) => (
          <tr key={row} className={isGone(row) ? 'gone' : undefined}>
            <th scope="row">{row + 1}</th>
            {listIndexes(left, COLUMNS).map((column) => {
              const name = cellText(row, column);
              const isCurrent = current.row === row && current.column === column;
              const cell = cells[row - top]?.[column - left] ?? null;
              return <PreviewCell key={name} cell={cell} change={own.get(name)} isCurrent={isCurrent} />;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function listIndexes(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

interface CellProps {
  readonly cell: Cell | null;
  readonly change: ProposedChange | undefined;
  readonly isCurrent: boolean;
}

function PreviewCell({ cell, change, isCurrent }: CellProps) {
  const mark = isCurrent ? ' current' : '';
  if (change === undefined) return <td className={mark.trim() || undefined}>{cell?.m ?? ''}</td>;
  const kind = change.deleted ? 'deleted' : change.derived ? 'derived' : 'written';
  return (
    <td className={`${kind}${mark}`}>
      {isEmpty(change.before) ? null : <del>{formatProposedValue(change.before)}</del>}{' '}
      {isEmpty(change.after) ? null : <ins>{formatProposedValue(change.after)}</ins>}
    </td>
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '';
}

/** Formats a value as text, and an error as its code. */
export function formatProposedValue(value: unknown): string {
  if (isEmpty(value)) return t.proposals.empty;
  if (typeof value === 'object' && value !== null && 'error' in value) return String(value.error);
  return String(value);
}
