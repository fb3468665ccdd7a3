import type { Cell, CellStyle } from '../../data/types.ts';

/** The text, class and tooltip of a cell's element. */
export interface CellContent {
  readonly text: string;
  readonly kind: string;
  readonly title: string;
}

/** Adds the mark of a note, the arrow of a list and the box of a checkbox to a cell's content. */
export function withRuleContent(
  style: CellStyle | null,
  value: Cell['v'] | null | undefined,
  content: CellContent,
): CellContent {
  const { note = '', rule } = style ?? {};
  if (note === '' && rule === undefined) return content;
  const isOn = rule === undefined ? null : checkboxState(rule, value);
  const box = isOn === null ? content : { ...content, text: isOn ? '☑' : '☐', kind: `${content.kind} checkbox` };
  const marks = `${note === '' ? '' : ' has-note'}${rule?.hasArrow === true ? ' has-list' : ''}`;
  return { text: box.text, kind: box.kind + marks, title: box.title || note };
}

/** True or false for a checkbox that is on or off; null if the cell is no checkbox or has another value. */
export function checkboxState(
  rule: NonNullable<CellStyle['rule']>,
  value: Cell['v'] | null | undefined,
): boolean | null {
  if (rule.kind !== 'checkbox' || rule.states === undefined) return null;
  const [on, off] = rule.states;
  const text = typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : String(value ?? '');
  if (text === on) return true;
  return text === off || text === '' ? false : null;
}
