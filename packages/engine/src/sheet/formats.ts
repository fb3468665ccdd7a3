import { TextMap } from '../value/text-map.ts';

/** The id of the General format in no style. */
export const GENERAL = 0;

/** Formats a document may have, styles included; ids are 16 bits in the columns. */
export const MAX_FORMATS = 65_000;

const GENERAL_CODE = 'General';
/** Above every id. */
const ID_COUNT = 1 << 16;

/** How a cell looks: its number format, and the style that it is carried in. */
export interface CellFormat {
  /** The number format's code. */
  readonly code: string;
  /** Whether a formula's operands gave the number format: then each recalculation may change it. */
  readonly inferred: boolean;
  /** Font, fill, border and the like in words of the file they came from: kept for an export and never looked into. */
  readonly style: string;
}

interface StoredCellFormat extends CellFormat {
  /** The style's number in the table; 0 is none. */
  readonly styleId: number;
}

/** The formats of a document by id, shared by its snapshots: it changes as `Snapshot` says. */
export class FormatTable {
  private readonly formats: StoredCellFormat[] = [{ code: GENERAL_CODE, inferred: false, style: '', styleId: 0 }];
  private readonly ids = new Map<string, number>([[formatKey(GENERAL_CODE, false, 0), GENERAL]]);
  private readonly styleIds = new TextMap<number>();
  /** By style and format: the format in that style. */
  private readonly styled = new Map<number, number>();
  /** Whether any format is more than a style. */
  hasNumberFormats = false;

  constructor() {
    this.styleIds.set('', 0);
  }

  get size(): number {
    return this.formats.length;
  }

  get(id: number): CellFormat {
    return this.formats[id]!;
  }

  code(id: number): string {
    return this.formats[id]!.code;
  }

  /** Whether numbers show as General, in whatever style. */
  isGeneral(id: number): boolean {
    return id === GENERAL || this.code(id) === GENERAL_CODE;
  }

  /** Adds a format that the table does not have, as the one after the last. */
  append({ code, inferred, style }: CellFormat): number {
    let styleId = this.styleIds.get(style);
    if (styleId === undefined) {
      styleId = this.styleIds.size;
      this.styleIds.set(style, styleId);
    }
    const id = this.formats.push({ code, inferred, style, styleId }) - 1;
    this.ids.set(formatKey(code, inferred, styleId), id);
    if (code !== GENERAL_CODE) this.hasNumberFormats = true;
    return id;
  }

  /** The id of a format, made when new. A document that has too many gets General, if it can in the same style. */
  idOf(code: string, inferred = false, style = ''): number {
    const isGeneral = code === GENERAL_CODE || code === '';
    if (isGeneral && style === '') return GENERAL;
    const format = { code: isGeneral ? GENERAL_CODE : code, inferred: inferred && !isGeneral, style };
    const known = this.known(format);
    if (known !== undefined) return known;
    if (this.formats.length < MAX_FORMATS) return this.append(format);
    return this.known({ code: GENERAL_CODE, inferred: false, style }) ?? GENERAL;
  }

  private known({ code, inferred, style }: CellFormat): number | undefined {
    const styleId = this.styleIds.get(style);
    return styleId === undefined ? undefined : this.ids.get(formatKey(code, inferred, styleId));
  }

  /** The number format of one id in the style of another. */
  inStyleOf(id: number, other: number): number {
    const { styleId, style } = this.formats[other]!;
    const { code, inferred, styleId: own } = this.formats[id]!;
    if (styleId === own) return id;
    const key = styleId * ID_COUNT + id;
    const known = this.styled.get(key);
    if (known !== undefined) return known;
    const found = this.idOf(code, inferred, style);
    this.styled.set(key, found);
    return found;
  }
}

function formatKey(code: string, inferred: boolean, styleId: number): string {
  return `${styleId}${inferred ? '=' : ':'}${code}`;
}
