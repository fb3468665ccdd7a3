import { type Area, type Edit, type Input, isError, type Sheet, type Snapshot } from '@cellwire/engine';
import { StyleFormats, styleWith } from '../format/style.ts';
import { invalid } from '../problem.ts';
import { heightOf, intersection, widthOf } from '../sheets/areas.ts';
import { KINDS, objectsOf } from '../sheets/state.ts';
import { setRule } from './cell-edits.ts';
import type { RequestBatch, WorkingRange, WorkingSheet } from './state.ts';

export const PASTES = ['PASTE_NORMAL', 'PASTE_VALUES', 'PASTE_FORMAT', 'PASTE_NO_BORDERS', 'PASTE_FORMULA'] as const;
export type Paste = (typeof PASTES)[number];

/** Position of one copy of the source. */
export interface PastePlace {
  readonly sheet: WorkingSheet;
  readonly row: number;
  readonly column: number;
  /** Rows of the source become columns. */
  readonly isTransposed: boolean;
}

/**
 * The edits that paste a range once.
 * https://developers.google.com/sheets/api/reference/rest/v4/spreadsheets/request#pastetype
 */
export function pasteEdits(batch: RequestBatch, source: WorkingRange, to: PastePlace, paste: Paste): readonly Edit[] {
  const { sheet, range } = source;
  const { row, column, isTransposed } = to;
  const copy: Edit = { kind: 'copy', sheet: sheet.id, area: range, toSheet: to.sheet.id, row, column };
  // The engine copies without a loop over cells here, so that areas of any size can be copied.
  if (paste === 'PASTE_NORMAL' && !isTransposed) return [copy, ...mergeEdits(batch, source, to)];
  const cells = new PastedCells(batch, source, to);
  const entered = () => (isTransposed ? cells.transposedValues() : copy);
  switch (paste) {
    case 'PASTE_NORMAL':
      return [entered(), ...cells.formats((style) => style), ...mergeEdits(batch, source, to)];
    case 'PASTE_VALUES':
      return [cells.values()];
    case 'PASTE_FORMAT':
      return cells.formats((style) => style);
    case 'PASTE_NO_BORDERS':
      return [entered(), ...cells.formatsWithoutBorders(), ...mergeEdits(batch, source, to)];
    case 'PASTE_FORMULA':
      return [entered(), ...cells.formerFormats()];
  }
}

/** Merges cells like the source's. */
function mergeEdits(batch: RequestBatch, { sheet, range }: WorkingRange, to: PastePlace): readonly Edit[] {
  const merges = batch.current().sheetById(sheet.id)?.layout.merges ?? [];
  const areas = merges.flatMap((merge) => {
    const shared = intersection(merge, range);
    return shared === null ? [] : [pastedArea(shared, range, to)];
  });
  return areas.length === 0 ? [] : [{ kind: 'mergeCells', sheet: to.sheet.id, areas }];
}

/** Replaces the destination's validation rules by those of the source. */
export function pasteRules(batch: RequestBatch, { sheet, range }: WorkingRange, to: PastePlace): void {
  const rules = objectsOf(batch.cells(sheet), KINDS.validation);
  setRule(batch, to.sheet, pastedArea(range, range, to), null);
  for (const { areas, value } of rules) {
    for (const area of areas) {
      const shared = intersection(area, range);
      if (shared !== null) setRule(batch, to.sheet, pastedArea(shared, range, to), value);
    }
  }
}

/** The destination of a part of the source. */
function pastedArea(part: Area, { top, left }: Area, { row, column, isTransposed }: PastePlace): Area {
  const [down, across] = isTransposed ? [part.left - left, part.top - top] : [part.top - top, part.left - left];
  const [height, width] = isTransposed ? [widthOf(part), heightOf(part)] : [heightOf(part), widthOf(part)];
  const first = { top: row + down, left: column + across };
  return { ...first, bottom: first.top + height - 1, right: first.left + width - 1 };
}

/** A number format and a style. */
interface PastedFormat {
  readonly code: string;
  readonly style: string;
}

