import type { Area } from '@cellwire/engine';
import { charactersOf, pointsOf } from '../../service/cells/sheet-display.ts';
import { names } from '../field-mask.ts';
import { flag, integer, object, type RequestObject, refuseUnknown } from '../json.ts';
import { invalid } from '../problem.ts';
import { groupAnswers, groupsOf } from '../sheets/groups.ts';
import { lineArea } from '../sheets/metadata.ts';
import { KINDS } from '../sheets/state.ts';
import { CellRenderer } from '../values/render.ts';
import { axisOf, dimensionRange, type WorkingLines } from './dimension-range.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

function requireObject(members: RequestObject, name: string, place: string): RequestObject {
  const value = object(members, name, place);
  if (value === undefined) throw invalid(`${name} is required.`);
  return value;
}

function countOf({ grid }: WorkingSheet, axis: 'rows' | 'columns'): number {
  return axis === 'rows' ? grid.rows : grid.columns;
}

function resizeAxis(batch: RequestBatch, sheet: WorkingSheet, axis: 'rows' | 'columns', count: number): void {
  const { grid } = batch.latest(sheet);
  batch.setGrid(sheet, axis === 'rows' ? { ...grid, rows: count } : { ...grid, columns: count });
}

export const insertDimension: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range', 'inheritFromBefore'], place);
  const { sheet, axis, first, last } = dimensionRange(
    batch,
    requireObject(members, 'range', place),
    `${place}.range`,
    true,
  );
  const lineCount = countOf(sheet, axis);
  if (first > lineCount) throw invalid(`Cannot insert ${axis} at ${first}: the sheet has ${lineCount} ${axis}.`);
  const inheritsFromBefore = flag(members, 'inheritFromBefore', place) ?? false;
  if (inheritsFromBefore && first === 0) {
    throw invalid('inheritFromBefore cannot be true if inserting at index 0.');
  }
  const count = last - first + 1;
  batch.guard(sheet, lineAreaInGrid(sheet, axis, Math.min(first, lineCount - 1), lineCount - 1));
  batch.add({ kind: 'moveCells', move: { kind: 'insert', sheet: sheet.id, axis, at: first, count } });
  const from = inheritsFromBefore ? first - 1 : last + 1;
  if (from < lineCount + count) batch.add({ kind: 'inheritLines', sheet: sheet.id, axis, from, first, last });
  resizeAxis(batch, sheet, axis, lineCount + count);
  return {};
};

function lineAreaInGrid({ grid }: WorkingSheet, axis: 'rows' | 'columns', first: number, last: number): Area {
  return axis === 'rows'
    ? { top: first, left: 0, bottom: last, right: grid.columns - 1 }
    : { top: 0, left: first, bottom: grid.rows - 1, right: last };
}

export const deleteDimension: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range'], place);
  const { sheet, axis, first, last } = dimensionRange(batch, requireObject(members, 'range', place), `${place}.range`);
  const lineCount = countOf(sheet, axis);
  const count = last - first + 1;
  if (count >= lineCount) throw invalid(`You can't delete all the ${axis} on the sheet.`);
  batch.guard(sheet, lineAreaInGrid(sheet, axis, first, lineCount - 1));
  batch.add({ kind: 'moveCells', move: { kind: 'delete', sheet: sheet.id, axis, at: first, count } });
  resizeAxis(batch, sheet, axis, lineCount - count);
  return {};
};

export const appendDimension: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['sheetId', 'dimension', 'length'], place);
  const sheet = batch.sheet(members, place);
  const axis = axisOf(members, place);
  const length = integer(members, 'length', place) ?? 0;
  if (length < 1) throw invalid('length must be at least 1.');
  resizeAxis(batch, sheet, axis, countOf(sheet, axis) + length);
  return {};
};

