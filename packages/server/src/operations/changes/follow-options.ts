import { Type } from 'typebox';
import type { DocumentAccess } from '../../access/access.ts';
import type { WatchRequest } from '../../service/changes/watch.ts';
import { invalidRequest, type Refusal } from '../../service/refusal.ts';
import { defineChoice, WATCH } from '../schemas/requests.ts';

export const Since = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'A revision. The answer has the changes after it.',
});

export const Incarnation = Type.String({
  maxLength: 64,
  description:
    'The `incarnation` that belongs to `since`. If the document now has another history, the answer has `gap`.',
});

/** Query parameters that select changes and their content. */
export const FOLLOW_OPTIONS = {
  ...WATCH,
  values: Type.Optional(
    defineChoice(
      ['true', 'false'],
      '`true`: the answer has `cells`, the changed cells with their values before and after.',
    ),
  ),
};

interface WatchInput {
  readonly range?: string | undefined;
  readonly key?: readonly string[] | undefined;
}

/** The cells or records that the caller follows; null: the whole document. */
export function parseWatch({ range, key = [] }: WatchInput): WatchRequest | Refusal | null {
  if (range !== undefined) return { range, key };
  return key.length === 0 ? null : invalidRequest('range', 'range is required with key: it holds the records');
}

/** Whether changes contain moves of cells. The console needs them to keep selections at their cells. */
export function includesMoves({ caller }: DocumentAccess): boolean {
  return caller.principal.kind === 'session';
}
