import { type Area, contains, isError, type Sheet, type Snapshot } from '@cellwire/engine';
import { type FieldMask, findMemberMask, includesPath, selectMembers } from '../field-mask.ts';
import { toEffectiveFormat } from '../format/cell-format.ts';
import { StyleFormats } from '../format/style.ts';
import { CellRenderer } from '../values/render.ts';
import { CellLinks } from './links.ts';
import { readNotes } from './notes.ts';
import { readValidationRules } from './rules.ts';

const ERROR_TYPES: Readonly<Record<string, string>> = {
  '#NAME?': 'NAME',
  '#REF!': 'REF',
  '#SPILL!': 'REF',
  '#VALUE!': 'VALUE',
  '#DIV/0!': 'DIVIDE_BY_ZERO',
  '#NUM!': 'NUM',
  '#N/A': 'N_A',
  '#NULL!': 'NULL_VALUE',
};

const LINK_FORMULA = /^=HYPERLINK\(\s*"((?:[^"]|"")*)"/i;

/** Builds `CellData` for the cells of a sheet, limited by a mask. */
export class CellDataReader {
  private readonly sheet: Sheet;
  private readonly mask: FieldMask;
  private readonly renderer: CellRenderer;
  private readonly formats: StyleFormats;
  private readonly notes: ReadonlyMap<string, string>;
  private readonly links: CellLinks;
  private readonly rules: readonly { readonly areas: readonly Area[]; readonly value: object }[];
  /** Converted formats, by their number in the document's table. */
  private readonly shown = new Map<number, { readonly user: unknown; readonly effective: unknown }>();

  constructor(snapshot: Snapshot, sheet: Sheet, mask: FieldMask) {
    this.sheet = sheet;
    this.mask = mask;
    this.renderer = new CellRenderer(snapshot, sheet, 'en-US');
    this.formats = new StyleFormats(snapshot);
    this.notes = includesPath(mask, 'note') ? readNotes(sheet) : new Map();
    this.links = new CellLinks(LINK_PATHS.some((path) => includesPath(mask, ...path)) ? sheet : null);
    this.rules = includesPath(mask, 'dataValidation') ? readValidationRules(snapshot, sheet) : [];
  }

  /** One past the last row and column that may contain something other than a value. */
  get extent(): { readonly rows: number; readonly columns: number } {
    let rows = 0;
    let columns = 0;
    const extendTo = ({ bottom, right }: Area) => {
      rows = Math.max(rows, bottom + 1);
      columns = Math.max(columns, right + 1);
    };
    this.links.areas.forEach(extendTo);
    for (const { areas } of this.rules) areas.forEach(extendTo);
    for (const place of this.notes.keys()) {
      const [row = 0, column = 0] = place.split(':').map(Number);
      extendTo({ top: row, left: column, bottom: row, right: column });
    }
    if (includesPath(this.mask, 'userEnteredFormat') || includesPath(this.mask, 'effectiveFormat')) {
      this.sheet.columns.forEach((column, index) => {
        if (column === undefined) return;
        rows = Math.max(rows, column.blocks * BLOCK_ROWS);
        columns = Math.max(columns, index + 1);
      });
    }
    const filled = this.sheet.extent();
    return { rows: Math.max(rows, filled.rows), columns: Math.max(columns, filled.columns) };
  }

