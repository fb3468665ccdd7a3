import type { Cell, CellStyle } from '../../data/types.ts';

/** The text, class and tooltip of a cell's element. */
export interface CellContent {
  readonly text: string;
  readonly kind: string;
  readonly title: string;
}

/**
 * Adds the mark of a note, the arrow of a list, the box of a checkbox and the icon of a rule to a cell's content, or
 * hides the value of a cell that only shows a bar or an icon.
 */
export function addRuleContent(
  style: CellStyle | null,
  value: Cell['v'] | null | undefined,
  content: CellContent,
): CellContent {
  const { note = '', rule, icon, hidesValue = false } = style ?? {};
  if (note === '' && rule === undefined && icon === undefined && !hidesValue) return content;
  const isOn = rule === undefined ? null : readCheckboxState(rule, value);
  const box = isOn === null ? content : { ...content, text: isOn ? '☑' : '☐', kind: `${content.kind} checkbox` };
  const isReplaced = hidesValue && typeof value === 'number';
  const marks = [
    ...(note === '' ? [] : ['has-note']),
    ...(rule?.hasArrow === true ? ['has-list'] : []),
    ...(icon !== undefined && typeof value === 'number' ? ['has-icon'] : []),
  ];
  const title = box.title || note || (isReplaced ? content.text : '');
  return { text: isReplaced ? '' : box.text, kind: [box.kind, ...marks].join(' '), title };
}

/** True or false for a checkbox that is on or off; null if the cell is no checkbox or has another value. */
export function readCheckboxState(
  rule: NonNullable<CellStyle['rule']>,
  value: Cell['v'] | null | undefined,
): boolean | null {
  if (rule.kind !== 'checkbox' || rule.states === undefined) return null;
  const [on, off] = rule.states;
  const text = typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : String(value ?? '');
  if (text === on) return true;
  return text === off || text === '' ? false : null;
}
