import { columnName } from '@cellwire/engine';
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import { Select } from '../../components/field.tsx';
import { ScrollContainer } from '../../components/scroll-container.tsx';
import { EmptyState, LoadedView, Notice } from '../../components/states.tsx';
import { API, CONSOLE_API, callApi, formatQuery, type Result } from '../../data/http.ts';
import type { Cell, ValueRange } from '../../data/types.ts';
import { useLoad } from '../../data/use-load.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { type BlockAnswer, CellStore } from '../session/cell-store.ts';

/** Sizes of cells and headings, in pixels. */
const ROW_HEIGHT = 24;
const COLUMN_WIDTH = 120;
const HEADING_WIDTH = 56;
/** Lines drawn beyond the visible area. */
const EXTRA_LINES = 4;

interface PastSheet {
  readonly name: string;
  /** Current name of the sheet; null if the sheet was deleted. */
  readonly nameNow: string | null;
  readonly hidden: boolean;
  readonly rows: number;
  readonly columns: number;
}

interface PastViewProps {
  readonly controller: GridController;
  readonly revision: number;
  readonly onClose: () => void;
}

/** Read-only view of the sheets at a revision, with their names at that time. */
export function PastView({ controller, revision, onClose }: PastViewProps) {
  const path = `${CONSOLE_API}/documents/${controller.session.id}/revisions/${revision}/sheets`;
  const loaded = useLoad(path, () => callApi<{ readonly sheets: readonly PastSheet[] }>('GET', path));
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <div className="past">
      <Notice kind="warn">
        <div className="row between">
          <span>{t.history.past(revision)}</span>
          <button type="button" className="button primary" onClick={onClose}>
            {t.history.toPresent}
          </button>
        </div>
      </Notice>
      <LoadedView loaded={loaded}>
        {({ sheets }) => {
          const sheet =
            sheets.find(({ name }) => name === chosen) ??
            sheets.find(({ nameNow }) => nameNow === controller.state.sheet) ??
            sheets[0];
          if (sheet === undefined) return <EmptyState icon="grid" title={t.history.noSheets} />;
          return (
            <>
              <div className="past-sheets">
                <Select
                  label={t.history.sheet}
                  value={sheet.name}
                  onChange={({ currentTarget }) => setChosen(currentTarget.value)}
                >
                  {sheets.map(({ name, nameNow }) => (
                    <option key={name} value={name}>
                      {nameNow === name
                        ? name
                        : nameNow === null
                          ? t.history.deletedSheet(name)
                          : t.history.renamed(name, nameNow)}
                    </option>
                  ))}
                </Select>
              </div>
              {sheet.rows === 0 ? (
                <EmptyState icon="grid" title={t.history.emptySheet} />
              ) : (
                <PastTable key={sheet.name} controller={controller} revision={revision} sheet={sheet} />
              )}
            </>
          );
        }}
      </LoadedView>
    </div>
  );
}

interface PastTableProps {
  readonly controller: GridController;
  readonly revision: number;
  readonly sheet: PastSheet;
}

