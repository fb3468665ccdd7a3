import type { Area } from '@cellwire/engine';
import { MAX_FORMATTED_GOOGLE_CELLS } from '../../limits/google.ts';
import type { PlanSteps } from '../call.ts';
import { type FieldMask, includesPath } from '../field-mask.ts';
import { type GoogleFormat, mergeFormat } from '../format/cell-format.ts';
import { formatStyleText, StyleFormats, toFormatCode } from '../format/style.ts';
import { isRequestObject } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { FILE_KINDS } from '../sheets/file-rules.ts';
import { toRuleAttachment } from '../sheets/rules.ts';
import { KINDS } from '../sheets/state.ts';
import type { RequestBatch, WorkingSheet } from './state.ts';

export function countCellsInArea({ top, left, bottom, right }: Area): number {
  return (bottom - top + 1) * (right - left + 1);
}

/** Throws if an area has more cells than one request may format. */
export function refuseLargeArea(area: Area): void {
  if (countCellsInArea(area) > MAX_FORMATTED_GOOGLE_CELLS) {
    throw createInvalidProblem(`A request can change ${MAX_FORMATTED_GOOGLE_CELLS} cells at most.`);
  }
}

/**
 * With more than `MANY_STYLES` styles, or in an area of at most `FEW_CELLS` cells, only the styles of the cells
 * themselves are considered, otherwise all styles of the document.
 */
const MANY_STYLES = 200;
const FEW_CELLS = 512;

/** Styles that cells of an area may have now. */
function* collectStyles(batch: RequestBatch, sheet: WorkingSheet, area: Area): PlanSteps<ReadonlySet<string>> {
  const { formats } = batch.snapshot;
  const { styleEdits } = batch;
  const hasFewStyles = formats.size + styleEdits.styles.size <= MANY_STYLES;
  const readsCells = styleEdits.keepsOthers && countCellsInArea(area) <= FEW_CELLS;
  if (hasFewStyles && !readsCells) {
    const styles = new Set<string>(['', ...styleEdits.styles]);
    for (let id = 0; id < formats.size; id++) styles.add(formats.get(id).style);
    return styles;
  }
  const styles = new Set<string>(['']);
  const state = styleEdits.keepsOthers ? batch.snapshot : yield* batch.calculateState();
  const cells = state.sheetById(sheet.id);
  const ids = new Set<number>();
  for (let column = area.left; column <= area.right; column++) {
    for (let row = area.top; row <= area.bottom; row++) {
      if (batch.endsStep()) yield;
      ids.add(cells?.format(row, column) ?? 0);
    }
  }
  for (const id of ids) styles.add(state.formats.get(id).style);
  if (!styleEdits.keepsOthers) return styles;
  for (const edit of styleEdits.listWithin(sheet.id, area)) {
    if (batch.endsStep()) yield;
    for (const [, to] of edit.styles) styles.add(to);
  }
  return styles;
}

/** Sets the members of the cells' format that a mask names. */
export function* restyleCells(
  batch: RequestBatch,
  sheet: WorkingSheet,
  area: Area,
  format: GoogleFormat,
  mask: FieldMask,
): PlanSteps<void> {
  refuseLargeArea(area);
  const reader = new StyleFormats(batch.snapshot);
  const pairs = [...(yield* collectStyles(batch, sheet, area))].flatMap((style) => {
    const current = reader.readStyleFormat(style);
    const next = formatStyleText(style, current, mergeFormat(current, format, mask));
    return next === style ? [] : [[style, next] as const];
  });
  const numberFormat = format['numberFormat'];
  const setsCode = includesPath(mask, 'numberFormat');
  const code = isRequestObject(numberFormat) ? toFormatCode(numberFormat) : 'General';
  if (pairs.length === 0 && !setsCode) return;
  batch.addEdits({ kind: 'styleCells', sheet: sheet.id, area, styles: pairs, ...(setsCode ? { code } : {}) });
}

/** Replaces the validation rules of an area; null removes them. */
export function setValidationRule(batch: RequestBatch, sheet: WorkingSheet, area: Area, rule: object | null): void {
  batch.refuseHiddenSheet(sheet);
  const old = { kind: 'attach', sheet: sheet.id, key: null, within: area, splits: true } as const;
  if (batch.hasFileRules) {
    batch.addEdits({ ...old, attachment: FILE_KINDS.validation, attachments: [] });
    batch.addEdits({ ...old, attachment: FILE_KINDS.extendedValidation, attachments: [] });
  }
  const attachments = rule === null ? [] : [toRuleAttachment('', [area], rule)];
  batch.addEdits({ ...old, attachment: KINDS.validation, attachments, locale: batch.locale });
}