  /** Null: the mask includes nothing of the cell. */
  buildCellData(row: number, column: number): object | null {
    const value = this.sheet.value(row, column);
    const { mask } = this;
    const cell: Record<string, unknown> = {};
    const addMember = (name: string, make: () => unknown) => {
      const below = findMemberMask(mask, name);
      if (below === undefined) return;
      const member = selectMembers(make(), below);
      if (member !== undefined) cell[name] = member;
    };
    if (value !== null) {
      addMember('userEnteredValue', () => this.toEnteredValue(row, column, value));
      addMember('effectiveValue', () => this.toEffectiveValue(row, column, value));
      addMember('formattedValue', () => this.renderer.renderValue(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER'));
    }
    const format = this.sheet.format(row, column);
    const link = this.links.findAddress(row, column);
    if (format !== 0 || value !== null) this.addFormats(cell, format, value !== null);
    if (link !== undefined) this.addLinkFormats(cell, link);
    if (link !== undefined || value !== null) addMember('hyperlink', () => link ?? this.readFormulaLink(row, column));
    addMember('note', () => this.notes.get(`${row}:${column}`));
    addMember(
      'dataValidation',
      () => this.rules.findLast(({ areas }) => areas.some((area) => contains(area, row, column)))?.value,
    );
    return Object.keys(cell).length === 0 ? null : cell;
  }

  /** Adds the format that the user set and the effective one to the cell, as far as the field mask names them. */
  private addFormats(cell: Record<string, unknown>, format: number, hasValue: boolean): void {
    let shown = this.shown.get(format);
    if (shown === undefined) {
      const own = this.formats.readCellFormat(format);
      const user = findMemberMask(this.mask, 'userEnteredFormat');
      const effective = findMemberMask(this.mask, 'effectiveFormat');
      const whole = { ...this.formats.readInferredFormat(format), ...own };
      shown = {
        user: own === null || user === undefined ? undefined : selectMembers(own, user),
        effective: effective === undefined ? undefined : selectMembers(toEffectiveFormat(whole), effective),
      };
      this.shown.set(format, shown);
    }
    if (shown.user !== undefined) cell['userEnteredFormat'] = shown.user;
    const isShown = hasValue || this.formats.readCellFormat(format) !== null;
    if (shown.effective !== undefined && isShown) cell['effectiveFormat'] = shown.effective;
  }

  /** Adds the address of a link to the formats of its cell. */
  private addLinkFormats(cell: Record<string, unknown>, uri: string): void {
    for (const name of ['userEnteredFormat', 'effectiveFormat']) {
      if (!includesPath(this.mask, name, 'textFormat', 'link')) continue;
      const format = (cell[name] ?? {}) as { readonly textFormat?: object };
      cell[name] = { ...format, textFormat: { ...format.textFormat, link: { uri } } };
    }
  }

  /** What was entered into the cell as `ExtendedValue`; undefined for a spilled cell. */
  private toEnteredValue(
    row: number,
    column: number,
    value: Exclude<ReturnType<Sheet['value']>, null>,
  ): object | undefined {
    const formula = this.renderer.renderFormula(row, column);
    if (formula !== null) return { formulaValue: formula };
    // Only the first cell of an array formula's result has an input.
    if (this.sheet.spillAround(row, column) !== null) return undefined;
    return this.toEffectiveValue(row, column, value);
  }

  /** The value of a cell as `ExtendedValue`: a number, boolean, text or error. */
  private toEffectiveValue(row: number, column: number, value: Exclude<ReturnType<Sheet['value']>, null>): object {
    if (typeof value === 'number') return { numberValue: value };
    if (typeof value === 'boolean') return { boolValue: value };
    if (typeof value === 'string') return { stringValue: value };
    if (!isError(value)) throw new Error('a value of no type');
    const type = ERROR_TYPES[value.code] ?? 'ERROR';
    return { errorValue: { type, message: this.renderer.describeError(row, column) } };
  }

  /** The address in a formula `=HYPERLINK("…")`; undefined for all other cells. */
  private readFormulaLink(row: number, column: number): string | undefined {
    const formula = this.renderer.renderFormula(row, column);
    const [, address] = (formula === null ? null : LINK_FORMULA.exec(formula)) ?? [];
    return address?.replaceAll('""', '"');
  }
}

/** Members of a cell that contain the address of its link. */
const LINK_PATHS = [
  ['hyperlink'],
  ['userEnteredFormat', 'textFormat', 'link'],
  ['effectiveFormat', 'textFormat', 'link'],
] as const;

/** Rows of a block of cells. */
const BLOCK_ROWS = 256;
