import { type Edit, type LocaleId, MAX_ROWS, type Move, nameKey, type Snapshot } from '@cellwire/engine';
import type { StoredOperation } from '@cellwire/store/stored-forms';
import type { SheetEntry } from '../../documents/types.ts';
import type { IndexRun } from '../index-runs.ts';
import { formatQualifiedRange, formatRange, type RangeTarget } from '../ranges.ts';

/** Options of a translation. */
export interface TranslationMode {
  readonly isTrial: boolean;
  readonly locale: LocaleId | null;
  /** Null: no operation sorts filtered rows only. */
  readonly shown: ShownRows | null;
}

/** The rows that the caller's filter shows, in one state of a document. */
export interface ShownRows {
  readonly snapshot: Snapshot;
  /** Null: the sheet has no filter, or the caller may not read it. */
  readonly rows: readonly Readonly<IndexRun>[] | null;
}

/** The engine's edit for one operation; null if the operation changes nothing. */
export interface EngineOperation {
  readonly edit: Edit | null;
  /** The operation in the form that the log stores. */
  readonly stored: StoredOperation;
}

export type OperationJson = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface ScopedName {
  readonly name: string;
  /** The sheet that the name belongs to; null: the whole document. */
  readonly scope: SheetEntry | null;
  /** The name in notifications. */
  readonly publishedName: string;
}

/** A key that is unique for each name: a sheet's `rate` and the document's `rate` are different. */
export function formatScopedKey(name: string, scope: number | undefined): string {
  return `${scope ?? ''}!${nameKey(name)}`;
}

/** How an operation uses a sheet's cells: its result reveals them (`reads`), or it changes them. */
export interface CellUse {
  readonly reads: boolean;
  readonly changes: boolean;
}

export const NO_AREA = { top: 0, left: 0, bottom: 0, right: 0, openRows: false, openColumns: false };
export const LAST_ROW = MAX_ROWS - 1;

/** A move of cells with the operation that the log stores for it. */
export function createMoveOperation(move: Move, stored: StoredOperation): EngineOperation {
  return { edit: { kind: 'moveCells', move }, stored };
}

/** The operation as the log stores it. `sheets` are the ids of the sheets that it names or takes cells from. */
export function toStoredOperation(operation: OperationJson, ...sheets: readonly number[]): StoredOperation {
  return { operation, sheets: [...new Set(sheets)] };
}

/** The area without the marks of its open sides. */
export function toPlainArea({ top, left, bottom, right }: RangeTarget['area']) {
  return { top, left, bottom, right };
}

/** The sent operation with the sheet's name added to each of its ranges. */
export function completeRanges(
  json: OperationJson,
  ranges: Readonly<Record<string, RangeTarget<SheetEntry>>>,
): OperationJson {
  return Object.entries(ranges).reduce<OperationJson>(
    (result, [field, { sheet, area }]) =>
      replaceMember(result, field, formatQualifiedRange(sheet.name, formatRange(area))),
    json,
  );
}

/** The operation with another value of one member. */
export function replaceMember(json: OperationJson, field: string, value: unknown): OperationJson {
  const [[name, members] = ['', {}]] = Object.entries(json);
  return { [name]: { ...members, [field]: value } };
}