/** The cells of a source, in the order of the destination. */
class PastedCells {
  private readonly snapshot: Snapshot;
  private readonly cells: Sheet;
  private readonly target: Sheet | undefined;
  private readonly source: Area;
  private readonly to: PastePlace;
  private readonly area: Area;

  constructor(batch: RequestBatch, { sheet, range }: WorkingRange, to: PastePlace) {
    batch.countScanned(range);
    this.snapshot = batch.current();
    this.cells = batch.cells(sheet);
    this.target = this.snapshot.sheetById(to.sheet.id);
    this.source = range;
    this.to = to;
    this.area = pastedArea(range, range, to);
  }

  /** Writes the displayed values of the source. */
  values(): Edit {
    return this.write((row, column) => inputOf(this.cells.value(row, column)));
  }

  /** Writes the source's inputs. Throws for formulas, because their references would have to be transposed. */
  transposedValues(): Edit {
    return this.write((row, column) => {
      if (this.cells.run(row, column) !== undefined) throw invalid('Formulas cannot be pasted transposed.');
      return inputOf(this.cells.value(row, column));
    });
  }

  private write(inputAt: (row: number, column: number) => Input): Edit {
    const { top: row, left: column } = this.area;
    const values = Array.from({ length: heightOf(this.area) }, (_, r) =>
      Array.from({ length: widthOf(this.area) }, (_unused, c) => inputAt(...this.sourceOf(r, c))),
    );
    return { kind: 'setValues', sheet: this.to.sheet.id, row, column, values, mode: 'raw' };
  }

  private sourceOf(r: number, c: number): readonly [row: number, column: number] {
    const { top, left } = this.source;
    return this.to.isTransposed ? [top + c, left + r] : [top + r, left + c];
  }

  /** Applies the source's formats. `styleOf`: the resulting style for a source cell and a destination cell. */
  formats(styleOf: (style: string, former: string) => string): readonly Edit[] {
    return this.formatEdits((from, former) => ({ code: from.code, style: styleOf(from.style, former.style) }));
  }

  formatsWithoutBorders(): readonly Edit[] {
    const reader = new StyleFormats(this.snapshot);
    const known = new Map<string, string>();
    return this.formats((style, former) => {
      const key = JSON.stringify([style, former]);
      const made = known.get(key) ?? withBordersOf(reader, style, former);
      known.set(key, made);
      return made;
    });
  }

  /** Restores the formats that cells had before the source was copied over them. */
  formerFormats(): readonly Edit[] {
    return this.formatEdits((_from, former) => former);
  }

  /** Adjacent cells with equal formats share an edit. */
  private formatEdits(formatOf: (from: PastedFormat, former: PastedFormat) => PastedFormat): readonly Edit[] {
    const { formats } = this.snapshot;
    const edits: Edit[] = [];
    for (let r = 0; r < heightOf(this.area); r++) {
      const row = this.area.top + r;
      let left = this.area.left;
      let lastKey = '';
      for (let c = 0; c < widthOf(this.area); c++) {
        const column = this.area.left + c;
        const from = formats.get(this.cells.format(...this.sourceOf(r, c)));
        const former = formats.get(this.target?.format(row, column) ?? 0);
        const { code, style } = formatOf(from, former);
        const key = JSON.stringify([from.style, former.style, style, code]);
        if (key === lastKey) edits.pop();
        else left = column;
        lastKey = key;
        // A cell has one of two styles, depending on whether it was copied.
        const styles = [from.style, former.style].map((held) => [held, style] as const);
        const area = { top: row, left, bottom: row, right: column };
        edits.push({ kind: 'styleCells', sheet: this.to.sheet.id, area, styles, code });
      }
    }
    return edits;
  }
}

/** A style with the borders of another one. */
function withBordersOf(reader: StyleFormats, style: string, other: string): string {
  const format = reader.ofStyle(style);
  const { borders: _, ...rest } = format;
  const { borders } = reader.ofStyle(other);
  return styleWith(style, format, borders === undefined ? rest : { ...rest, borders });
}

/** The input that gives a cell a value. An empty value clears the cell. */
export function inputOf(value: ReturnType<Sheet['value']>): Input {
  if (value === null) return '';
  return isError(value) ? { as: 'error', value: value.code } : value;
}
