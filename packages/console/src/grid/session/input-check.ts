import { cellText } from '@cellwire/engine';
import { callApi, formatQuery, formatSheetPath } from '../../data/http.ts';
import type { GridPosition } from '../selection/selection.ts';
import type { TypedValue } from './session-state.ts';

/** What the validation rule of a cell says about an input. */
interface InputVerdict {
  readonly verdict: 'accept' | 'warn' | 'refuse';
  /** The rule's own error text; empty for none. */
  readonly message: string;
}

export const ACCEPTED: InputVerdict = { verdict: 'accept', message: '' };

/** Checks an input against the rule of its cell. If the service cannot check it, the input is accepted. */
export async function checkInput(
  document: string,
  sheet: string,
  { row, column }: GridPosition,
  input: TypedValue,
): Promise<InputVerdict> {
  const path = formatSheetPath(document, sheet, 'input-check');
  const answer = await callApi<InputVerdict>('POST', path, { body: { cell: cellText(row, column), input } });
  return answer.ok ? answer.value : ACCEPTED;
}

/** The values that the rule of a cell lists; empty if there are none. */
export async function getListedValues(
  document: string,
  sheet: string,
  { row, column }: GridPosition,
): Promise<readonly (string | number | boolean)[]> {
  const path = formatSheetPath(document, sheet, 'listed-values') + formatQuery({ cell: cellText(row, column) });
  const answer = await callApi<{ readonly values: readonly (string | number | boolean)[] }>('GET', path);
  return answer.ok ? answer.value.values : [];
}
