import { NEW_GRID } from '../../limits/google.ts';
import { type Mask, maskOf, names } from '../field-mask.ts';
import { omitEmpty } from '../format/cell-format.ts';
import { colorForms, namedColor } from '../format/color.ts';
import { flag, integer, object, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { localeOfName, timeZoneOfName } from '../sheets/document-settings.ts';
import { TAB } from '../sheets/properties.ts';
import { KINDS, objectsOf } from '../sheets/state.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
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

export const addSheet: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['properties'], place);
  const properties = object(members, 'properties', place) ?? {};
  refuseUnknown(properties, PROPERTIES, `${place}.properties`);
  const type = text(properties, 'sheetType', place);
  if (type !== undefined && type !== 'GRID') throw invalid(`Sheets of the type ${type} cannot be added.`);
  const title = text(properties, 'title', place) || batch.freeName();
  batch.checkName(title, null);
  const id = batch.takeId();
  const sheetId = batch.newSheetId(integer(properties, 'sheetId', place));
  const record = { of: id, sheetId };
  const sheet: WorkingSheet = { id, sheetId, name: title, isHidden: false, grid: NEW_GRID, view: PLAIN_VIEW, record };
  const last = batch.sheets.length;
  batch.add({ kind: 'addSheet', name: title });
  batch.addSheet(sheet, last);
  batch.setRecord(sheet, record);
  const { title: _title, sheetId: _id, sheetType: _type, ...rest } = properties;
  applyProperties(batch, sheet, rest, null, place);
  return { addSheet: { properties: shownProperties(batch, sheet, properties, place) } };
};

/** `SheetProperties` of a sheet that exists only within the batch. */
function shownProperties(batch: RequestBatch, sheet: WorkingSheet, sent: RequestObject, place: string): object {
  const { sheetId, name, isHidden, grid, view, record } = batch.latest(sheet);
  const hex = namedColor(sent, TAB, place);
  return {
    sheetId,
    title: name,
    index: batch.sheets.findIndex(({ id }) => id === sheet.id),
    sheetType: 'GRID',
    gridProperties: omitEmpty({
      rowCount: grid.rows,
      columnCount: grid.columns,
      frozenRowCount: view.frozenRows,
      frozenColumnCount: view.frozenColumns,
      hideGridlines: view.hidesGridlines,
      rowGroupControlAfter: record.rowGroupControlAfter,
      columnGroupControlAfter: record.columnGroupControlAfter,
    }),
    ...(isHidden ? { hidden: true } : {}),
    ...(hex ? colorForms(hex, TAB) : {}),
    ...(view.isRightToLeft ? { rightToLeft: true } : {}),
  };
}

export const updateSheetProperties: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['properties', 'fields'], place);
  const mask = fieldsOf(members, place);
  const properties = object(members, 'properties', place) ?? {};
  refuseUnknown(properties, PROPERTIES, `${place}.properties`);
  refuseUnknownFields(mask, PROPERTIES);
  const grid = maskOf(mask, 'gridProperties');
  if (grid) refuseUnknownFields(grid, GRID_PROPERTIES);
  const sheet = batch.sheet(properties, `${place}.properties`);
  batch.guardSheet(sheet);
  applyProperties(batch, sheet, properties, mask, place);
  return {};
};

/** Changes the members that a mask names; null: all members that were sent. */
function applyProperties(
  batch: RequestBatch,
  sheet: WorkingSheet,
  sent: RequestObject,
  mask: Mask,
  place: string,
): void {
  const isNew = mask === null;
  const isSent = (name: string) => (isNew ? sent[name] !== undefined && sent[name] !== null : names(mask, name));
  if (isSent('title')) rename(batch, sheet, text(sent, 'title', place) ?? '');
  const grid = object(sent, 'gridProperties', place) ?? {};
  const gridMask = maskOf(mask, 'gridProperties');
  if (isSent('gridProperties'))
    applyGrid(
      batch,
      sheet,
      grid,
      isNew ? new Map(Object.keys(grid).map((name) => [name, null])) : (gridMask ?? null),
      place,
    );
  if (isSent('tabColor') || isSent('tabColorStyle')) {
    const hex = namedColor(sent, TAB, place) ?? null;
    // An empty colour removes the tab's colour.
    const style = object(sent, 'tabColorStyle', place);
    const isEmpty = style !== undefined && Object.keys(object(style, 'rgbColor', place) ?? {}).length === 0;
    batch.add({
      kind: 'colorSheet',
      sheet: sheet.id,
      color: isEmpty && style?.['themeColor'] === undefined ? null : hex,
    });
  }
  if (isSent('rightToLeft')) {
    batch.setView(sheet, { ...batch.latest(sheet).view, isRightToLeft: flag(sent, 'rightToLeft', place) ?? false });
  }
  if (isSent('hidden')) hide(batch, sheet, flag(sent, 'hidden', place) ?? false);
  if (isSent('index')) moveTo(batch, sheet, integer(sent, 'index', place) ?? 0);
}

