import {
  type Area,
  type Edit,
  height as heightOf,
  type Input,
  intersection,
  isError,
  type Sheet,
  type Snapshot,
  width as widthOf,
} from '@cellwire/engine';
import type { PlanSteps } from '../call.ts';
import { formatStyleText, StyleFormats } from '../format/style.ts';
import { createInvalidProblem } from '../problem.ts';
import { listFileValidations, toValidationRule } from '../sheets/file-rules.ts';
import { readFormatRules, readStoredRule, replaceFormatRules } from '../sheets/rules.ts';
import { KINDS, listAttachments } from '../sheets/state.ts';
import { setValidationRule } from './cell-edits.ts';
import { listLinks, setLinks } from './cell-links.ts';
import { CellRows } from './cell-rows.ts';
import type { RequestBatch, WorkingRange, WorkingSheet } from './state.ts';

export const PASTES = [
  'PASTE_NORMAL',
  'PASTE_VALUES',
  'PASTE_FORMAT',
  'PASTE_NO_BORDERS',
  'PASTE_FORMULA',
  'PASTE_DATA_VALIDATION',
  'PASTE_CONDITIONAL_FORMATTING',
] as const;
export type PasteType = (typeof PASTES)[number];

/** Makes edits in steps. */
type EditSteps = PlanSteps<readonly Edit[]>;

/** Where one copy of the source begins. */
export interface PastePlace {
  readonly sheet: WorkingSheet;
  readonly row: number;
  readonly column: number;
  /** True if rows of the source become columns of the target. */
  readonly isTransposed: boolean;
}

/**
 * Builds the edits that paste a range once.
 * https://developers.google.com/sheets/api/reference/rest/v4/spreadsheets/request#pastetype
 */
export function* buildPasteEdits(
  batch: RequestBatch,
  source: WorkingRange,
  destination: PastePlace,
  paste: PasteType,
): EditSteps {
  const { sheet, range } = source;
  const { row, column, isTransposed } = destination;
  const copy: Edit = { kind: 'copy', sheet: sheet.id, area: range, toSheet: destination.sheet.id, row, column };
  // The engine copies without a loop over cells here, so that areas of any size can be copied.
  if (paste === 'PASTE_NORMAL' && !isTransposed) return [copy, ...(yield* buildMergeEdits(batch, source, destination))];
  if (paste === 'PASTE_DATA_VALIDATION' || paste === 'PASTE_CONDITIONAL_FORMATTING') return [];
  batch.countScannedCells(source.range);
  const state = yield* batch.calculateState();
  const cells = new PastedCells(batch, state, yield* batch.calculateSheet(source.sheet), source, destination);
  const entered = function* () {
    return isTransposed ? yield* cells.writeTransposedValues() : [copy];
  };
  switch (paste) {
    case 'PASTE_NORMAL':
      return [
        ...(yield* entered()),
        ...(yield* cells.pasteFormats((style) => style)),
        ...(yield* buildMergeEdits(batch, source, destination)),
      ];
    case 'PASTE_VALUES':
      return yield* cells.pasteValues();
    case 'PASTE_FORMAT':
      return yield* cells.pasteFormats((style) => style);
    case 'PASTE_NO_BORDERS':
      return [
        ...(yield* entered()),
        ...(yield* cells.pasteFormatsOnly()),
        ...(yield* buildMergeEdits(batch, source, destination)),
      ];
    case 'PASTE_FORMULA':
      return [...(yield* entered()), ...(yield* cells.restoreFormats())];
  }
}

/** Merges the same cells as the source. */
function* buildMergeEdits(batch: RequestBatch, { sheet, range }: WorkingRange, destination: PastePlace): EditSteps {
  const { merges } = (yield* batch.readSheetStructure(sheet)).layout;
  const areas = merges.flatMap((merge) => {
    const shared = intersection(merge, range);
    return shared === null ? [] : [toPastedArea(shared, range, destination)];
  });
  return areas.length === 0 ? [] : [{ kind: 'mergeCells', sheet: destination.sheet.id, areas }];
}

