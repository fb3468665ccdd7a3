import { NEW_GRID } from '../../limits/google.ts';
import { parseTitle } from '../../service/document/store-document.ts';
import { isRefusal } from '../../service/refusal.ts';
import { type FieldMask, findMemberMask, includesPath } from '../field-mask.ts';
import { omitEmptyMembers } from '../format/cell-format.ts';
import { parseNamedColor, toColorForms } from '../format/color.ts';
import { type RequestObject, readFlag, readInteger, readObject, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem, toProblem } from '../problem.ts';
import { parseLocaleName, parseTimeZone } from '../sheets/document-settings.ts';
import { TAB } from '../sheets/properties.ts';
import { KINDS, readStoredObjects } from '../sheets/state.ts';
import { findFreeCopyName } from './copy-name.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, WorkingSheet } from './state.ts';

const PROPERTIES = [
  'sheetId',
  'title',
  'index',
  'sheetType',
  'gridProperties',
  'hidden',
  'tabColor',
  'tabColorStyle',
  'rightToLeft',
];
const GRID_PROPERTIES = [
  'rowCount',
  'columnCount',
  'frozenRowCount',
  'frozenColumnCount',
  'hideGridlines',
  'rowGroupControlAfter',
  'columnGroupControlAfter',
];
const PLAIN_VIEW = { frozenRows: 0, frozenColumns: 0, hidesGridlines: false, isRightToLeft: false };

/** Adds a sheet. */
export const addSheet: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['properties'], path);
  const properties = readObject(members, 'properties', path) ?? {};
  refuseUnknownMembers(properties, PROPERTIES, `${path}.properties`);
  const type = readText(properties, 'sheetType', path);
  if (type !== undefined && type !== 'GRID') throw createInvalidProblem(`Sheets of the type ${type} cannot be added.`);
  const title = readSheetName(properties, 'title', path) || batch.findFreeSheetName();
  batch.checkSheetName(title, null);
  const id = batch.takeSheetId();
  const sheetId = batch.chooseSheetId(readInteger(properties, 'sheetId', path));
  const record = { of: id, sheetId };
  const sheet: WorkingSheet = { id, sheetId, name: title, isHidden: false, grid: NEW_GRID, view: PLAIN_VIEW, record };
  const last = batch.sheets.length;
  batch.addEdits({ kind: 'addSheet', name: title });
  batch.addSheet(sheet, last);
  batch.setRecord(sheet, record);
  const { title: _title, sheetId: _id, sheetType: _type, ...rest } = properties;
  applyProperties(batch, sheet, rest, null, path);
  return { addSheet: { properties: describeNewSheet(batch, sheet, properties, path) } };
};

/** `SheetProperties` of a sheet that exists only within the batch. */
function describeNewSheet(batch: RequestBatch, sheet: WorkingSheet, properties: RequestObject, path: string): object {
  const { sheetId, name, isHidden, grid, view, record } = batch.getCurrentSheet(sheet);
  const hex = parseNamedColor(properties, TAB, path);
  return {
    sheetId,
    title: name,
    index: batch.sheets.findIndex(({ id }) => id === sheet.id),
    sheetType: 'GRID',
    gridProperties: omitEmptyMembers({
      rowCount: grid.rows,
      columnCount: grid.columns,
      frozenRowCount: view.frozenRows,
      frozenColumnCount: view.frozenColumns,
      hideGridlines: view.hidesGridlines,
      rowGroupControlAfter: record.rowGroupControlAfter,
      columnGroupControlAfter: record.columnGroupControlAfter,
    }),
    ...(isHidden ? { hidden: true } : {}),
    ...(hex ? toColorForms(hex, TAB) : {}),
    ...(view.isRightToLeft ? { rightToLeft: true } : {}),
  };
}

