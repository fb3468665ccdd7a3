import { useEffect, useState } from 'react';
import { ScrollContainer } from '../../components/scroll-container.tsx';
import { describeFailure } from '../../components/states.tsx';
import { describeLocale, formatCellNumber, formatLocalNumber, t, translateServiceText } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { Statistics } from '../controller/grid-state.ts';
import { countVisibleCells } from '../controller/selected-areas.ts';
import { useGridState, useSessionState } from '../controller/use-controller.ts';
import { formatSelection } from '../selection/selection.ts';
import { hasConditions } from '../session/filter.ts';
import { endPersonalFilter, getCurrentFilter, showAllRows } from '../sort-and-filter/filter-actions.ts';

/** Delay before a new selection is announced, in milliseconds. */
const ANNOUNCE_DELAY_MS = 150;

/** Statistics of the selection, saving state and other people. */
export function StatusBar({ controller }: { readonly controller: GridController }) {
  const { statistics } = useGridState(controller);
  const { live, pendingWrites, isRetrying, viewers } = useSessionState(controller);
  // The page already shows that the network is missing.
  const { failure } = controller.sheet.cells;
  const count = countVisibleCells(controller);
  const parts = count > 1 ? describeStatistics(controller, count, statistics) : [];
  const others = [...new Set(viewers.map(({ user }) => user.name))];
  return (
    <ScrollContainer className="status-bar">
      <span className={`live ${live}`}>{pendingWrites > 0 && !isRetrying ? t.grid.saving : t.grid.live[live]}</span>
      {isRetrying ? (
        <span className="badge warn" role="alert">
          {t.grid.stuck(pendingWrites)}
        </span>
      ) : null}
      {failure === null || failure.status === 0 ? null : (
        <span className="badge bad" role="alert">
          {t.grid.notRead(describeFailure(failure))}
        </span>
      )}
      {others.length === 0 ? null : <span className="badge accent">{t.grid.others(others.join(', '))}</span>}
      <TaskProgress controller={controller} />
      <FilterState controller={controller} />
      <span className="grow" />
      {parts.map(([name, value]) => (
        <span key={name} className="statistic">
          {name}: <b>{value}</b>
        </span>
      ))}
      {controller.session.locale === null ? null : (
        <span className="statistic only-wide" title={t.grid.localeHint}>
          {describeLocale(controller.session.locale)}
        </span>
      )}
      <Announcement controller={controller} />
    </ScrollContainer>
  );
}

/** Statistics by name. Dates have no sum; sums of times are times. */
function describeStatistics(
  controller: GridController,
  count: number,
  statistics: Statistics | null,
): readonly (readonly [string, string])[] {
  const words = t.grid.statistics;
  if (statistics === null) return [[words.cells, formatLocalNumber(count)]];
  const { filled, numbers, sum, least, greatest, dates, times, distinct } = statistics;
  const formatNumber = (value: number) => formatCellNumber(value, controller.session.locale);
  const parts: [string, string][] = [[words.count, formatLocalNumber(filled)]];
  if (sum !== undefined && least !== undefined && greatest !== undefined) {
    parts.push(
      [words.numbers, formatLocalNumber(numbers)],
      [words.sum, formatNumber(sum)],
      [words.average, formatNumber(sum / numbers)],
    );
    parts.push([words.least, formatNumber(least)], [words.greatest, formatNumber(greatest)]);
  }
  if (times !== undefined) parts.push([words.sum, times.sum], [words.average, times.average]);
  const ends = dates ?? times;
  if (ends !== undefined) parts.push([words.least, ends.least], [words.greatest, ends.greatest]);
  if (distinct !== undefined) parts.push([words.distinct, formatLocalNumber(distinct)]);
  return parts;
}

/** Progress of the long task, with a cancel button. */
function TaskProgress({ controller }: { readonly controller: GridController }) {
  const { task } = useGridState(controller);
  if (task === null) return null;
  const { kind, done, total, cancel } = task;
  const text = t.grid.work[kind](formatLocalNumber(done), formatLocalNumber(total));
  return (
    <>
      <progress value={done} max={total} aria-label={text} />
      <span>{text}</span>
      <button type="button" className="badge warn" onClick={cancel}>
        {t.cancel}
      </button>
    </>
  );
}

/** Number of rows that the filter shows, with buttons to end it. */
function FilterState({ controller }: { readonly controller: GridController }) {
  useGridState(controller);
  const filter = getCurrentFilter(controller);
  const showFailure = (outcome: ReturnType<typeof showAllRows>) =>
    void outcome.then((failure) => failure !== null && controller.onFailure(failure));
  return (
    <>
      {hasConditions(filter) ? (
        <button
          type="button"
          className="badge warn"
          title={t.filter.applied}
          onClick={() => showFailure(showAllRows(controller))}
        >
          {t.grid.filtered(filter.rows.length)} · {t.grid.filterOff}
        </button>
      ) : null}
      {filter?.isPersonal === true ? (
        <button type="button" className="badge" onClick={() => showFailure(endPersonalFilter(controller))}>
          {filter.isOverShared ? t.filter.useShared : t.filter.own}
        </button>
      ) : null}
    </>
  );
}

/** Announces the active cell to screen readers. */
function Announcement({ controller }: { readonly controller: GridController }) {
  const { selection, draft } = useGridState(controller);
  const [text, setText] = useState('');
  const cell = controller.getCell(selection.active);
  const problem = cell?.error?.message;
  const value =
    cell === undefined ? null : problem === undefined ? (cell?.m ?? t.grid.empty) : translateServiceText(problem);
  const { canRead } = controller;
  useEffect(() => {
    // Announced text stays in the page, so it is cleared when values become hidden.
    if (!canRead) return setText('');
    if (draft !== null || value === null) return;
    const timer = setTimeout(() => setText(t.grid.spoken(formatSelection(selection), value)), ANNOUNCE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [selection, draft, value, canRead]);
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  );
}
