import { areaText } from '@cellwire/engine';
import type { MenuItem, Point } from '../../components/menu.tsx';
import { readClipboard } from '../../data/clipboard.ts';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { paste, pasteValues } from '../clipboard/paste.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { clearSelection } from '../editing/cell-actions.ts';
import { changeLines, type LineDeed, selectedLines } from '../editing/line-actions.ts';
import { areaOf } from '../selection/selection.ts';
import { refusal } from '../session/cell-refusals.ts';
import { filterBySelection } from '../sort-and-filter/filter-actions.ts';
import { type SortTarget, sortByActive, sortPreview } from '../sort-and-filter/sort.ts';

/** Below the active cell. */
export function menuPlace(desk: Desk): Point {
  const { row, column } = desk.state.selection.active;
  const box = desk.view?.viewport.box({ top: row, left: column, bottom: row, right: column });
  const { left = 0, top = 0 } = desk.view?.element.getBoundingClientRect() ?? {};
  return { x: left + (box?.x ?? 0), y: top + (box?.y ?? 0) + (box?.height ?? 0) };
}

/** What can be done with the selection. `toSort`: what sorting would sort; null: not known yet. */
export function menuItems(desk: Desk, toSort: SortTarget | null = null): readonly MenuItem[] {
  const { selection } = desk.state;
  const { top, left, bottom, right } = areaOf(selection);
  const isOff = !desk.canWrite;
  const done = (outcome: Promise<Failure | null>) =>
    void outcome.then((failure) => failure !== null && desk.onFailure(failure));
  const takeText = (isCut: boolean) => {
    document.execCommand(isCut ? 'cut' : 'copy');
  };
  const lines = (axis: 'rows' | 'columns', count: number): readonly MenuItem[] => {
    const deleted = selectedLines(desk, axis).reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const words = t.grid[axis];
    const item = (text: string, deed: LineDeed, isDanger = false): MenuItem => ({
      text,
      isOff,
      isDanger,
      onPick: () => done(changeLines(desk, axis, deed)),
    });
    return [
      item(words.insertBefore(count), 'insertBefore'),
      item(words.insertAfter(count), 'insertAfter'),
      item(words.moveBack(count), 'moveBack'),
      item(words.moveOn(count), 'moveOn'),
      item(words.delete(deleted), 'delete', true),
    ];
  };
  const sorted: readonly MenuItem[] = [
    ...(toSort === null ? [] : [{ caption: sortPreview(toSort) }]),
    { text: t.grid.sortUp, icon: 'sort', isOff, onPick: () => done(sortByActive(desk, 'ascending')) },
    { text: t.grid.sortDown, icon: 'sort', isOff, onPick: () => done(sortByActive(desk, 'descending')) },
    { text: t.sort.open, icon: 'sort', isOff, onPick: () => desk.onCommand({ kind: 'sort' }) },
  ];
  return [
    { text: t.grid.cut, shortcut: 'Ctrl+X', isOff, onPick: () => inGrid(desk, () => takeText(true)) },
    { text: t.grid.copy, icon: 'copy', shortcut: 'Ctrl+C', onPick: () => inGrid(desk, () => takeText(false)) },
    { text: t.grid.paste, shortcut: 'Ctrl+V', isOff, onPick: () => done(pasteFromMenu(desk)) },
    { text: t.grid.pasteValues, shortcut: 'Ctrl+Shift+V', isOff, onPick: () => done(pasteValues(desk)) },
    { text: t.grid.clear, shortcut: 'Del', isOff, onPick: () => done(clearSelection(desk)) },
    { caption: areaText({ top, left, bottom: Math.min(bottom, top + 999), right: Math.min(right, left + 99) }) },
    ...sorted,
    { text: t.grid.filter, icon: 'filter', onPick: () => done(filterBySelection(desk)) },
    ...(selection.kind === 'columns' ? [] : [{ caption: t.grid.rows.title }, ...lines('rows', bottom - top + 1)]),
    ...(selection.kind === 'rows' ? [] : [{ caption: t.grid.columns.title }, ...lines('columns', right - left + 1)]),
  ];
}

/** What the grid itself is to do: it has the focus then. */
function inGrid(desk: Desk, act: () => void): void {
  desk.view?.focus();
  act();
}

async function pasteFromMenu(desk: Desk): Promise<Failure | null> {
  const forms = await readClipboard();
  return forms === null ? refusal(t.grid.pasteHint) : paste(desk, forms);
}
