import { areaText } from '@cellwire/engine';
import type { MenuItem, Point } from '../../components/menu.tsx';
import { readClipboard } from '../../data/clipboard.ts';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { pasteCells, pasteValues } from '../clipboard/paste.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { clearSelection } from '../editing/cell-actions.ts';
import { changeLines, type LineAction, listSelectedLines } from '../editing/line-actions.ts';
import { computeSelectedArea } from '../selection/selection.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { filterByActiveCell } from '../sort-and-filter/filter-actions.ts';
import { describeSort, type SortTarget, sortByActiveColumn } from '../sort-and-filter/sort.ts';

/** The point below the active cell. */
export function computeMenuPoint(controller: GridController): Point {
  const { row, column } = controller.state.selection.active;
  const box = controller.view?.viewport.computeVisibleBox({ top: row, left: column, bottom: row, right: column });
  const { left = 0, top = 0 } = controller.view?.element.getBoundingClientRect() ?? {};
  return { x: left + (box?.x ?? 0), y: top + (box?.y ?? 0) + (box?.height ?? 0) };
}

/** A caption without a text needs a space to keep its height. */
const NO_TEXT = '\u00a0';

/** Actions for the selection. `sortTarget`: the rows that sorting would sort; null while unknown. */
export function createCellMenuItems(
  controller: GridController,
  sortTarget: SortTarget | null = null,
): readonly MenuItem[] {
  const { selection } = controller.state;
  const { top, left, bottom, right } = computeSelectedArea(selection);
  const isOff = !controller.canWrite;
  const showFailure = (outcome: Promise<Failure | null>) =>
    void outcome.then((failure) => failure !== null && controller.onFailure(failure));
  const takeText = (isCut: boolean) => {
    document.execCommand(isCut ? 'cut' : 'copy');
  };
  const createLineItems = (axis: 'rows' | 'columns', count: number): readonly MenuItem[] => {
    const deleted = listSelectedLines(controller, axis).reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const words = t.grid[axis];
    const item = (text: string, action: LineAction, isDanger = false): MenuItem => ({
      text,
      key: `${axis} ${action}`,
      isOff,
      isDanger,
      onPick: () => showFailure(changeLines(controller, axis, action)),
    });
    return [
      item(words.insertBefore(count), 'insertBefore'),
      item(words.insertAfter(count), 'insertAfter'),
      item(words.moveBack(count), 'moveBack'),
      item(words.moveOn(count), 'moveOn'),
      // If a filter hides all selected lines, the label says so.
      item(words.delete(Math.max(1, deleted)), 'delete', true),
    ];
  };
  const sorted: readonly MenuItem[] = [
    // The items below must not move under the pointer when the range becomes known.
    { caption: sortTarget === null ? NO_TEXT : describeSort(controller, sortTarget) },
    {
      text: t.grid.sortUp,
      icon: 'sort',
      isOff,
      onPick: () => showFailure(sortByActiveColumn(controller, 'ascending')),
    },
    {
      text: t.grid.sortDown,
      icon: 'sort',
      isOff,
      onPick: () => showFailure(sortByActiveColumn(controller, 'descending')),
    },
    { text: t.sort.open, icon: 'sort', isOff, onPick: () => controller.onCommand({ kind: 'sort' }) },
  ];
  return [
    { text: t.grid.cut, shortcut: 'Ctrl+X', isOff, onPick: () => runInGrid(controller, () => takeText(true)) },
    { text: t.grid.copy, icon: 'copy', shortcut: 'Ctrl+C', onPick: () => runInGrid(controller, () => takeText(false)) },
    { text: t.grid.paste, shortcut: 'Ctrl+V', isOff, onPick: () => showFailure(pasteFromMenu(controller)) },
    { text: t.grid.pasteValues, shortcut: 'Ctrl+Shift+V', isOff, onPick: () => showFailure(pasteValues(controller)) },
    { text: t.grid.clear, shortcut: 'Del', isOff, onPick: () => showFailure(clearSelection(controller)) },
    { caption: areaText({ top, left, bottom: Math.min(bottom, top + 999), right: Math.min(right, left + 99) }) },
    ...sorted,
    { text: t.grid.filter, icon: 'filter', onPick: () => showFailure(filterByActiveCell(controller)) },
    ...(selection.kind === 'columns'
      ? []
      : [{ caption: t.grid.rows.title }, ...createLineItems('rows', bottom - top + 1)]),
    ...(selection.kind === 'rows'
      ? []
      : [{ caption: t.grid.columns.title }, ...createLineItems('columns', right - left + 1)]),
  ];
}

/** Runs an action with the focus in the grid. */
function runInGrid(controller: GridController, perform: () => void): void {
  controller.view?.focus();
  perform();
}

async function pasteFromMenu(controller: GridController): Promise<Failure | null> {
  const forms = await readClipboard();
  return forms === null ? createRefusal(t.grid.pasteHint) : pasteCells(controller, forms);
}
