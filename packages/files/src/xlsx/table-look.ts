import { type AttachmentData, nameKey, type SheetData } from '@cellwire/engine';
import { listAttachmentsOfKind } from './attachments-xml.ts';

/**
 * Kind of the attachment with the look of a table. Its text is the look as JSON. Its formulas are the table's name,
 * which is updated by renames and copies, and the formulas of the columns.
 */
const TABLE_LOOK = 'tableLook';
/** The kind in data of earlier versions, which stored the name as the first text. */
const EARLIER_TABLE_LOOK = 'table';

/** Preserved properties of a table column. */
export interface TableColumnLook {
  /** Attributes of its element, as text. */
  readonly attributes: string;
  /** True if new rows get the column's formula. */
  readonly isCalculated?: true;
  /** Index of that formula in the look; absent in data of earlier versions. */
  readonly formula?: number;
  /** True if it is an array formula. */
  readonly isArray?: true;
  /** Function or label in the totals row. */
  readonly totals?: string;
  readonly label?: string;
}

/** Preserved properties of a table. */
export interface TableLook {
  /** The element of the table's style, and the elements that filter its columns. */
  readonly style: string;
  readonly filters: string;
  /** Attributes of its element, as text. */
  readonly attributes: string;
  readonly columns: readonly TableColumnLook[];
  /** Present if the header has no filter buttons. */
  readonly hasNoButtons?: true;
  /** Formulas of its columns, which are updated when cells move. */
  readonly formulas: readonly string[];
}

type StoredTableLook = Omit<TableLook, 'formulas'>;

/** Returns the look as an attachment; null if it has no properties. */
export function createLookAttachment(name: string, { formulas, ...look }: TableLook): AttachmentData | null {
  const { style, filters, attributes, columns, hasNoButtons } = look;
  const isPlain =
    style + filters + attributes === '' && !hasNoButtons && columns.every((column) => JSON.stringify(column) === PLAIN);
  return isPlain ? null : { kind: TABLE_LOOK, areas: [], formulas: [name, ...formulas], texts: [JSON.stringify(look)] };
}

const PLAIN = JSON.stringify({ attributes: '' } satisfies TableColumnLook);

const PASSED_FUNCTION = /^_xleta\./i;

/** Returns the looks of a sheet's tables, by `nameKey`. */
export function readTableLooks(sheet: SheetData): ReadonlyMap<string, TableLook> {
  // A table name that equals a function's name is printed as a function value.
  const toTableKey = (name: string) => nameKey(name.replace(PASSED_FUNCTION, ''));
  const earlier = listAttachmentsOfKind(sheet, EARLIER_TABLE_LOOK).map(
    ({ formulas, texts: [name = '', ...texts] }) =>
      [toTableKey(name), { ...parseStoredLook(texts), formulas }] as const,
  );
  const looks = listAttachmentsOfKind(sheet, TABLE_LOOK).map(
    ({ formulas: [name = '', ...formulas], texts }) =>
      [toTableKey(name), { ...parseStoredLook(texts), formulas }] as const,
  );
  return new Map([...earlier, ...looks]);
}

/**
 * Parses the stored look of a table. The earliest versions stored the style, the filters and the number of columns as
 * separate texts.
 */
function parseStoredLook([first = '', filters, columns]: readonly string[]): StoredTableLook {
  if (filters === undefined) return JSON.parse(first) as StoredTableLook;
  return { style: first, filters, attributes: '', columns: new Array(Number(columns)).fill({ attributes: '' }) };
}
