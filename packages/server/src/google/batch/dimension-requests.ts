import type { Area, Sheet } from '@cellwire/engine';
import { convertPixelsToPoints, toCharacters } from '../../service/cells/sheet-display.ts';
import type { PlanSteps } from '../call.ts';
import { includesPath } from '../field-mask.ts';
import { type RequestObject, readFlag, readInteger, readObject, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { listGroups, toGroupAnswers } from '../sheets/groups.ts';
import { toWholeLineArea } from '../sheets/metadata.ts';
import { KINDS } from '../sheets/state.ts';
import { CellRenderer } from '../values/render.ts';
import { parseAxis, parseDimensionRange, type WorkingLines } from './dimension-range.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

function requireObject(members: RequestObject, name: string, path: string): RequestObject {
  const value = readObject(members, name, path);
  if (value === undefined) throw createInvalidProblem(`${name} is required.`);
  return value;
}

function countLines({ grid }: WorkingSheet, axis: 'rows' | 'columns'): number {
  return axis === 'rows' ? grid.rows : grid.columns;
}

/** Sets the number of rows or columns that Google's grid of the sheet has. */
function resizeAxis(batch: RequestBatch, sheet: WorkingSheet, axis: 'rows' | 'columns', count: number): void {
  const { grid } = batch.getCurrentSheet(sheet);
  batch.setGrid(sheet, axis === 'rows' ? { ...grid, rows: count } : { ...grid, columns: count });
}

/** Inserts rows or columns. */
export const insertDimension: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['range', 'inheritFromBefore'], path);
  const { sheet, axis, first, last } = parseDimensionRange(
    batch,
    requireObject(members, 'range', path),
    `${path}.range`,
    true,
  );
  const lineCount = countLines(sheet, axis);
  if (first > lineCount) throw createInvalidProblem(`range.startIndex is larger than current grid size (${lineCount})`);
  const inheritsFromBefore = readFlag(members, 'inheritFromBefore', path) ?? false;
  if (first === lineCount && !inheritsFromBefore) {
    throw createInvalidProblem(
      `range.startIndex must be less than the grid size (${lineCount}) if inheritFromBefore is false.`,
    );
  }
  if (inheritsFromBefore && first === 0) {
    throw createInvalidProblem('inheritFromBefore cannot be true if inserting at index 0.');
  }
  const count = last - first + 1;
  batch.refuseProtectedArea(sheet, clipLinesToGrid(sheet, axis, Math.min(first, lineCount - 1), lineCount - 1));
  batch.addEdits({ kind: 'moveCells', move: { kind: 'insert', sheet: sheet.id, axis, at: first, count } });
  const from = inheritsFromBefore ? first - 1 : last + 1;
  batch.addEdits({ kind: 'inheritLines', sheet: sheet.id, axis, from, first, last });
  resizeAxis(batch, sheet, axis, lineCount + count);
  return {};
};

/** The rows or columns from `first` to `last` as an area as wide or as high as the sheet's grid. */
function clipLinesToGrid({ grid }: WorkingSheet, axis: 'rows' | 'columns', first: number, last: number): Area {
  return axis === 'rows'
    ? { top: first, left: 0, bottom: last, right: grid.columns - 1 }
    : { top: 0, left: first, bottom: grid.rows - 1, right: last };
}

/** Deletes rows or columns. */
export const deleteDimension: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['range'], path);
  const range = requireObject(members, 'range', path);
  const { sheet, axis, first, last } = parseDimensionRange(batch, range, `${path}.range`, true);
  const lineCount = countLines(sheet, axis);
  const count = last - first + 1;
  if (last >= lineCount) {
    const line = axis === 'rows' ? 'row' : 'column';
    throw createInvalidProblem(
      `Cannot delete a ${line} that doesn't exist. Tried to delete ${line} index ${last} but there are only ` +
        `${lineCount} ${axis}.`,
    );
  }
  if (count >= lineCount) throw createInvalidProblem(`You can't delete all the ${axis} on the sheet.`);
  batch.refuseProtectedArea(sheet, clipLinesToGrid(sheet, axis, first, lineCount - 1));
  batch.addEdits({ kind: 'moveCells', move: { kind: 'delete', sheet: sheet.id, axis, at: first, count } });
  resizeAxis(batch, sheet, axis, lineCount - count);
  return {};
};