/** Changes the properties of a sheet that the mask names. */
export const updateSheetProperties: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['properties', 'fields'], path);
  const mask = parseFields(members, path);
  const properties = readObject(members, 'properties', path) ?? {};
  refuseUnknownMembers(properties, PROPERTIES, `${path}.properties`);
  refuseUnknownFields(mask, PROPERTIES);
  const grid = findMemberMask(mask, 'gridProperties');
  if (grid) refuseUnknownFields(grid, GRID_PROPERTIES);
  const sheet = batch.requireSheet(properties, `${path}.properties`, 'sheetId', 'sheet');
  batch.refuseProtectedSheet(sheet);
  applyProperties(batch, sheet, properties, mask, path);
  return {};
};

/** Changes the members that a mask names; null: all members that were sent. */
function applyProperties(
  batch: RequestBatch,
  sheet: WorkingSheet,
  properties: RequestObject,
  mask: FieldMask,
  path: string,
): void {
  const isNew = mask === null;
  const isSent = (name: string) =>
    isNew ? properties[name] !== undefined && properties[name] !== null : includesPath(mask, name);
  if (isSent('title')) renameSheet(batch, sheet, readSheetName(properties, 'title', path) ?? '');
  const grid = readObject(properties, 'gridProperties', path) ?? {};
  const gridMask = findMemberMask(mask, 'gridProperties');
  if (isSent('gridProperties'))
    applyGridProperties(
      batch,
      sheet,
      grid,
      isNew ? new Map(Object.keys(grid).map((name) => [name, null])) : (gridMask ?? null),
      path,
    );
  if (isSent('tabColor') || isSent('tabColorStyle')) {
    const hex = parseNamedColor(properties, TAB, path) ?? null;
    // An empty colour removes the tab's colour.
    const style = readObject(properties, 'tabColorStyle', path);
    const isEmpty = style !== undefined && Object.keys(readObject(style, 'rgbColor', path) ?? {}).length === 0;
    batch.addEdits({
      kind: 'colorSheet',
      sheet: sheet.id,
      color: isEmpty && style?.['themeColor'] === undefined ? null : hex,
    });
  }
  if (isSent('rightToLeft')) {
    batch.setView(sheet, {
      ...batch.getCurrentSheet(sheet).view,
      isRightToLeft: readFlag(properties, 'rightToLeft', path) ?? false,
    });
  }
  if (isSent('hidden')) hideSheet(batch, sheet, readFlag(properties, 'hidden', path) ?? false);
  if (isSent('index')) moveSheetToIndex(batch, sheet, readInteger(properties, 'index', path) ?? 0);
}

/** Characters of a sheet's name in Google's API. */
const MAX_SHEET_NAME = 100;

/** The name of a sheet in a request; undefined if absent. Throws a `Problem` if it is too long. */
function readSheetName(members: RequestObject, name: string, path: string): string | undefined {
  const title = readText(members, name, path);
  if (title !== undefined && title.length > MAX_SHEET_NAME)
    throw createInvalidProblem(`The sheet name cannot be greater than ${MAX_SHEET_NAME} characters.`);
  return title;
}

function renameSheet(batch: RequestBatch, sheet: WorkingSheet, name: string): void {
  if (name === '') throw createInvalidProblem('The sheet name cannot be empty.');
  batch.checkSheetName(name, sheet.id);
  batch.addEdits({ kind: 'renameSheet', sheet: sheet.id, name });
  batch.replaceSheet({ ...batch.getCurrentSheet(sheet), name });
}

function hideSheet(batch: RequestBatch, sheet: WorkingSheet, isHidden: boolean): void {
  const others = batch.sheets.filter(({ id }) => id !== sheet.id);
  if (isHidden && others.every((other) => other.isHidden))
    throw createInvalidProblem("You can't hide all the sheets in a document.");
  batch.addEdits({ kind: 'hideSheet', sheet: sheet.id, hidden: isHidden });
  batch.replaceSheet({ ...batch.getCurrentSheet(sheet), isHidden });
}

/** `index` refers to the positions before the move. */
function moveSheetToIndex(batch: RequestBatch, sheet: WorkingSheet, index: number): void {
  if (index < 0 || index > batch.sheets.length) throw createInvalidProblem(`Sheet index ${index} is out of bounds.`);
  const from = batch.sheets.findIndex(({ id }) => id === sheet.id);
  const to = index > from ? index - 1 : index;
  if (to !== from) batch.moveSheet(batch.getCurrentSheet(sheet), Math.min(to, batch.sheets.length - 1));
}