export const moveDimension: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['source', 'destinationIndex'], place);
  const { sheet, axis, first, last } = dimensionRange(
    batch,
    requireObject(members, 'source', place),
    `${place}.source`,
  );
  const to = integer(members, 'destinationIndex', place) ?? 0;
  const lineCount = countOf(sheet, axis);
  if (to < 0 || to > lineCount) throw invalid(`destinationIndex ${to} is outside of the sheet.`);
  batch.guardSheet(sheet);
  const count = last - first + 1;
  if (to >= first && to <= first + count) return {};
  batch.add({ kind: 'moveCells', move: { kind: 'reorder', sheet: sheet.id, axis, at: first, count, to } });
  batch.setGrid(sheet, sheet.grid);
  return {};
};

/** `insertRange` and `deleteRange`. */
function shiftHandler(kind: 'insert' | 'delete'): RequestHandler {
  return (batch, members, place) => {
    refuseUnknown(members, ['range', 'shiftDimension'], place);
    const { sheet, range } = batch.range(requireObject(members, 'range', place), `${place}.range`);
    const axis = axisOf(members, place, 'shiftDimension');
    const isRows = axis === 'rows';
    const { top, left, bottom, right } = range;
    const [at, count] = isRows ? [top, bottom - top + 1] : [left, right - left + 1];
    const across = isRows ? { first: left, last: right } : { first: top, last: bottom };
    batch.guardSheet(sheet);
    batch.refuseHidden(sheet);
    batch.add({ kind: 'moveCells', move: { kind, sheet: sheet.id, axis, at, count, across } });
    batch.setGrid(sheet, sheet.grid);
    return {};
  };
}

export const insertRange = shiftHandler('insert');
export const deleteRange = shiftHandler('delete');

export const updateDimensionProperties: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range', 'properties', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, ['hiddenByUser', 'pixelSize']);
  const { sheet, axis, first, last } = dimensionRange(batch, requireObject(members, 'range', place), `${place}.range`);
  batch.guard(sheet, lineAreaInGrid(sheet, axis, first, last));
  const properties = object(members, 'properties', place) ?? {};
  refuseUnknown(properties, ['hiddenByFilter', 'hiddenByUser', 'pixelSize'], `${place}.properties`);
  const size = integer(properties, 'pixelSize', place);
  if (names(mask, 'pixelSize') && (mask !== null || size !== undefined))
    setSize(batch, { sheet, axis, first, last }, size ?? 0);
  const hidden = flag(properties, 'hiddenByUser', place);
  if (names(mask, 'hiddenByUser') && (mask !== null || hidden !== undefined)) {
    batch.add({ kind: 'hideLines', sheet: sheet.id, axis, first, last, hidden: hidden ?? false });
  }
  return {};
};

const MAX_PIXELS = 2_000;

function setSize(batch: RequestBatch, { sheet, axis, first, last }: WorkingLines, pixels: number): void {
  if (pixels < 1 || pixels > MAX_PIXELS) throw invalid(`pixelSize must be from 1 to ${MAX_PIXELS}.`);
  const size = axis === 'rows' ? pointsOf(pixels) : charactersOf(pixels);
  batch.add({ kind: 'sizeLines', sheet: sheet.id, axis, first, last, size });
}

/** CSS pixels of a character, and the padding around text. */
const CHARACTER_PIXELS = 7;
const AROUND_PIXELS = 8;
const LINE_PIXELS = 21;

