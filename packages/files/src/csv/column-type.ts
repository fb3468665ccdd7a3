/**
 * Types that a caller can specify for a column. `dmy` and `mdy` are dates with this order of day and month. The order
 * applies to dates with slashes, and to dates with hyphens before a year of four digits.
 */
export const COLUMN_TYPES = ['text', 'number', 'date', 'dmy', 'mdy', 'boolean'] as const;
export type CsvColumnType = (typeof COLUMN_TYPES)[number];

/** Matches a comma after a type, which separates columns. Column names may contain commas. */
const COMMA = new RegExp(`(?<=:(?:${COLUMN_TYPES.join('|')})),`);

/** Splits a list of columns, `name:type` separated by commas. */
export function splitColumnList(text: string): readonly string[] {
  return text.split(COMMA);
}

export const FIELD_KINDS = ['number', 'date', 'boolean'] as const;
/** The kind of a field that is not text. */
export type FieldKind = (typeof FIELD_KINDS)[number];

/** The kind of values of a column type; null for text or no type. */
export function toFieldKind(type: CsvColumnType | undefined): FieldKind | null {
  switch (type) {
    case 'dmy':
    case 'mdy':
      return 'date';
    case 'text':
    case undefined:
      return null;
    default:
      return type;
  }
}

/** How a column was imported, and the reason. */
export interface ImportedColumn {
  /** Letters of the column. */
  readonly column: string;
  /** Text of its first row; null if empty. */
  readonly name: string | null;
  readonly type: FieldKind | 'text' | 'mixed' | 'empty';
  readonly why: string;
}