/** Adds edits for the grid properties that the mask names, such as frozen rows and the size of the grid. */
function applyGridProperties(
  batch: RequestBatch,
  sheet: WorkingSheet,
  properties: RequestObject,
  mask: FieldMask,
  path: string,
): void {
  const at = `${path}.properties.grid_properties`;
  refuseUnknownMembers(properties, GRID_PROPERTIES, at);
  const isSent = (name: string) => includesPath(mask, name);
  const readCount = (name: string, currentCount: number): number => {
    if (!isSent(name) || (mask === null && properties[name] === undefined)) return currentCount;
    const value = readInteger(properties, name, at) ?? 0;
    if (value < 1)
      throw createInvalidProblem(`You can't delete all the ${name === 'rowCount' ? 'rows' : 'columns'} on the sheet.`);
    return value;
  };
  const { grid } = batch.getCurrentSheet(sheet);
  const next = { rows: readCount('rowCount', grid.rows), columns: readCount('columnCount', grid.columns) };
  if (next.rows !== grid.rows || next.columns !== grid.columns) {
    if (next.rows < grid.rows) deleteExcessLines(batch, sheet, 'rows', next.rows, grid.rows);
    if (next.columns < grid.columns) deleteExcessLines(batch, sheet, 'columns', next.columns, grid.columns);
    batch.setGrid(sheet, next);
  }
  const { view, record } = batch.getCurrentSheet(sheet);
  const readFrozenCount = (name: string, current: number) =>
    isSent(name) ? (readInteger(properties, name, at) ?? 0) : current;
  const newView = {
    ...view,
    frozenRows: readFrozenCount('frozenRowCount', view.frozenRows),
    frozenColumns: readFrozenCount('frozenColumnCount', view.frozenColumns),
    hidesGridlines: isSent('hideGridlines')
      ? (readFlag(properties, 'hideGridlines', at) ?? false)
      : view.hidesGridlines,
  };
  if (newView.frozenRows < 0 || newView.frozenColumns < 0) throw createInvalidProblem('A count must not be negative.');
  if (newView.frozenRows >= next.rows) throw createInvalidProblem("You can't freeze all visible rows on the sheet.");
  if (newView.frozenColumns >= next.columns)
    throw createInvalidProblem("You can't freeze all visible columns on the sheet.");
  if (JSON.stringify(newView) !== JSON.stringify(view)) batch.setView(sheet, newView);
  const controls = ['rowGroupControlAfter', 'columnGroupControlAfter'].filter(isSent);
  if (controls.some((name) => properties[name] !== undefined || record[name as 'rowGroupControlAfter'] !== undefined)) {
    const set = Object.fromEntries(controls.map((name) => [name, readFlag(properties, name, at) ?? false]));
    batch.setRecord(sheet, { ...record, ...set });
  }
}

/** Deletes the lines that a smaller grid does not have. */
function deleteExcessLines(
  batch: RequestBatch,
  sheet: WorkingSheet,
  axis: 'rows' | 'columns',
  from: number,
  end: number,
): void {
  // A new sheet has no such lines.
  if (batch.snapshot.sheetById(sheet.id) === undefined) return;
  batch.refuseProtectedSheet(sheet);
  batch.addEdits({ kind: 'moveCells', move: { kind: 'delete', sheet: sheet.id, axis, at: from, count: end - from } });
}

/** Deletes a sheet. */
export const deleteSheet: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['sheetId'], path);
  const sheet = batch.requireSheet(members, path, 'sheetId', 'sheet');
  const others = batch.sheets.filter(({ id }) => id !== sheet.id);
  if (others.length === 0) throw createInvalidProblem("You can't remove all the sheets in a document.");
  if (others.every(({ isHidden }) => isHidden))
    throw createInvalidProblem("You can't remove all the visible sheets in a document.");
  batch.refuseProtectedSheet(sheet);
  keepDocumentMetadata(batch, sheet, others[0] as WorkingSheet);
  batch.addEdits({ kind: 'deleteSheet', sheet: sheet.id });
  batch.removeSheet(sheet);
  return {};
};

