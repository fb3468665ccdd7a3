import { type AttachmentData, nameKey, type SheetData } from '@cellwire/engine';
import { listAttachmentsOfKind } from './attachments-xml.ts';

/**
 * Kind of the attachment with the preserved properties of a table. Its text contains them as JSON. Its formulas are the
 * table's name, which is updated by renames and copies, and the formulas of the columns. Documents contain this kind, so
 * its text must stay the same.
 */
const TABLE_PROPERTIES = 'tableLook';
/** The kind in data of earlier versions, which stored the name as the first text. */
const EARLIER_TABLE_PROPERTIES = 'table';

/** Preserved properties of a table column. */
export interface TableColumnProperties {
  /** Attributes of its element, as text. */
  readonly attributes: string;
  /** True if new rows get the column's formula. */
  readonly isCalculated?: true;
  /** Index of that formula in `TableProperties.formulas`; absent in data of earlier versions. */
  readonly formula?: number;
  /** True if it is an array formula. */
  readonly isArray?: true;
  /** Function or label in the totals row. */
  readonly totals?: string;
  readonly label?: string;
}

/** Preserved properties of a table. */
export interface TableProperties {
  /** The element of the table's style, and the elements that filter its columns. */
  readonly style: string;
  readonly filters: string;
  /** Attributes of its element, as text. */
  readonly attributes: string;
  readonly columns: readonly TableColumnProperties[];
  /** Present if the header has no filter buttons. */
  readonly hasNoButtons?: true;
  /** Formulas of its columns, which are updated when cells move. */
  readonly formulas: readonly string[];
}

type StoredTableProperties = Omit<TableProperties, 'formulas'>;

/** Returns the preserved properties as an attachment; null if there are none. */
export function createPropertiesAttachment(
  name: string,
  { formulas, ...properties }: TableProperties,
): AttachmentData | null {
  const { style, filters, attributes, columns, hasNoButtons } = properties;
  const isPlain =
    style + filters + attributes === '' && !hasNoButtons && columns.every((column) => JSON.stringify(column) === PLAIN);
  return isPlain
    ? null
    : { kind: TABLE_PROPERTIES, areas: [], formulas: [name, ...formulas], texts: [JSON.stringify(properties)] };
}

const PLAIN = JSON.stringify({ attributes: '' } satisfies TableColumnProperties);

const PASSED_FUNCTION = /^_xleta\./i;

/** Returns the properties of a sheet's tables, by `nameKey`. */
export function readTableProperties(sheet: SheetData): ReadonlyMap<string, TableProperties> {
  // A table name that equals a function's name is printed as a function value.
  const toTableKey = (name: string) => nameKey(name.replace(PASSED_FUNCTION, ''));
  const earlier = listAttachmentsOfKind(sheet, EARLIER_TABLE_PROPERTIES).map(
    ({ formulas, texts: [name = '', ...texts] }) =>
      [toTableKey(name), { ...parseStoredProperties(texts), formulas }] as const,
  );
  const properties = listAttachmentsOfKind(sheet, TABLE_PROPERTIES).map(
    ({ formulas: [name = '', ...formulas], texts }) =>
      [toTableKey(name), { ...parseStoredProperties(texts), formulas }] as const,
  );
  return new Map([...earlier, ...properties]);
}

/**
 * Parses the stored properties of a table. The earliest versions stored the style, the filters and the number of columns
 * as separate texts.
 */
function parseStoredProperties([first = '', filters, columns]: readonly string[]): StoredTableProperties {
  if (filters === undefined) return JSON.parse(first) as StoredTableProperties;
  return { style: first, filters, attributes: '', columns: new Array(Number(columns)).fill({ attributes: '' }) };
}
