import { parseArea } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { selectionOf } from '../selection/selection.ts';
import { placeOf } from '../session/sheet-ranges.ts';

/** Goes to a range that somebody names; null where it is one, else what is wrong. */
export function goToText(desk: Desk, text: string): string | null {
  const wanted = text.trim();
  const place = wanted.includes('!') ? placeOf(wanted) : null;
  const area = place?.area ?? parseArea(wanted);
  const sheets = desk.book.state.sheets.map(({ name }) => name);
  const named = (name: string) => sheets.find((one) => one.toLowerCase() === name.toLowerCase());
  const sheet = place === null ? desk.state.sheet : named(place.sheet);
  if (area === null || sheet === undefined) {
    const other = named(wanted);
    if (other === undefined) return t.grid.notShown;
    desk.show(other);
    return null;
  }
  desk.show(sheet, selectionOf(area));
  return null;
}
