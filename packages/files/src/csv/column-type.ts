/**
 * What the fields of a column may be told to be; `dmy` and `mdy` are dates, and say the order of those with slashes, or with
 * hyphens before a year of four digits.
 */
export const COLUMN_TYPES = ['text', 'number', 'date', 'dmy', 'mdy', 'boolean'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** A comma after a type: names of columns may hold commas, too. */
const COMMA = new RegExp(`(?<=:(?:${COLUMN_TYPES.join('|')})),`);

/** What is said of columns in one text: `name:type`, with commas between. */
export function listedColumns(text: string): readonly string[] {
  return text.split(COMMA);
}

export type Kind = 'number' | 'date' | 'boolean';

/** The kind of values that a column was told to have; `null` where it is text or nothing was told. */
export function kindOf(type: ColumnType | undefined): Kind | null {
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

/** What became of a column, and why. */
export interface ImportedColumn {
  /** Its letters. */
  readonly column: string;
  /** The text of its first row; null where that holds none. */
  readonly name: string | null;
  readonly type: Kind | 'text' | 'mixed' | 'empty';
  readonly why: string;
}
