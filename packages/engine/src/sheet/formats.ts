import { TextMap } from '../value/text-map.ts';

/** The id of the General format without a style. */
export const GENERAL = 0;

/** Maximum number of formats of a document, including styles. Columns store ids in 16 bits. */
export const MAX_FORMATS = 65_000;

const GENERAL_CODE = 'General';
/** Number of possible format ids, which have 16 bits. */
const ID_COUNT = 1 << 16;

/** The number format and the style of a cell. */
export interface CellFormat {
  /** The number format's code. */
  readonly code: string;
  /** True if the number format was derived from a formula's operands. Each recalculation may then change it. */
  readonly inferred: boolean;
  /** Font, fill, border and so on, in the terms of the imported file. It is kept for the export and not interpreted. */
  readonly style: string;
}

interface StoredCellFormat extends CellFormat {
  /** The style's number in the table; 0 for none. */
  readonly styleId: number;
}

/** The formats of a document by id. Snapshots share the table; it changes as `Snapshot` describes. */
export class FormatTable {
  private readonly formats: StoredCellFormat[] = [{ code: GENERAL_CODE, inferred: false, style: '', styleId: 0 }];
  private readonly ids = new Map<string, number>([[createFormatKey(GENERAL_CODE, false, 0), GENERAL]]);
  private readonly styleIds = new TextMap<number>();
  /** Ids of formats by the ids of a style and of a number format that they combine. */
  private readonly styled = new Map<number, number>();
  /** True if at least one format has a number format, not only a style. */
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

  /** True if numbers are displayed as General, in any style. */
  isGeneral(id: number): boolean {
    return id === GENERAL || this.code(id) === GENERAL_CODE;
  }

  /** Appends a format that the table does not contain. */
  appendFormat({ code, inferred, style }: CellFormat): number {
    let styleId = this.styleIds.get(style);
    if (styleId === undefined) {
      styleId = this.styleIds.size;
      this.styleIds.set(style, styleId);
    }
    const id = this.formats.push({ code, inferred, style, styleId }) - 1;
    this.ids.set(createFormatKey(code, inferred, styleId), id);
    if (code !== GENERAL_CODE) this.hasNumberFormats = true;
    return id;
  }

  /**
   * Returns the id of a format, and adds the format if needed. If the table is full, returns General, with the same
   * style if possible.
   */
  ensureFormat(code: string, inferred = false, style = ''): number {
    const isGeneral = code === GENERAL_CODE || code === '';
    if (isGeneral && style === '') return GENERAL;
    const format = { code: isGeneral ? GENERAL_CODE : code, inferred: inferred && !isGeneral, style };
    const existingId = this.findId(format);
    if (existingId !== undefined) return existingId;
    if (this.formats.length < MAX_FORMATS) return this.appendFormat(format);
    return this.findId({ code: GENERAL_CODE, inferred: false, style }) ?? GENERAL;
  }

  private findId({ code, inferred, style }: CellFormat): number | undefined {
    const styleId = this.styleIds.get(style);
    return styleId === undefined ? undefined : this.ids.get(createFormatKey(code, inferred, styleId));
  }

  /** Returns the id of a format with the number format of `id` and the style of `styleSource`. */
  combineStyle(id: number, styleSource: number): number {
    const { styleId, style } = this.formats[styleSource]!;
    const { code, inferred, styleId: own } = this.formats[id]!;
    if (styleId === own) return id;
    const key = styleId * ID_COUNT + id;
    const cached = this.styled.get(key);
    if (cached !== undefined) return cached;
    const found = this.ensureFormat(code, inferred, style);
    this.styled.set(key, found);
    return found;
  }
}

function createFormatKey(code: string, inferred: boolean, styleId: number): string {
  return `${styleId}${inferred ? '=' : ':'}${code}`;
}
