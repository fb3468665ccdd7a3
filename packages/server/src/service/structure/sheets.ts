import type { SheetEntry } from '../../documents/types.ts';
import { MAX_SHEET_NAME_LENGTH } from '../../limits/requests.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';

/** A sheet in the form of the API. */
export interface SheetView {
  readonly name: string;
  readonly hidden: boolean;
  /** Zero-based. */
  readonly order: number;
  /** `#RRGGBB` or null. */
  readonly color: string | null;
}

export function toSheetView({ name, hidden, color }: SheetEntry, order: number): SheetView {
  return { name, hidden, order, color };
}

const CONTROL = /\p{Cc}/u;

/** Normalizes a sheet's name, or refuses it. */
export function parseSheetName(text: string, field = 'name'): string | Refusal {
  const name = text.trim();
  if (name === '') return invalidRequest(field, 'name must not be empty');
  if ([...name].length > MAX_SHEET_NAME_LENGTH) {
    return invalidRequest(field, `name must not have more than ${MAX_SHEET_NAME_LENGTH} characters`);
  }
  if (CONTROL.test(name)) return invalidRequest(field, 'name must not hold control characters');
  return name.isWellFormed() ? name : invalidRequest(field, 'name holds half of a surrogate pair');
}