/** Visible part of the table, in pixels. */
interface VisibleBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Table of all used cells. Only the visible part is drawn and loaded. */
function PastTable({ controller, revision, sheet: { name, rows, columns } }: PastTableProps) {
  const room = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [visibleBox, setVisibleBox] = useState<VisibleBox>({ left: 0, top: 0, width: 0, height: 0 });
  const { id } = controller.session;
  const cells = useMemo(
    () =>
      new CellStore(name, {
        readBlocks: (ranges) => readPastBlocks(`${API}/documents/${id}/values`, ranges, revision),
        onChange: redraw,
      }),
    [id, name, revision],
  );
  useEffect(() => () => cells.close(), [cells]);
  const look = useCallback((element: HTMLElement) => {
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = element;
    setVisibleBox({ left, top, width, height });
  }, []);
  useLayoutEffect(() => {
    const { current } = room;
    if (current === null) return;
    const observer = new ResizeObserver(() => look(current));
    observer.observe(current);
    current.focus({ preventScroll: true });
    return () => observer.disconnect();
  }, [look]);
  const down = findVisibleLines(visibleBox.top, visibleBox.height, ROW_HEIGHT, rows);
  const across = findVisibleLines(visibleBox.left, visibleBox.width, COLUMN_WIDTH, columns);
  const [top, bottom, left, right] = [down.first, down.last, across.first, across.last];
  useEffect(() => cells.setVisibleArea({ top, bottom, left, right }), [cells, top, bottom, left, right]);
  const shownColumns = Array.from({ length: across.last - across.first + 1 }, (_, i) => across.first + i);
  const shownRows = Array.from({ length: down.last - down.first + 1 }, (_, i) => down.first + i);
  const before = across.first;
  const after = columns - 1 - across.last;
  return (
    <ScrollContainer className="past-room" containerRef={room} onScroll={look}>
      <table
        className="past-table"
        aria-label={t.history.table(name, revision)}
        aria-rowcount={rows + 1}
        aria-colcount={columns + 1}
        ref={(table) => setTableWidth(table, columns)}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th className="corner" />
            <ColumnGap lines={before} />
            {shownColumns.map((column) => (
              <th key={column} scope="col" aria-colindex={column + 2}>
                {columnName(column)}
              </th>
            ))}
            <ColumnGap lines={after} />
          </tr>
        </thead>
        <tbody>
          <RowGap lines={down.first} />
          {shownRows.map((row) => (
            <tr key={row} aria-rowindex={row + 2}>
              <th scope="row">{row + 1}</th>
              <ColumnGap lines={before} />
              {shownColumns.map((column) => (
                <PastCell key={column} cell={cells.getCell(row, column)} column={column} />
              ))}
              <ColumnGap lines={after} />
            </tr>
          ))}
          <RowGap lines={rows - 1 - down.last} />
        </tbody>
      </table>
    </ScrollContainer>
  );
}

function PastCell({ cell, column }: { readonly cell: Cell | null | undefined; readonly column: number }) {
  return (
    <td aria-colindex={column + 2} className={typeof cell?.v === 'number' ? 'end' : ''} title={cell?.f ?? cell?.m}>
      {cell?.m ?? ''}
    </td>
  );
}

/** Placeholder for columns that are not drawn. */
function ColumnGap({ lines }: { readonly lines: number }) {
  return lines <= 0 ? null : (
    <td className="gap" aria-hidden="true" ref={(cell) => setSize(cell, 'width', lines * COLUMN_WIDTH)} />
  );
}

/** Placeholder for rows that are not drawn. */
function RowGap({ lines }: { readonly lines: number }) {
  return lines <= 0 ? null : <tr className="gap" ref={(row) => setSize(row, 'height', lines * ROW_HEIGHT)} />;
}

/** The content security policy forbids style attributes, so sizes are set by script. */
function setSize(element: HTMLElement | null, side: 'width' | 'height', pixels: number): void {
  if (element !== null) element.style[side] = `${pixels}px`;
}

function setTableWidth(table: HTMLElement | null, columns: number): void {
  setSize(table, 'width', HEADING_WIDTH + columns * COLUMN_WIDTH);
}

/** Returns the first and last line to draw. `from` and `length`: the visible part in pixels. */
function findVisibleLines(from: number, length: number, lineSize: number, count: number) {
  const first = Math.max(0, Math.floor(from / lineSize) - EXTRA_LINES);
  return {
    first: Math.min(first, count - 1),
    last: Math.min(count - 1, Math.ceil((from + length) / lineSize) + EXTRA_LINES),
  };
}

/** Reads the cells of ranges at a revision. */
async function readPastBlocks(base: string, ranges: readonly string[], revision: number): Promise<Result<BlockAnswer>> {
  const ask = (range: string) =>
    callApi<{ readonly values: ValueRange }>('GET', `${base}/${encodeURIComponent(range)}${formatQuery({ revision })}`);
  const answers = await Promise.all(ranges.map(ask));
  const failed = answers.find((answer) => !answer.ok);
  if (failed !== undefined && !failed.ok) return failed;
  const values = answers.flatMap((answer) => (answer.ok ? [answer.value.values] : []));
  return { ok: true, headers: new Headers(), value: { ranges: values, styles: [], revision } };
}
