import { useEffect, useState } from 'react';
import { ScrollRoom } from '../../components/scroll-room.tsx';
import { failureText } from '../../components/states.tsx';
import { cellNumberText, localeText, numberText, t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import type { Statistics } from '../controller/grid-state.ts';
import { shownCells } from '../controller/selected-areas.ts';
import { useBook, useDesk } from '../controller/use-controller.ts';
import { selectionText } from '../selection/selection.ts';
import { isInUse } from '../session/filter.ts';
import { endFilter, endPersonalFilter, shownFilter } from '../sort-and-filter/filter-actions.ts';

/** A selection that stays so long is spoken, in milliseconds. */
const SPEAK_MS = 150;

/** What the selection holds, whether everything is saved, and who else is here. */
export function StatusBar({ desk }: { readonly desk: Desk }) {
  const { statistics } = useDesk(desk);
  const { live, saving, isStuck, present } = useBook(desk);
  // Without a network that is said already.
  const { failure } = desk.sheet.cells;
  const count = shownCells(desk);
  const parts = count > 1 ? statisticParts(desk, count, statistics) : [];
  const others = [...new Set(present.map(({ user }) => user.name))];
  return (
    <ScrollRoom className="status-bar">
      <span className={`live ${live}`}>{saving > 0 && !isStuck ? t.grid.saving : t.grid.live[live]}</span>
      {isStuck ? (
        <span className="badge warn" role="alert">
          {t.grid.stuck(saving)}
        </span>
      ) : null}
      {failure === null || failure.status === 0 ? null : (
        <span className="badge bad" role="alert">
          {t.grid.notRead(failureText(failure))}
        </span>
      )}
      {others.length === 0 ? null : <span className="badge accent">{t.grid.others(others.join(', '))}</span>}
      <WorkState desk={desk} />
      <FilterState desk={desk} />
      <span className="grow" />
      {parts.map(([name, value]) => (
        <span key={name} className="statistic">
          {name}: <b>{value}</b>
        </span>
      ))}
      {desk.book.locale === null ? null : (
        <span className="statistic" title={t.grid.localeHint}>
          {localeText(desk.book.locale)}
        </span>
      )}
      <Spoken desk={desk} />
    </ScrollRoom>
  );
}

/** What a selection holds, by name. Sums of dates mean nothing; those of times are times. */
function statisticParts(
  desk: Desk,
  count: number,
  statistics: Statistics | null,
): readonly (readonly [string, string])[] {
  const words = t.grid.statistics;
  if (statistics === null) return [[words.cells, numberText(count)]];
  const { filled, numbers, sum, least, greatest, dates, times, distinct } = statistics;
  const text = (value: number) => cellNumberText(value, desk.book.locale);
  const parts: [string, string][] = [[words.count, numberText(filled)]];
  if (sum !== undefined && least !== undefined && greatest !== undefined) {
    parts.push([words.numbers, numberText(numbers)], [words.sum, text(sum)], [words.average, text(sum / numbers)]);
    parts.push([words.least, text(least)], [words.greatest, text(greatest)]);
  }
  if (times !== undefined) parts.push([words.sum, times.sum], [words.average, times.average]);
  const ends = dates ?? times;
  if (ends !== undefined) parts.push([words.least, ends.least], [words.greatest, ends.greatest]);
  if (distinct !== undefined) parts.push([words.distinct, numberText(distinct)]);
  return parts;
}

/** How far something long is, and the way to cancel it. */
function WorkState({ desk }: { readonly desk: Desk }) {
  const { work } = useDesk(desk);
  if (work === null) return null;
  const { kind, done, total, cancel } = work;
  const text = t.grid.work[kind](numberText(done), numberText(total));
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

/** How many rows the filter leaves, and the ways back from it. */
function FilterState({ desk }: { readonly desk: Desk }) {
  useDesk(desk);
  const filter = shownFilter(desk);
  const done = (outcome: ReturnType<typeof endFilter>) =>
    void outcome.then((failure) => failure !== null && desk.onFailure(failure));
  return (
    <>
      {isInUse(filter) ? (
        <button type="button" className="badge warn" title={t.filter.applied} onClick={() => done(endFilter(desk))}>
          {t.grid.filtered(filter.rows.length)} · {t.grid.filterOff}
        </button>
      ) : null}
      {filter?.isPersonal === true ? (
        <button type="button" className="badge" onClick={() => done(endPersonalFilter(desk))}>
          {filter.isOverShared ? t.filter.useShared : t.filter.own}
        </button>
      ) : null}
    </>
  );
}

/** For screen readers: where one is, and what stands there. */
function Spoken({ desk }: { readonly desk: Desk }) {
  const { selection, draft } = useDesk(desk);
  const [text, setText] = useState('');
  const cell = desk.cell(selection.active);
  const value = cell === undefined ? null : (cell?.error?.message ?? cell?.m ?? t.grid.empty);
  const { mayRead } = desk;
  useEffect(() => {
    // What was spoken stays in the page: not so of values that are hidden now.
    if (!mayRead) return setText('');
    if (draft !== null || value === null) return;
    const timer = setTimeout(() => setText(t.grid.spoken(selectionText(selection), value)), SPEAK_MS);
    return () => clearTimeout(timer);
  }, [selection, draft, value, mayRead]);
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  );
}