/** Replaces the destination's links by the links of the source. */
export function* pasteLinks(batch: RequestBatch, source: WorkingRange, destination: PastePlace): PlanSteps<void> {
  const { sheet, range } = source;
  const links = yield* listLinks(batch, sheet, range);
  const pasted = links.map(({ area, address }) => ({ area: toPastedArea(area, range, destination), address }));
  setLinks(batch, destination.sheet, toPastedArea(range, range, destination), pasted);
}

/** Replaces the destination's validation rules by the rules of the source. */
export function* pasteRules(
  batch: RequestBatch,
  { sheet, range }: WorkingRange,
  destination: PastePlace,
): PlanSteps<void> {
  batch.refuseHiddenSheet(sheet);
  const snapshot = yield* batch.readStructure();
  const cells = yield* batch.readSheetStructure(sheet);
  const rules = [...listFileValidations(cells), ...listAttachments(cells, KINDS.validation)];
  setValidationRule(batch, destination.sheet, toPastedArea(range, range, destination), null);
  for (const rule of rules) {
    for (const area of rule.areas) {
      const shared = intersection(area, range);
      if (shared === null) continue;
      const target = toPastedArea(shared, range, destination);
      const isOfFile = rule.kind !== KINDS.validation;
      const value = isOfFile
        ? toValidationRule(snapshot, rule, [target])
        : readStoredRule(snapshot, rule, [target]).value;
      setValidationRule(batch, destination.sheet, target, value);
    }
  }
}

/** Adds the conditional formats of the source for the destination, after the existing ones. */
export function* pasteFormatRules(
  batch: RequestBatch,
  { sheet, range }: WorkingRange,
  destination: PastePlace,
): PlanSteps<void> {
  batch.refuseHiddenSheet(destination.sheet);
  batch.refuseHiddenSheet(sheet);
  const snapshot = yield* batch.readStructure();
  const target = yield* batch.readSheetStructure(destination.sheet);
  const pasted = listAttachments(yield* batch.readSheetStructure(sheet), KINDS.conditionalFormat).flatMap((rule) => {
    const shared = rule.areas.flatMap((area) => intersection(area, range) ?? []);
    if (shared.length === 0) return [];
    return [
      readStoredRule(
        snapshot,
        rule,
        shared.map((area) => toPastedArea(area, range, destination)),
      ),
    ];
  });
  if (pasted.length === 0) return;
  batch.addEdits(...replaceFormatRules(snapshot, target, [...readFormatRules(snapshot, target), ...pasted]));
}

