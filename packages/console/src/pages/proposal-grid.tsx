import { areaText, cellText, columnName } from '@cellwire/engine';
import { ScrollContainer } from '../components/scroll-container.tsx';
import { getDisplayedCells, type ProposedChange } from '../data/proposals.ts';
import type { Cell } from '../data/types.ts';
import { useLoad, useReloadOnChange } from '../data/use-load.ts';
import type { InputLocale } from '../grid/formula/cell-text.ts';
import { qualifyRange } from '../grid/session/sheet-ranges.ts';
import { t } from '../text/index.ts';
import { formatProposedValue, isEmpty, locateChange } from './proposal-values.ts';

/** Rows and columns of the window that is shown around a changed cell. */
const ROWS = 12;
const COLUMNS = 8;

interface GridProps {
  readonly document: string;
  readonly inputLocale: InputLocale;
  readonly changes: readonly ProposedChange[];
  readonly selected: number;
  /** Newest reported revision; null if none. The cells are loaded again when it changes. */
  readonly revision: number | null;
}

/** The cells around a changed cell as they would be. */
export function ProposalGrid({ document, inputLocale, changes, selected, revision }: GridProps) {
  const placed = changes.map(locateChange);
  const current = placed[selected] ?? null;
  const top = Math.max(0, (current?.row ?? 0) - Math.floor(ROWS / 2));
  const left = Math.max(0, (current?.column ?? 0) - Math.floor(COLUMNS / 2));
  const area = areaText({ top, left, bottom: top + ROWS - 1, right: left + COLUMNS - 1 });
  const range = current === null ? null : qualifyRange(current.sheet, area);
  const loaded = useLoad(range ?? '', () => getDisplayedCells(document, range ?? ''));
  useReloadOnChange(loaded, String(revision));
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
    <ScrollContainer className="proposal-window">
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
                return (
                  <PreviewCell
                    key={name}
                    cell={cell}
                    change={own.get(name)}
                    isCurrent={isCurrent}
                    inputLocale={inputLocale}
                  />
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollContainer>
  );
}

function listIndexes(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

interface CellProps {
  readonly cell: Cell | null;
  readonly change: ProposedChange | undefined;
  readonly isCurrent: boolean;
  readonly inputLocale: InputLocale;
}

function PreviewCell({ cell, change, isCurrent, inputLocale }: CellProps) {
  const kind = change === undefined ? null : change.deleted ? 'deleted' : change.derived ? 'derived' : 'written';
  const { before, after } = change ?? { before: cell?.v ?? null, after: cell?.v ?? null };
  const isNumber = typeof (isEmpty(after) ? before : after) === 'number';
  const marks = [kind, isCurrent ? 'current' : null, isNumber ? 'end' : null].filter((mark) => mark !== null);
  const className = marks.length === 0 ? undefined : marks.join(' ');
  if (change === undefined) {
    return (
      <td className={className} title={cell?.m}>
        {cell?.m ?? ''}
      </td>
    );
  }
  const format = (value: unknown) => (isEmpty(value) ? '' : formatProposedValue(value, cell, inputLocale));
  const [textBefore, textAfter] = [format(before), format(after)];
  return (
    <td className={className} title={`${textBefore} → ${textAfter}`}>
      {textBefore === '' ? null : <del>{textBefore}</del>} {textAfter === '' ? null : <ins>{textAfter}</ins>}
    </td>
  );
}
