import { parseArea } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { createAreaSelection } from '../selection/selection.ts';
import { parseSheetRange } from '../session/sheet-ranges.ts';

/** Selects a range or sheet by its name. Returns null on success, else the error text. */
export function selectByName(controller: GridController, text: string): string | null {
  const target = text.trim();
  const place = target.includes('!') ? parseSheetRange(target) : null;
  const area = place?.area ?? parseArea(target);
  const sheets = controller.session.state.sheets.map(({ name }) => name);
  const findSheet = (name: string) => sheets.find((one) => one.toLowerCase() === name.toLowerCase());
  const sheet = place === null ? controller.state.sheet : findSheet(place.sheet);
  if (area === null || sheet === undefined) {
    const other = findSheet(target);
    if (other === undefined) return t.grid.notShown;
    controller.showSheet(other);
    return null;
  }
  controller.showSheet(sheet, createAreaSelection(area));
  return null;
}