/** Adds rows or columns at the end of the grid. */
export const appendDimension: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['sheetId', 'dimension', 'length'], path);
  const sheet = batch.requireSheet(members, path);
  const axis = parseAxis(members, path);
  const length = readInteger(members, 'length', path) ?? 0;
  if (length < 1) throw createInvalidProblem('length must be at least 1.');
  resizeAxis(batch, sheet, axis, countLines(sheet, axis) + length);
  return {};
};

/** Moves rows or columns to another index. */
export const moveDimension: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['source', 'destinationIndex'], path);
  const { sheet, axis, first, last } = parseDimensionRange(
    batch,
    requireObject(members, 'source', path),
    `${path}.source`,
  );
  const to = readInteger(members, 'destinationIndex', path) ?? 0;
  const lineCount = countLines(sheet, axis);
  if (to < 0 || to > lineCount) throw createInvalidProblem(`destinationIndex ${to} is outside of the sheet.`);
  batch.refuseProtectedSheet(sheet);
  const count = last - first + 1;
  if (to >= first && to <= first + count) return {};
  batch.addEdits({ kind: 'moveCells', move: { kind: 'reorder', sheet: sheet.id, axis, at: first, count, to } });
  batch.setGrid(sheet, sheet.grid);
  return {};
};

/** Handles `insertRange` and `deleteRange`. */
function createShiftHandler(kind: 'insert' | 'delete'): RequestHandler {
  return (batch, members, place) => {
    refuseUnknownMembers(members, ['range', 'shiftDimension'], place);
    const { sheet, range } = batch.parseRange(requireObject(members, 'range', place), `${place}.range`);
    const axis = parseAxis(members, place, 'shiftDimension');
    const isRows = axis === 'rows';
    const { top, left, bottom, right } = range;
    const [at, count] = isRows ? [top, bottom - top + 1] : [left, right - left + 1];
    const across = isRows ? { first: left, last: right } : { first: top, last: bottom };
    batch.refuseProtectedSheet(sheet);
    batch.refuseHiddenSheet(sheet);
    batch.addEdits({ kind: 'moveCells', move: { kind, sheet: sheet.id, axis, at, count, across } });
    batch.setGrid(sheet, sheet.grid);
    return {};
  };
}

export const insertRange = createShiftHandler('insert');
export const deleteRange = createShiftHandler('delete');

/** Sets the size of rows or columns, and hides or shows them. */
export const updateDimensionProperties: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['range', 'properties', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, ['hiddenByUser', 'pixelSize']);
  const { sheet, axis, first, last } = parseDimensionRange(
    batch,
    requireObject(members, 'range', path),
    `${path}.range`,
  );
  batch.refuseProtectedArea(sheet, clipLinesToGrid(sheet, axis, first, last));
  const properties = readObject(members, 'properties', path) ?? {};
  refuseUnknownMembers(properties, ['hiddenByFilter', 'hiddenByUser', 'pixelSize'], `${path}.properties`);
  const size = readInteger(properties, 'pixelSize', path);
  if (includesPath(mask, 'pixelSize') && (mask !== null || size !== undefined))
    setSize(batch, { sheet, axis, first, last }, size ?? 0);
  const hidden = readFlag(properties, 'hiddenByUser', path);
  if (includesPath(mask, 'hiddenByUser') && (mask !== null || hidden !== undefined)) {
    batch.addEdits({ kind: 'hideLines', sheet: sheet.id, axis, first, last, hidden: hidden ?? false });
  }
  return {};
};

const MAX_PIXELS = 2_000;

/** Adds the edit that sets the height of rows or the width of columns. */
function setSize(batch: RequestBatch, { sheet, axis, first, last }: WorkingLines, pixels: number): void {
  if (pixels < 1 || pixels > MAX_PIXELS) throw createInvalidProblem(`pixelSize must be from 1 to ${MAX_PIXELS}.`);
  const size = axis === 'rows' ? convertPixelsToPoints(pixels) : toCharacters(pixels);
  batch.addEdits({ kind: 'sizeLines', sheet: sheet.id, axis, first, last, size });
}

/** CSS pixels of a character, and the padding around text. */
const CHARACTER_PIXELS = 7;
const AROUND_PIXELS = 8;
const LINE_PIXELS = 21;

