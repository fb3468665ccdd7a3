import { type Edit, type LocaleId, MAX_ROWS, type Move, nameKey, type Snapshot } from '@cellwire/engine';
import type { StoredOperation } from '@cellwire/store/stored-forms';
import type { SheetEntry } from '../../documents/types.ts';
import { rangeText, type Target, withSheet } from '../ranges.ts';
import { answerTo, type Refusal } from '../refusal.ts';

/** How operations are to be taken. */
export interface Manner {
  readonly isTrial: boolean;
  readonly locale: LocaleId | null;
  /** Null: no operation sorts only the rows that a filter shows. */
  readonly shown: ShownRows | null;
}

/** The rows that the caller's filter shows, in one state of a document. */
export interface ShownRows {
  readonly snapshot: Snapshot;
  /** Null: the sheet has no filter, or may not be read. */
  readonly stretches: readonly (readonly [first: number, last: number])[] | null;
}

/** What one operation asks of the engine: nothing where it changes nothing. */
export interface Translated {
  readonly edit: Edit | null;
  /** The operation as the log keeps it. */
  readonly stored: StoredOperation;
}

export type Sent = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** All 422 come first, then 404, then 403. */
export function gravest(refusals: readonly Refusal[]): Refusal | null {
  const rank = (refusal: Refusal) => [422, 404, 403].indexOf(answerTo(refusal).status);
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
export interface Uses {
  readonly reads: boolean;
  readonly changes: boolean;
}

export const NO_AREA = { top: 0, left: 0, bottom: 0, right: 0, openRows: false, openColumns: false };
export const LAST_ROW = MAX_ROWS - 1;

export function moving(move: Move, stored: StoredOperation): Translated {
  return { edit: { kind: 'moveCells', move }, stored };
}

/** `sheets`: ids of those that the operation names or takes cells from. */
export function storedAs(operation: Sent, ...sheets: readonly number[]): StoredOperation {
  return { operation, sheets: [...new Set(sheets)] };
}

export function plain({ top, left, bottom, right }: Target['area']) {
  return { top, left, bottom, right };
}

/** An operation as it was sent, its ranges with the names of their sheets. */
export function completed(sent: Sent, ranges: Readonly<Record<string, Target<SheetEntry>>>): Sent {
  return Object.entries(ranges).reduce<Sent>(
    (told, [field, { sheet, area }]) => withMember(told, field, withSheet(sheet.name, rangeText(area))),
    sent,
  );
}

export function withMember(sent: Sent, field: string, value: unknown): Sent {
  const [[name, members] = ['', {}]] = Object.entries(sent);
  return { [name]: { ...members, [field]: value } };
}