function rename(batch: RequestBatch, sheet: WorkingSheet, name: string): void {
  batch.checkName(name, sheet.id);
  batch.add({ kind: 'renameSheet', sheet: sheet.id, name });
  batch.replaceSheet({ ...batch.latest(sheet), name });
}

function hide(batch: RequestBatch, sheet: WorkingSheet, isHidden: boolean): void {
  const others = batch.sheets.filter(({ id }) => id !== sheet.id);
  if (isHidden && others.every((other) => other.isHidden))
    throw invalid("You can't hide all the sheets in a document.");
  batch.add({ kind: 'hideSheet', sheet: sheet.id, hidden: isHidden });
  batch.replaceSheet({ ...batch.latest(sheet), isHidden });
}

/** `index` refers to the positions before the move. */
function moveTo(batch: RequestBatch, sheet: WorkingSheet, index: number): void {
  if (index < 0 || index > batch.sheets.length) throw invalid(`Sheet index ${index} is out of bounds.`);
  const from = batch.sheets.findIndex(({ id }) => id === sheet.id);
  const to = index > from ? index - 1 : index;
  if (to !== from) batch.moveSheet(batch.latest(sheet), Math.min(to, batch.sheets.length - 1));
}

function applyGrid(batch: RequestBatch, sheet: WorkingSheet, sent: RequestObject, mask: Mask, place: string): void {
  const at = `${place}.properties.grid_properties`;
  refuseUnknown(sent, GRID_PROPERTIES, at);
  const isSent = (name: string) => names(mask, name);
  const readCount = (name: string, currentCount: number): number => {
    if (!isSent(name) || (mask === null && sent[name] === undefined)) return currentCount;
    const value = integer(sent, name, at) ?? 0;
    if (value < 1) throw invalid(`Invalid value at '${at}': ${name} must be at least 1.`);
    return value;
  };
  const { grid } = batch.latest(sheet);
  const next = { rows: readCount('rowCount', grid.rows), columns: readCount('columnCount', grid.columns) };
  if (next.rows !== grid.rows || next.columns !== grid.columns) {
    if (next.rows < grid.rows) deleteExcessLines(batch, sheet, 'rows', next.rows, grid.rows);
    if (next.columns < grid.columns) deleteExcessLines(batch, sheet, 'columns', next.columns, grid.columns);
    batch.setGrid(sheet, next);
  }
  const { view, record } = batch.latest(sheet);
  const readFrozenCount = (name: string, current: number) => (isSent(name) ? (integer(sent, name, at) ?? 0) : current);
  const newView = {
    ...view,
    frozenRows: readFrozenCount('frozenRowCount', view.frozenRows),
    frozenColumns: readFrozenCount('frozenColumnCount', view.frozenColumns),
    hidesGridlines: isSent('hideGridlines') ? (flag(sent, 'hideGridlines', at) ?? false) : view.hidesGridlines,
  };
  if (newView.frozenRows < 0 || newView.frozenColumns < 0) throw invalid('A count must not be negative.');
  if (newView.frozenRows >= next.rows) throw invalid("You can't freeze all visible rows on the sheet.");
  if (newView.frozenColumns >= next.columns) throw invalid("You can't freeze all visible columns on the sheet.");
  if (JSON.stringify(newView) !== JSON.stringify(view)) batch.setView(sheet, newView);
  const controls = ['rowGroupControlAfter', 'columnGroupControlAfter'].filter(isSent);
  if (controls.some((name) => sent[name] !== undefined || record[name as 'rowGroupControlAfter'] !== undefined)) {
    const set = Object.fromEntries(controls.map((name) => [name, flag(sent, name, at) ?? false]));
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
  batch.guardSheet(sheet);
  batch.add({ kind: 'moveCells', move: { kind: 'delete', sheet: sheet.id, axis, at: from, count: end - from } });
}

export const deleteSheet: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['sheetId'], place);
  const sheet = batch.sheet(members, place);
  const others = batch.sheets.filter(({ id }) => id !== sheet.id);
  if (others.length === 0) throw invalid("You can't remove all the sheets in a document.");
  if (others.every(({ isHidden }) => isHidden)) throw invalid("You can't remove all the visible sheets in a document.");
  batch.guardSheet(sheet);
  keepDocumentMetadata(batch, sheet, others[0] as WorkingSheet);
  batch.add({ kind: 'deleteSheet', sheet: sheet.id });
  batch.removeSheet(sheet);
  return {};
};