/** Sets the width of columns, or the height of rows, to fit their texts. */
export const autoResizeDimensions: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['dimensions'], path);
  const { sheet, axis, first, last } = parseDimensionRange(
    batch,
    requireObject(members, 'dimensions', path),
    `${path}.dimensions`,
  );
  batch.refuseProtectedArea(sheet, clipLinesToGrid(sheet, axis, first, last));
  const cells = yield* batch.calculateSheet(sheet);
  const renderer = new CellRenderer(yield* batch.calculateState(), cells);
  const { rows, columns } = cells.extent();
  for (let line = first; line <= Math.min(last, (axis === 'rows' ? rows : columns) - 1); line++) {
    let widest = 0;
    const end = axis === 'rows' ? columns : Math.min(rows, MAX_MEASURED);
    for (let i = 0; i < end; i++) {
      if (batch.endsStep()) yield;
      const [row, column] = axis === 'rows' ? [line, i] : [i, line];
      const shown = String(renderer.renderValue(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? '');
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

/** The structure of a sheet with groups. The caller must be allowed to see its values. */
function readGroupSheet(batch: RequestBatch, sheet: WorkingSheet): PlanSteps<Sheet> {
  batch.refuseHiddenSheet(sheet);
  return batch.readSheetStructure(sheet);
}

/** A reply with all groups of the axis after the request. It is made when it is sent, because it can be long. */
function* generateGroupReply(
  batch: RequestBatch,
  { sheet, axis }: WorkingLines,
  kind: 'addDimensionGroup' | 'deleteDimensionGroup',
): RequestSteps {
  const structure = yield* readGroupSheet(batch, sheet);
  batch.countListedGroups(listGroups(structure, axis).length);
  return () => {
    const groups = toGroupAnswers(structure, axis, sheet.sheetId);
    return { [kind]: groups.length === 0 ? {} : { dimensionGroups: groups } };
  };
}

/** Adds the lines to one more group of rows or columns, or removes them from one. */
function changeGroupLevel(batch: RequestBatch, lines: WorkingLines, levelChange: 1 | -1): void {
  const { sheet, axis, first, last } = lines;
  batch.addEdits({ kind: 'groupLines', sheet: sheet.id, axis, first, last, by: levelChange });
  const control = axis === 'rows' ? 'rowGroupControlAfter' : 'columnGroupControlAfter';
  const { record } = batch.getCurrentSheet(sheet);
  if (record[control] === undefined) batch.setRecord(sheet, { ...record, [control]: true });
}

/** Groups rows or columns, one level deeper than before. */
export const addDimensionGroup: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range'], path);
  const lines = parseDimensionRange(batch, requireObject(members, 'range', path), `${path}.range`);
  batch.refuseProtectedArea(lines.sheet, clipLinesToGrid(lines.sheet, lines.axis, lines.first, lines.last));
  changeGroupLevel(batch, lines, 1);
  return yield* generateGroupReply(batch, lines, 'addDimensionGroup');
};

/** Removes one level of grouping from rows or columns. */
export const deleteDimensionGroup: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range'], path);
  const lines = parseDimensionRange(batch, requireObject(members, 'range', path), `${path}.range`);
  const { sheet, axis, first, last } = lines;
  batch.refuseProtectedArea(sheet, clipLinesToGrid(sheet, axis, first, last));
  const isGrouped = listGroups(yield* readGroupSheet(batch, sheet), axis).some(
    (group) => group.first <= last && group.last >= first,
  );
  if (!isGrouped) throw createInvalidProblem('There are no groups over the specified range.');
  changeGroupLevel(batch, lines, -1);
  return yield* generateGroupReply(batch, lines, 'deleteDimensionGroup');
};

/** Collapses or expands a group of rows or columns. */
export const updateDimensionGroup: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['dimensionGroup', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, ['collapsed']);
  const group = requireObject(members, 'dimensionGroup', path);
  const at = `${path}.dimension_group`;
  const { sheet, axis, first, last } = parseDimensionRange(batch, requireObject(group, 'range', at), `${at}.range`);
  const depth = readInteger(group, 'depth', at) ?? 1;
  const isHeld = listGroups(yield* readGroupSheet(batch, sheet), axis).some(
    (dimensionGroup) =>
      dimensionGroup.first === first && dimensionGroup.last === last && dimensionGroup.depth === depth,
  );
  if (!isHeld) throw createInvalidProblem(`There is no group at depth ${depth} over the specified range.`);
  const isCollapsed = readFlag(group, 'collapsed', at) ?? false;
  const area = toWholeLineArea(axis, first, last);
  const key = `${axis} ${depth} ${first} ${last}`;
  const attachments = isCollapsed ? [{ areas: [area], texts: [key, JSON.stringify({ axis, depth })] }] : [];
  batch.addEdits(
    { kind: 'attach', sheet: sheet.id, attachment: KINDS.group, key, within: null, attachments },
    { kind: 'hideLines', sheet: sheet.id, axis, first, last, hidden: isCollapsed },
  );
  return {};
};