/** The destination of a part of the source. */
function toPastedArea(part: Area, { top, left }: Area, { row, column, isTransposed }: PastePlace): Area {
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
  private readonly batch: RequestBatch;
  private readonly snapshot: Snapshot;
  private readonly cells: Sheet;
  private readonly target: Sheet | undefined;
  private readonly source: Area;
  private readonly to: PastePlace;
  private readonly area: Area;

  /** `snapshot`: the state before the paste; `cells`: the sheet of the source in it. */
  constructor(batch: RequestBatch, snapshot: Snapshot, cells: Sheet, { range }: WorkingRange, to: PastePlace) {
    this.batch = batch;
    this.snapshot = snapshot;
    this.cells = cells;
    this.target = this.snapshot.sheetById(to.sheet.id);
    this.source = range;
    this.to = to;
    this.area = toPastedArea(range, range, to);
  }

  /** Writes the displayed values of the source. */
  pasteValues(): EditSteps {
    return this.writeInputs((row, column) => toInput(this.cells.value(row, column)));
  }

  /** Writes what was entered. Throws if that is a formula: its references would have to be transposed. */
  writeTransposedValues(): EditSteps {
    return this.writeInputs((row, column) => {
      if (this.cells.run(row, column) !== undefined)
        throw createInvalidProblem('Formulas cannot be pasted transposed.');
      return toInput(this.cells.value(row, column));
    });
  }

  /** The edits that enter what `getInput` returns for the source cell of each target cell. */
  private *writeInputs(getInput: (row: number, column: number) => Input): EditSteps {
    const edits: Edit[] = [];
    const writer = new CellRows<Input>((row, column, values) => {
      edits.push({ kind: 'setValues', sheet: this.to.sheet.id, row, column, values, mode: 'raw' });
    });
    for (let r = 0; r < heightOf(this.area); r++) {
      for (let c = 0; c < widthOf(this.area); c++) {
        if (this.batch.endsStep()) yield;
        writer.addCell(this.area.top + r, this.area.left + c, getInput(...this.findSourceCell(r, c)));
      }
    }
    writer.flushRows();
    return edits;
  }

  /** The source cell of a target cell, by the target's offset in the pasted area. */
  private findSourceCell(rowOffset: number, columnOffset: number): readonly [row: number, column: number] {
    const { top, left } = this.source;
    return this.to.isTransposed ? [top + columnOffset, left + rowOffset] : [top + rowOffset, left + columnOffset];
  }

  /** Gives the formats of the source. `combineStyles`: the style for a cell of the source over a cell of the destination. */
  pasteFormats(combineStyles: (style: string, former: string) => string): EditSteps {
    return this.formatEdits((from, former) => ({ code: from.code, style: combineStyles(from.style, former.style) }));
  }

  /** Pastes formats but keeps the borders that the target cells have. */
  pasteFormatsOnly(): EditSteps {
    const reader = new StyleFormats(this.snapshot);
    const pastedStyles = new Map<string, string>();
    return this.pasteFormats((style, former) => {
      const key = JSON.stringify([style, former]);
      const bordered = pastedStyles.get(key) ?? replaceBorders(reader, style, former);
      pastedStyles.set(key, bordered);
      return bordered;
    });
  }

  /** Gives cells the formats again that they had before the source was copied over them. */
  restoreFormats(): EditSteps {
    return this.formatEdits((_from, former) => former);
  }

  /** Cells side by side with equal formats share an edit. */
  private *formatEdits(combineFormats: (from: PastedFormat, former: PastedFormat) => PastedFormat): EditSteps {
    const { formats } = this.snapshot;
    const edits: Edit[] = [];
    for (let r = 0; r < heightOf(this.area); r++) {
      const row = this.area.top + r;
      let left = this.area.left;
      let lastKey = '';
      for (let c = 0; c < widthOf(this.area); c++) {
        if (this.batch.endsStep()) yield;
        const column = this.area.left + c;
        const from = formats.get(this.cells.format(...this.findSourceCell(r, c)));
        const former = formats.get(this.target?.format(row, column) ?? 0);
        const { code, style } = combineFormats(from, former);
        const key = JSON.stringify([from.style, former.style, style, code]);
        if (key === lastKey) edits.pop();
        else left = column;
        lastKey = key;
        // A cell has one of two styles, depending on whether it was copied.
        const styles = [from.style, former.style].map((current) => [current, style] as const);
        const area = { top: row, left, bottom: row, right: column };
        edits.push({ kind: 'styleCells', sheet: this.to.sheet.id, area, styles, code });
      }
    }
    return edits;
  }
}

/** A style with the borders of another one. */
function replaceBorders(reader: StyleFormats, style: string, other: string): string {
  const format = reader.readStyleFormat(style);
  const { borders: _, ...rest } = format;
  const { borders } = reader.readStyleFormat(other);
  return formatStyleText(style, format, borders === undefined ? rest : { ...rest, borders });
}

/** The input that gives a cell a value. An empty value clears the cell. */
export function toInput(value: ReturnType<Sheet['value']>): Input {
  if (value === null) return '';
  return isError(value) ? { as: 'error', value: value.code } : value;
}
