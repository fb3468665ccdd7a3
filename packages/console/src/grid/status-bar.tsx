import { useEffect, useState } from 'react';
import { ScrollRoom } from '../components/scroll-room.tsx';
import { failureText } from '../components/states.tsx';
import { cellNumberText, localeText, numberText, t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { endFilter, endPersonalFilter, isInUse, shownFilter } from './filter.ts';
import { useBook, useDesk } from './grid-host.tsx';
import { countOf, selectedAreas } from './selected-areas.ts';
import { selectionText, within } from './selection.ts';

/** A selection that stays so long is spoken, in milliseconds. */
const SPEAK_MS = 150;

/** What the selection holds, whether everything is saved, and who else is here. */
export function StatusBar({ desk }: { readonly desk: Desk }) {
  const { statistics } = useDesk(desk);
  const { live, saving, isStuck, present } = useBook(desk);
  const { rows, columns } = desk.sheet.shape;
  // Without a network that is said already.
  const { failure } = desk.sheet.cells;
  const count = countOf(selectedAreas(desk).flatMap((area) => within(area, rows, columns) ?? []));
  const parts: (readonly [string, string])[] = [];
  if (count > 1) {
    if (statistics === null) parts.push([t.grid.statistics.cells, numberText(count)]);
    else {
      parts.push([t.grid.statistics.count, numberText(statistics.filled)]);
      if (statistics.numbers > 0) {
        const { sum, numbers, least, greatest } = statistics;
        const text = (value: number) => cellNumberText(value, desk.book.locale);
        parts.push([t.grid.statistics.sum, text(sum)]);
        parts.push([t.grid.statistics.average, text(sum / numbers)]);
        parts.push([t.grid.statistics.least, text(least)]);
        parts.push([t.grid.statistics.greatest, text(greatest)]);
      }
    }
  }
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
  useEffect(() => {
    if (draft !== null || value === null) return;
    const timer = setTimeout(() => setText(t.grid.spoken(selectionText(selection), value)), SPEAK_MS);
    return () => clearTimeout(timer);
  }, [selection, draft, value]);
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  );
}
