import { findCellsWithinGrid, replaceOutsideReferences } from '../formula/index.ts';
import { type Area, area, contains, height, WHOLE_SHEET, width } from '../grid/area.ts';
import { FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import { Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Batch } from './batch.ts';
import { removeCachedResult } from './formulas/cached-results.ts';

/** The input of a cell, and its format. */
interface EnteredCell {
  readonly template: Template | null;
  /** The cells in which all references of the formula are inside the grid. */
  readonly places: Area;
  readonly writer: number | null;
  readonly value: Scalar;
  readonly format: number;
}

/** An area of one sheet. */
export interface EnteredArea {
  readonly sheet: number;
  readonly area: Area;
}

export const BLANK_CELL: EnteredCell = { template: null, places: WHOLE_SHEET, writer: null, value: null, format: 0 };

/**
 * Reads the inputs of an area, row by row. Cells that an array formula filled are empty. `mapTemplate` maps each
 * formula.
 */
export function readEnteredCells(
  batch: Batch,
  { sheet: id, area: requestedArea }: EnteredArea,
  mapTemplate = (template: Template) => template,
): readonly (readonly EnteredCell[])[] {
  // Count the work before reading the cells: a range text of a few characters may mean the whole grid.
  batch.meter.spendCells(height(requestedArea) * width(requestedArea));
  batch.pending.flush();
  const sheet = batch.draft.requireSheet(id);
  const areaByTemplate = new Map<Template, Area>();
  const placesOf = (template: Template) => {
    const places = areaByTemplate.get(template) ?? findCellsWithinGrid(template.node);
    areaByTemplate.set(template, places);
    return places;
  };
  return Array.from({ length: height(requestedArea) }, (_, r) =>
    Array.from({ length: width(requestedArea) }, (_unused, c): EnteredCell => {
      batch.meter.reportWork(1);
      const row = requestedArea.top + r;
      const column = requestedArea.left + c;
      const kind = sheet.kind(row, column);
      const run = (kind & FORMULA) === 0 ? undefined : sheet.run(row, column);
      const value = (kind & SPILLED) !== 0 ? null : sheet.value(row, column);
      const format = sheet.format(row, column);
      // Creating a new object is faster than copying `BLANK_CELL`, which would take most of the time of a large read.
      if (run === undefined) return { template: null, places: WHOLE_SHEET, writer: null, value, format };
      const template = mapTemplate(run.template);
      return { template, places: placesOf(template), writer: run.writer, value: null, format };
    }),
  );
}

/** Writes a cell at another position. References of its formula that would leave the grid become errors. */
export function writeEnteredCell(
  { meter, cells }: Batch,
  sheet: number,
  row: number,
  column: number,
  { template, places, value, format }: EnteredCell,
  writer: number | null,
): void {
  meter.reportWork(1);
  if (template === null) cells.putValue(sheet, row, column, value);
  else if (contains(places, row, column)) cells.putTemplate(sheet, row, column, template, writer);
  else {
    const cut = new Template(replaceOutsideReferences(template.node, { row, column }));
    cells.putTemplate(sheet, row, column, cut, writer);
  }
  cells.setFormat(sheet, row, column, format);
}

/**
 * Creates a function that removes the cached result of a file from a template, because the result belongs only to the
 * original cells.
 */
export function createResultRemover(): (template: Template) => Template {
  const plainByTemplate = new Map<Template, Template>();
  return (template) => {
    const node = removeCachedResult(template.node);
    if (node === template.node) return template;
    const plain = plainByTemplate.get(template) ?? new Template(node);
    plainByTemplate.set(template, plain);
    return plain;
  };
}

/**
 * Clips an area to the last filled row and column of its sheet; null if it contains no cells. Calculates the previous
 * edits of the batch first.
 */
export function clipToFilledCells(batch: Batch, { sheet, area: requested }: EnteredArea): Area | null {
  batch.calculateSoFar();
  const { rows, columns } = batch.draft.requireSheet(sheet).extent();
  if (requested.top >= rows || requested.left >= columns) return null;
  return area(
    requested.top,
    requested.left,
    Math.min(requested.bottom, rows - 1),
    Math.min(requested.right, columns - 1),
  );
}
