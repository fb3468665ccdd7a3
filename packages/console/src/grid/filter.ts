import { cellText, columnName, quoteSheetName } from '@cellwire/engine';
import { API, type Failure } from '../data/http.ts';
import type { Desk } from './desk.ts';

/**
 * Shows only the first row and those that have in the active cell's column what that cell shows: for this person alone,
 * nothing of the document is changed. Once more: all rows again.
 */
export async function filterBySelection(desk: Desk): Promise<Failure | null> {
  const { filter, selection, sheet } = desk.state;
  const show = (next: Desk['state']['filter']) => {
    desk.become({ filter: next });
    desk.view?.setShape(desk.shape);
  };
  if (filter !== null) {
    show(null);
    return null;
  }
  const { row, column } = selection.active;
  const { rows } = desk.sheet.shape;
  const wanted = desk.cell({ row, column })?.m ?? '';
  if (rows < 2) return null;
  const name = columnName(column);
  const range = `${quoteSheetName(sheet)}!${name}2:${cellText(rows - 1, column)}`;
  const path = `${API}/documents/${desk.book.id}/values/${encodeURIComponent(range)}?render=display`;
  const response = await fetch(path, { headers: { accept: 'application/x-ndjson' } }).catch(() => null);
  if (response?.ok !== true) {
    return { ok: false, status: response?.status ?? 0, message: '', errors: {}, body: {} };
  }
  const found: number[] = [];
  for (const [place, line] of (await response.text()).split('\n').entries()) {
    const cells: unknown = line === '' ? null : JSON.parse(line);
    if (Array.isArray(cells) && String(cells[0] ?? '') === wanted) found.push(place + 1);
  }
  show({ sheet, text: wanted, rows: found });
  return null;
}
