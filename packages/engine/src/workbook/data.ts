import type { Area } from '../grid/area.ts';
import type { Attachment } from '../sheet/attachment.ts';
import type { Layout } from '../sheet/layout.ts';
import type { Scalar } from '../value/scalar.ts';
import type { DocumentSettings } from './types.ts';

/** A whole workbook in plain terms: what importers produce and exporters take. */
export interface WorkbookData {
  readonly settings: DocumentSettings;
  readonly names: readonly NameData[];
  readonly tables: readonly TableData[];
  readonly sheets: readonly SheetData[];
  /** See `Snapshot.carried`. */
  readonly carried?: Readonly<Record<string, string>>;
}

/** A defined name. */
export interface NameData {
  readonly name: string;
  /** The sheet it is scoped to; absent for the whole workbook. */
  readonly sheet?: string;
  /** In the file grammar, without `=`. */
  readonly formula: string;
}

/** A table, for structured references. */
export interface TableData {
  readonly name: string;
  readonly sheet: string;
  /** Header and totals rows included. */
  readonly area: Area;
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  readonly columns: readonly string[];
}

/** A sheet with its cells. */
export interface SheetData {
  readonly name: string;
  readonly hidden: boolean;
  /** `#RRGGBB` or null. */
  readonly color: string | null;
  /** Zero-based rows hidden by the user or a filter. */
  readonly hiddenRows: readonly number[];
  /** Number format codes of whole columns, by zero-based column. */
  readonly columnFormats: ReadonlyMap<number, string>;
  /** Styles of whole columns (`CellFormat.style`), by zero-based column. */
  readonly columnStyles?: ReadonlyMap<number, string>;
  readonly layout?: LayoutData;
  /** `cells` come row by row, each from left to right. */
  readonly byRow?: true;
  /** In any order unless `byRow` says so; best column by column. Read once. */
  readonly cells: Iterable<CellData>;
}

/** A layout in plain terms. */
export type LayoutData = Omit<Layout, 'attachments'> & { readonly attachments?: readonly AttachmentData[] };

/** See `Attachment`; formulas in the file grammar, without `=`, as they stand in the first row and column of the areas. */
export type AttachmentData = Omit<Attachment, 'formulas'> & { readonly formulas: readonly string[] };

/** A cell that holds a value or a formula. */
export interface CellData {
  readonly row: number;
  readonly column: number;
  /** The value; for a formula cell the last known result: an import keeps it where it cannot calculate the formula. */
  readonly value: Scalar;
  /** The value is a result of an array formula in another cell; an import leaves it to that formula, as far as it can. */
  readonly spilled?: boolean;
  /** In the file grammar, without `=`. */
  readonly formula?: string;
  /** The value is the text of a formula that no file can hold. */
  readonly unreadable?: true;
  /** What an array formula fills, on its first cell: all there is to a fixed one (Ctrl+Shift+Enter). */
  readonly array?: Area;
  /** A dynamic array formula: spills. A formula with neither mark has implicit intersection (before dynamic arrays). */
  readonly dynamic?: boolean;
  /** Number format code; absent for General. */
  readonly format?: string;
  /** See `CellFormat.style`; absent for none. */
  readonly style?: string;
}