/**
 * Metadata of the document is stored on a sheet. Before that sheet is deleted, the metadata is copied to another sheet.
 */
function keepDocumentMetadata(batch: RequestBatch, source: WorkingSheet, target: WorkingSheet): void {
  const cells = batch.snapshot.sheetById(source.id);
  if (cells === undefined) return;
  for (const { key, value } of readStoredObjects(cells, KINDS.metadata)) {
    if (value['location'] !== 'spreadsheet') continue;
    const attachments = [{ areas: [], texts: [key, JSON.stringify(value)] }];
    batch.addEdits({ kind: 'attach', sheet: target.id, attachment: KINDS.metadata, key, within: null, attachments });
  }
}

/** Adds a copy of a sheet. */
export const duplicateSheet: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['sourceSheetId', 'insertSheetIndex', 'newSheetId', 'newSheetName'], path);
  const source = batch.requireSheet(members, path, 'sourceSheetId');
  batch.refuseHiddenSheet(source);
  const name = readSheetName(members, 'newSheetName', path) || findFreeCopyName(batch.sheets, source.name);
  batch.checkSheetName(name, null);
  const id = batch.takeSheetId();
  const sheetId = batch.chooseSheetId(readInteger(members, 'newSheetId', path));
  const record = { ...source.record, of: id, sheetId };
  const copy = { ...source, id, sheetId, name, isHidden: false, record };
  const last = batch.sheets.length;
  batch.addEdits({ kind: 'duplicateSheet', sheet: source.id, name });
  batch.addSheet(copy, last);
  batch.setRecord(copy, record);
  const index = readInteger(members, 'insertSheetIndex', path) ?? 0;
  if (index < 0 || index > last) throw createInvalidProblem(`Sheet index ${index} is out of bounds.`);
  if (index !== last) batch.moveSheet(batch.getCurrentSheet(copy), index);
  const color = batch.snapshot.sheetById(source.id)?.color ?? null;
  const sent = color === null ? {} : toColorForms(color.toLowerCase(), TAB);
  return { duplicateSheet: { properties: describeNewSheet(batch, copy, sent, path) } };
};

const SPREADSHEET_PROPERTIES = [
  'title',
  'locale',
  'timeZone',
  'autoRecalc',
  'defaultFormat',
  'iterativeCalculationSettings',
  'spreadsheetTheme',
];

/** Changes the properties of the document that the mask names. */
export const updateSpreadsheetProperties: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['properties', 'fields'], path);
  const mask = parseFields(members, path);
  const properties = readObject(members, 'properties', path) ?? {};
  refuseUnknownMembers(properties, SPREADSHEET_PROPERTIES, `${path}.properties`);
  refuseUnknownFields(mask, ['title', 'locale', 'timeZone', 'autoRecalc']);
  const isSent = (name: string) => includesPath(mask, name) && (mask !== null || properties[name] !== undefined);
  if (isSent('title')) {
    const title = parseTitle(readText(properties, 'title', path) ?? '');
    if (isRefusal(title)) throw toProblem(title);
    batch.title = title;
  }
  const recalculation = readText(properties, 'autoRecalc', path);
  if (isSent('autoRecalc') && recalculation !== undefined && recalculation !== 'ON_CHANGE') {
    throw createInvalidProblem(
      `Recalculation ${recalculation} is not supported: documents are recalculated on change.`,
    );
  }
  const locale = isSent('locale') ? parseLocaleName(readText(properties, 'locale', path) ?? '') : null;
  const timeZone = isSent('timeZone') ? parseTimeZone(readText(properties, 'timeZone', path) ?? '') : null;
  if (locale !== null || timeZone !== null) {
    batch.changeSettings({ ...(locale && { locale }), ...(timeZone && { timeZone }) });
  }
  return {};
};
