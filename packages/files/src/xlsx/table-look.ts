import { type AttachmentData, nameKey, type SheetData } from '@cellwire/engine';
import { ofKind } from './attachments-xml.ts';

/**
 * The kind of an attachment that says how a table looks. Its text: the look as JSON; its formulas: the table's name, as
 * copies of a table are called otherwise, and those of the columns.
 */
const TABLE_LOOK = 'tableLook';
/** The same in what earlier versions stored: the name was a text before the others. */
const EARLIER_LOOK = 'table';

/** What a file says of a table's column beside its name. */
export interface ColumnLook {
  /** Attributes of its element, as text. */
  readonly attributes: string;
  /** Whether new rows get the formula of the others. */
  readonly isCalculated?: true;
  /** The place of that formula, as the file has it, among the look's; absent in what earlier versions stored. */
  readonly formula?: number;
  /** Whether it is an array formula. */
  readonly isArray?: true;
  /** What is told in its totals: a function, or a text. */
  readonly totals?: string;
  readonly label?: string;
}

/** What a file says of a table beside its cells. */
export interface TableLook {
  /** The element of its style, and those that filter its columns. */
  readonly style: string;
  readonly filters: string;
  /** Attributes of its element, as text. */
  readonly attributes: string;
  readonly columns: readonly ColumnLook[];
  /** Its header has no filter buttons. */
  readonly hasNoButtons?: true;
  /** Formulas of its columns, which follow when cells move. */
  readonly formulas: readonly string[];
}

type StoredLook = Omit<TableLook, 'formulas'>;

/** The look as it is kept; null where there is nothing of it. */
export function lookOf(name: string, { formulas, ...look }: TableLook): AttachmentData | null {
  const { style, filters, attributes, columns, hasNoButtons } = look;
  const isPlain =
    style + filters + attributes === '' && !hasNoButtons && columns.every((column) => JSON.stringify(column) === PLAIN);
  return isPlain ? null : { kind: TABLE_LOOK, areas: [], formulas: [name, ...formulas], texts: [JSON.stringify(look)] };
}

const PLAIN = JSON.stringify({ attributes: '' } satisfies ColumnLook);

const PASSED_FUNCTION = /^_xleta\./i;

/** How tables of a sheet look, by the keys of their names. */
export function tableLooks(sheet: SheetData): ReadonlyMap<string, TableLook> {
  // A name that functions have, too, is printed as one that is passed on.
  const keyOf = (name: string) => nameKey(name.replace(PASSED_FUNCTION, ''));
  const earlier = ofKind(sheet, EARLIER_LOOK).map(
    ({ formulas, texts: [name = '', ...held] }) => [keyOf(name), { ...storedLook(held), formulas }] as const,
  );
  const looks = ofKind(sheet, TABLE_LOOK).map(
    ({ formulas: [name = '', ...formulas], texts }) => [keyOf(name), { ...storedLook(texts), formulas }] as const,
  );
  return new Map([...earlier, ...looks]);
}

/** Still earlier versions stored the style, the filters and the number of columns as texts of their own. */
function storedLook([first = '', filters, columns]: readonly string[]): StoredLook {
  if (filters === undefined) return JSON.parse(first) as StoredLook;
  return { style: first, filters, attributes: '', columns: new Array(Number(columns)).fill({ attributes: '' }) };
}
