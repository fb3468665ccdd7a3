import { getLocale } from '@cellwire/engine';
import type { MenuItem } from '../../components/menu.tsx';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { getListedValues } from '../session/input-check.ts';
import type { TypedValue } from '../session/session-state.ts';
import type { CellExtrasContent } from '../view/cell-extras.ts';
import { readCheckboxState } from '../view/rule-content.ts';
import { reportFailure } from './cell-edits.ts';

/** Note and validation rule of the active cell. */
export function describeActiveCell(controller: GridController): CellExtrasContent {
  const { active } = controller.state.selection;
  const { note = '', rule } = controller.sheet.cells.getStyle(active.row, active.column) ?? {};
  const text = [note, rule?.hint ?? ''].filter((part) => part !== '').join('\n');
  const isOn = rule === undefined ? null : readCheckboxState(rule, controller.getCell(active)?.v);
  if (!controller.canWrite || controller.state.draft !== null) return { text, spoken: '', button: null };
  if (isOn !== null) {
    return { text, spoken: t.grid.rules.checkboxKey, button: { kind: 'checkbox', label: t.grid.rules.checkbox, isOn } };
  }
  if (rule?.kind !== 'list') return { text, spoken: '', button: null };
  const button = { kind: 'list', label: t.grid.rules.list, isOn: false } as const;
  return { text, spoken: t.grid.rules.listKey, button: rule.hasArrow ? button : null };
}

/** Handles the keys of a list and a checkbox; returns false for other keys. */
export function handleRuleKey(
  controller: GridController,
  { key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
): boolean {
  const { active } = controller.state.selection;
  const rule = controller.canWrite ? controller.sheet.cells.getStyle(active.row, active.column)?.rule : undefined;
  if (rule === undefined || ctrlKey || metaKey || shiftKey) return false;
  const isPicked = rule.kind === 'list' ? altKey && key === 'ArrowDown' : !altKey && key === ' ';
  return isPicked && activateRuleControl(controller);
}

/** Opens the list of the active cell or switches its checkbox. Returns false if the cell has neither. */
export function activateRuleControl(controller: GridController): boolean {
  const { active } = controller.state.selection;
  const rule = controller.sheet.cells.getStyle(active.row, active.column)?.rule;
  if (rule === undefined || controller.isSelectionDeleted) return false;
  if (rule.kind === 'list') {
    controller.onCommand({ kind: 'listValues' });
    return true;
  }
  const isOn = readCheckboxState(rule, controller.getCell(active)?.v);
  if (isOn === null || rule.states === undefined) return false;
  const [on, off] = rule.states;
  enterValue(controller, parseCheckboxText(isOn ? off : on));
  return true;
}

/** Returns the value that a checkbox enters for one of its texts: a boolean for `TRUE` and `FALSE`, else the text. */
function parseCheckboxText(text: string): TypedValue {
  if (text === 'TRUE') return true;
  return text === 'FALSE' ? false : text;
}

/** Writes a value into the active cell, as if it were typed. */
function enterValue(controller: GridController, value: TypedValue): void {
  const { sheet, selection } = controller.state;
  reportFailure(controller, controller.writeCells(sheet, selection.active, [[value]]));
}

/** Menu items for the values that the rule of the active cell lists. */
export async function createRuleMenuItems(controller: GridController): Promise<readonly MenuItem[]> {
  const { sheet, selection } = controller.state;
  const values = await getListedValues(controller.session.id, sheet, selection.active);
  if (controller.state.selection !== selection) return [];
  const decimal = controller.session.locale === null ? '.' : getLocale(controller.session.locale).decimal;
  return values.map((value) => ({
    text: typeof value === 'number' ? String(value).replace('.', decimal) : formatRuleValue(value),
    onPick: () => enterValue(controller, value),
  }));
}

/** Returns the text of a listed value; `TRUE` or `FALSE` for a boolean. */
function formatRuleValue(value: string | boolean): string {
  if (typeof value === 'string') return value;
  return value ? 'TRUE' : 'FALSE';
}
