import { areaText, columnName, quoteSheetName } from '@cellwire/engine';
import { useState } from 'react';
import { LoadedView, Notice } from '../components/states.tsx';
import { API, call, query } from '../data/http.ts';
import type { ValueRange } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { useDesk } from './grid-host.tsx';

/** Rows and columns of a page of the past. */
const ROWS = 100;
const COLUMNS = 26;

/** A sheet as it was at a revision, page by page: to look at only. */
export function PastView({ desk, revision, onClose }: { desk: Desk; revision: number; onClose: () => void }) {
  const { sheet } = useDesk(desk);
  const [top, setTop] = useState(0);
  const area = { top, left: 0, bottom: top + ROWS - 1, right: COLUMNS - 1 };
  const range = `${quoteSheetName(sheet)}!${areaText(area)}`;
  const path = `${API}/documents/${desk.book.id}/values/${encodeURIComponent(range)}${query({ revision })}`;
  const loaded = useLoad(path, () => call<{ readonly values: ValueRange }>('GET', path));
  return (
    <div className="past">
      <Notice kind="warn">
        <div className="row between">
          <span>{t.history.past(revision)}</span>
          <span className="row">
            <button type="button" className="button" disabled={top === 0} onClick={() => setTop(top - ROWS)}>
              ↑ {ROWS}
            </button>
            <button type="button" className="button" onClick={() => setTop(top + ROWS)}>
              ↓ {ROWS}
            </button>
            <button type="button" className="button primary" onClick={onClose}>
              {t.history.toPresent}
            </button>
          </span>
        </div>
      </Notice>
      <div className="past-room">
        <LoadedView loaded={loaded}>
          {({ values: { cells } }) => (
            <table className="past-table">
              <thead>
                <tr>
                  <th />
                  {Array.from({ length: COLUMNS }, (_, column) => (
                    <th key={columnName(column)} scope="col">
                      {columnName(column)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {numbered(cells, top + 1).map(({ number, row }) => (
                  <tr key={number}>
                    <th scope="row">{number}</th>
                    {row.map((cell, column) => (
                      <td key={columnName(column)} className={typeof cell?.v === 'number' ? 'end' : ''} title={cell?.f}>
                        {cell?.m ?? ''}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </LoadedView>
      </div>
    </div>
  );
}

function numbered<T>(rows: readonly T[], first: number): readonly { readonly number: number; readonly row: T }[] {
  return rows.map((row, place) => ({ number: first + place, row }));
}
