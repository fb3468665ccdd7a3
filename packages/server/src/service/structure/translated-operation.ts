import { type Edit, MAX_ROWS, type Move, nameKey } from '@cellwire/engine';
import type { StoredOperation } from '@cellwire/store/stored-forms';
import type { SheetEntry } from '../../documents/types.ts';
import { qualifiedRange, type RangeTarget, rangeText } from '../ranges.ts';
import { answerFor, type Refusal } from '../refusal.ts';

/** What one operation asks of the engine: nothing where it changes nothing. */
export interface TranslatedOperation {
  readonly edit: Edit | null;
  /** The operation as the log keeps it. */
  readonly stored: StoredOperation;
}

export type SentOperation = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** All 422 come first, then 404, then 403. */
export function mostSevere(refusals: readonly Refusal[]): Refusal | null {
  const rank = (refusal: Refusal) => [422, 404, 403].indexOf(answerFor(refusal).status);
  return [...refusals].sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

export interface ScopedName {
  readonly name: string;
  /** The sheet that it belongs to; null: the whole document. */
  readonly scope: SheetEntry | null;
  /** The name as receivers are told of it. */
  readonly told: string;
}

/** What tells names apart: a sheet's own `rate` and the document's are two. */
export function scopedKey(name: string, scope: number | undefined): string {
  return `${scope ?? ''}!${nameKey(name)}`;
}

/** What an operation does with a sheet's cells: its result tells of them, or it changes them. */
export interface CellUse {
  readonly reads: boolean;
  readonly changes: boolean;
}

export const NO_AREA = { top: 0, left: 0, bottom: 0, right: 0, openRows: false, openColumns: false };
export const LAST_ROW = MAX_ROWS - 1;

export function movedLines(move: Move, stored: StoredOperation): TranslatedOperation {
  return { edit: { kind: 'moveCells', move }, stored };
}

/** `sheets`: ids of those that the operation names or takes cells from. */
export function storedAs(operation: SentOperation, ...sheets: readonly number[]): StoredOperation {
  return { operation, sheets: [...new Set(sheets)] };
}

export function plainOperation({ top, left, bottom, right }: RangeTarget['area']) {
  return { top, left, bottom, right };
}

/** An operation as it was sent, its ranges with the names of their sheets. */
export function completeOperation(
  sent: SentOperation,
  ranges: Readonly<Record<string, RangeTarget<SheetEntry>>>,
): SentOperation {
  return Object.entries(ranges).reduce<SentOperation>(
    (told, [field, { sheet, area }]) => withMember(told, field, qualifiedRange(sheet.name, rangeText(area))),
    sent,
  );
}

export function withMember(sent: SentOperation, field: string, value: unknown): SentOperation {
  const [[name, members] = ['', {}]] = Object.entries(sent);
  return { [name]: { ...members, [field]: value } };
}
