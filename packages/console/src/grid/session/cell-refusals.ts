import { cellText } from '@cellwire/engine';
import type { Failure } from '../../data/http.ts';
import { t, translateServiceText } from '../../text/index.ts';
import type { GridPosition } from '../selection/selection.ts';

const TOO_LONG = /must not have more than (\d+) characters/;
/** Path of a refused value in a request: `values.1.0` or `edits.2.values.1.0`. */
const VALUE_PATH = /^(?:edits\.(\d+)\.)?values\.(\d+)\.(\d+)/;

/**
 * Adds the cell to a refusal. `findFirstCell` returns the first cell of an edit. Refusals of other kinds do not change.
 */
export function nameRefusedCell(failure: Failure, findFirstCell: (edit: number) => GridPosition | null): Failure {
  const [field = '', [problem = ''] = []] = Object.entries(failure.errors)[0] ?? [];
  const [, edit = '0', row, column] = VALUE_PATH.exec(field) ?? [];
  const position = row === undefined ? null : findFirstCell(Number(edit));
  if (position === null) return failure;
  const cell = cellText(position.row + Number(row), position.column + Number(column));
  const maxLength = TOO_LONG.exec(problem)?.[1];
  const why = problem.startsWith(`${field} `) ? problem.slice(field.length + 1) : problem;
  const message =
    maxLength === undefined ? `${cell}: ${translateServiceText(why)}` : t.grid.tooLong(cell, Number(maxLength));
  return { ...failure, message, errors: {} };
}

/** Creates a failure for an action that is not possible here. */
export function createRefusal(message: string): Failure {
  return { ok: false, status: 422, message, errors: {}, body: {} };
}
