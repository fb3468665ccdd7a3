import type { Area } from '../grid/area.ts';
import type { Attachment } from '../sheet/attachment.ts';
import type { Layout } from '../sheet/layout.ts';
import type { Scalar } from '../value/scalar.ts';
import type { DocumentSettings } from './types.ts';

/** A whole workbook as plain data. Importers create it, exporters read it. */
export interface WorkbookData {
  readonly settings: DocumentSettings;
  readonly names: readonly NameData[];
  readonly tables: readonly TableData[];
  readonly sheets: readonly SheetData[];
  /** File parts by name, which an export writes unchanged; absent for none. */
  readonly carried?: Readonly<Record<string, string>>;
}

/** A defined name. */
export interface NameData {
  readonly name: string;
  /** Name of the sheet if the defined name is scoped to one. Absent for the whole workbook. */
  readonly sheet?: string;
  /** The formula in the grammar of files, without `=`. */
  readonly formula: string;
}

/** A table, for structured references. */
export interface TableData {
  readonly name: string;
  readonly sheet: string;
  /** The table's area, including header and totals rows. */
  readonly area: Area;
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  readonly columns: readonly string[];
}

/** A sheet with its cells. */
export interface SheetData {
  readonly name: string;
  readonly hidden: boolean;
  /** Tab colour as `#RRGGBB`; null for none. */
  readonly color: string | null;
  /** Zero-based rows that are hidden by the user or by a filter. */
  readonly hiddenRows: readonly number[];
  /** Number format codes of whole columns, by zero-based column. */
  readonly columnFormats: ReadonlyMap<number, string>;
  /** Styles of whole columns (`CellFormat.style`), by zero-based column. */
  readonly columnStyles?: ReadonlyMap<number, string>;
  readonly layout?: LayoutData;
  /** Present if `cells` is ordered by row, and within a row from left to right. */
  readonly byRow?: true;
  /** Cells, in any order unless `byRow` is set; ordered by column is fastest. The iterable can be read once. */
  readonly cells: Iterable<CellData>;
}

/** A layout as plain data. */
export type LayoutData = Omit<Layout, 'attachments'> & { readonly attachments?: readonly AttachmentData[] };

/**
 * An attachment, whose formulas are in the grammar of files, without `=`, relative to the first row and column of its
 * areas.
 */
export type AttachmentData = Omit<Attachment, 'formulas'> & { readonly formulas: readonly string[] };

/** A cell with a value or a formula. */
export interface CellData {
  readonly row: number;
  readonly column: number;
  /** The value. For a formula cell, its last known result: an import keeps it if it cannot calculate the formula. */
  readonly value: Scalar;
  /**
   * True if the value was spilled by an array formula in another cell. An import ignores it if it can calculate that
   * formula.
   */
  readonly spilled?: boolean;
  /** The formula in the grammar of files, without `=`. */
  readonly formula?: string;
  /** Present if the value is the text of a formula that files cannot contain. */
  readonly unreadable?: true;
  /**
   * On the first cell of an array formula: the area that it fills. Without `dynamic`, the area is fixed
   * (Ctrl+Shift+Enter).
   */
  readonly array?: Area;
  /**
   * True for a dynamic array formula, which spills. A formula with neither `array` nor `dynamic` has implicit
   * intersection (before dynamic arrays).
   */
  readonly dynamic?: boolean;
  /** Number format code; absent for General. */
  readonly format?: string;
  /** The style as a text in the terms of the imported file; absent for none. */
  readonly style?: string;
}
