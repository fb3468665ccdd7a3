import { Type } from 'typebox';
import type { DocumentAccess } from '../../access/access.ts';
import type { WatchRequest } from '../../service/changes/watch.ts';
import { invalidRequest, type Refusal } from '../../service/refusal.ts';
import { choice, WATCH } from '../schemas/requests.ts';

export const Since = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'A revision; what came after it is told.',
});

export const Incarnation = Type.String({
  maxLength: 64,
  description: 'What came with `since`: of another history the answer is `gap`.',
});

/** Which changes are published to the caller, and with what. */
export const FOLLOW_OPTIONS = {
  ...WATCH,
  values: Type.Optional(
    choice(['true', 'false'], '`true`: `cells` has the changed cells with their values before and after.'),
  ),
};

interface SentWatch {
  readonly range?: string | undefined;
  readonly key?: readonly string[] | undefined;
}

/** The cells or records that the caller follows; null: the whole document. */
export function parseWatch({ range, key = [] }: SentWatch): WatchRequest | Refusal | null {
  if (range !== undefined) return { range, key };
  return key.length === 0 ? null : invalidRequest('range', 'range is required with key: it holds the records');
}

/** Whether changes say how cells changed places: the console keeps what a person holds at its cells. */
export function showsPlaces({ caller }: DocumentAccess): boolean {
  return caller.principal.kind === 'session';
}