export const autoResizeDimensions: RequestHandler = function* (batch, members, place): RequestSteps {
  refuseUnknown(members, ['dimensions'], place);
  const { sheet, axis, first, last } = dimensionRange(
    batch,
    requireObject(members, 'dimensions', place),
    `${place}.dimensions`,
  );
  batch.guard(sheet, lineAreaInGrid(sheet, axis, first, last));
  const cells = batch.cells(sheet);
  const renderer = new CellRenderer(batch.currentState(), cells);
  const { rows, columns } = cells.extent();
  for (let line = first; line <= Math.min(last, (axis === 'rows' ? rows : columns) - 1); line++) {
    let widest = 0;
    const end = axis === 'rows' ? columns : Math.min(rows, MAX_MEASURED);
    for (let i = 0; i < end; i++) {
      if (batch.endsStep()) yield;
      const [row, column] = axis === 'rows' ? [line, i] : [i, line];
      const shown = String(renderer.value(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? '');
      const lines = shown.split('\n');
      const pixels =
        axis === 'rows'
          ? lines.length * LINE_PIXELS
          : Math.max(...lines.map((one) => [...one].length)) * CHARACTER_PIXELS + AROUND_PIXELS;
      widest = Math.max(widest, shown === '' ? 0 : pixels);
    }
    if (widest > 0) setSize(batch, { sheet, axis, first: line, last: line }, Math.min(widest, MAX_PIXELS));
  }
  return {};
};

/** Maximum number of measured cells in a column. */
const MAX_MEASURED = 100_000;

/** All groups of the axis, in the form of replies. */
function groupReply(batch: RequestBatch, { sheet, axis }: WorkingLines): object {
  const groups = groupAnswers(batch.cells(sheet), axis, sheet.sheetId);
  return groups.length === 0 ? {} : { dimensionGroups: groups };
}

function regroup(batch: RequestBatch, lines: WorkingLines, by: 1 | -1): void {
  const { sheet, axis, first, last } = lines;
  batch.add({ kind: 'groupLines', sheet: sheet.id, axis, first, last, by });
  const control = axis === 'rows' ? 'rowGroupControlAfter' : 'columnGroupControlAfter';
  const { record } = batch.latest(sheet);
  if (record[control] === undefined) batch.setRecord(sheet, { ...record, [control]: true });
}

export const addDimensionGroup: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range'], place);
  const lines = dimensionRange(batch, requireObject(members, 'range', place), `${place}.range`);
  batch.guard(lines.sheet, lineAreaInGrid(lines.sheet, lines.axis, lines.first, lines.last));
  regroup(batch, lines, 1);
  return { addDimensionGroup: groupReply(batch, lines) };
};

export const deleteDimensionGroup: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['range'], place);
  const lines = dimensionRange(batch, requireObject(members, 'range', place), `${place}.range`);
  const { sheet, axis, first, last } = lines;
  batch.guard(sheet, lineAreaInGrid(sheet, axis, first, last));
  const isGrouped = groupsOf(batch.cells(sheet), axis).some((group) => group.first <= last && group.last >= first);
  if (!isGrouped) throw invalid('There are no groups over the specified range.');
  regroup(batch, lines, -1);
  return { deleteDimensionGroup: groupReply(batch, lines) };
};

export const updateDimensionGroup: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['dimensionGroup', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, ['collapsed']);
  const group = requireObject(members, 'dimensionGroup', place);
  const at = `${place}.dimension_group`;
  const { sheet, axis, first, last } = dimensionRange(batch, requireObject(group, 'range', at), `${at}.range`);
  const depth = integer(group, 'depth', at) ?? 1;
  const isHeld = groupsOf(batch.cells(sheet), axis).some(
    (dimensionGroup) =>
      dimensionGroup.first === first && dimensionGroup.last === last && dimensionGroup.depth === depth,
  );
  if (!isHeld) throw invalid(`There is no group at depth ${depth} over the specified range.`);
  const isCollapsed = flag(group, 'collapsed', at) ?? false;
  const area = lineArea(axis, first, last);
  const key = `${axis} ${depth} ${first} ${last}`;
  const attachments = isCollapsed ? [{ areas: [area], texts: [key, JSON.stringify({ axis, depth })] }] : [];
  batch.add(
    { kind: 'attach', sheet: sheet.id, attachment: KINDS.group, key, within: null, attachments },
    { kind: 'hideLines', sheet: sheet.id, axis, first, last, hidden: isCollapsed },
  );
  return {};
};