/** Metadata of the document stands on a sheet: it goes to another one. */
function keepDocumentMetadata(batch: RequestBatch, from: WorkingSheet, to: WorkingSheet): void {
  const cells = batch.snapshot.sheetById(from.id);
  if (cells === undefined) return;
  for (const { key, value } of objectsOf(cells, KINDS.metadata)) {
    if (value['location'] !== 'spreadsheet') continue;
    const attachments = [{ areas: [], texts: [key, JSON.stringify(value)] }];
    batch.add({ kind: 'attach', sheet: to.id, attachment: KINDS.metadata, key, within: null, attachments });
  }
}

export const duplicateSheet: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['sourceSheetId', 'insertSheetIndex', 'newSheetId', 'newSheetName'], place);
  const source = batch.sheet(members, place, 'sourceSheetId');
  batch.cells(source);
  const name = text(members, 'newSheetName', place) || copyName(batch, source.name);
  batch.checkName(name, null);
  const id = batch.takeId();
  const sheetId = batch.newSheetId(integer(members, 'newSheetId', place));
  const record = { ...source.record, of: id, sheetId };
  const copy = { ...source, id, sheetId, name, isHidden: false, record };
  const last = batch.sheets.length;
  batch.add({ kind: 'duplicateSheet', sheet: source.id, name });
  batch.addSheet(copy, last);
  batch.setRecord(copy, record);
  const index = integer(members, 'insertSheetIndex', place) ?? 0;
  if (index < 0 || index > last) throw invalid(`Sheet index ${index} is out of bounds.`);
  if (index !== last) batch.moveSheet(batch.latest(copy), index);
  const color = batch.snapshot.sheetById(source.id)?.color ?? null;
  const sent = color === null ? {} : colorForms(color.toLowerCase(), TAB);
  return { duplicateSheet: { properties: shownProperties(batch, copy, sent, place) } };
};

function copyName(batch: RequestBatch, name: string): string {
  for (let n = 1; ; n++) {
    const copy = n === 1 ? `Copy of ${name}` : `Copy of ${name} ${n}`;
    if (batch.sheets.every((sheet) => sheet.name.toLowerCase() !== copy.toLowerCase())) return copy;
  }
}

const SPREADSHEET_PROPERTIES = [
  'title',
  'locale',
  'timeZone',
  'autoRecalc',
  'defaultFormat',
  'iterativeCalculationSettings',
  'spreadsheetTheme',
];

export const updateSpreadsheetProperties: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['properties', 'fields'], place);
  const mask = fieldsOf(members, place);
  const properties = object(members, 'properties', place) ?? {};
  refuseUnknown(properties, SPREADSHEET_PROPERTIES, `${place}.properties`);
  refuseUnknownFields(mask, ['title', 'locale', 'timeZone', 'autoRecalc']);
  const isSent = (name: string) => names(mask, name) && (mask !== null || properties[name] !== undefined);
  if (isSent('title')) batch.title = text(properties, 'title', place) ?? '';
  const recalculation = text(properties, 'autoRecalc', place);
  if (isSent('autoRecalc') && recalculation !== undefined && recalculation !== 'ON_CHANGE') {
    throw invalid(`Recalculation ${recalculation} is not supported: documents are recalculated on change.`);
  }
  const locale = isSent('locale') ? localeOfName(text(properties, 'locale', place) ?? '') : null;
  const timeZone = isSent('timeZone') ? timeZoneOfName(text(properties, 'timeZone', place) ?? '') : null;
  if (locale !== null || timeZone !== null) {
    batch.changeSettings({ ...(locale && { locale }), ...(timeZone && { timeZone }) });
  }
  return {};
};
