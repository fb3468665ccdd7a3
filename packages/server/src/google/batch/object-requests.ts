import type { Area, Edit } from '@cellwire/engine';
import { names } from '../field-mask.ts';
import { omitEmpty, readCellFormat } from '../format/cell-format.ts';
import { colorForms, namedColor } from '../format/color.ts';
import { flag, integer, list, object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { gridRangeAnswer } from '../sheets/filters.ts';
import { KINDS } from '../sheets/state.ts';
import { protectedAnswer, withRange } from '../sheets/stored-objects.ts';
import { storedCondition } from '../sheets/validation.ts';
import type { FormatRule } from './format-rule-lists.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, WorkingSheet } from './state.ts';
import { chosenId, deleteById, findObject, rangeOfObject, storeObject, updatedObject } from './stored-object-edits.ts';

export const deleteBanding = deleteById(KINDS.banding, 'bandedRangeId', 'banded range');

const BAND_COLORS = ['headerColor', 'firstBandColor', 'secondBandColor', 'footerColor'];

function storedBands(sent: RequestObject | undefined, place: string): RequestObject | undefined {
  if (sent === undefined) return undefined;
  refuseUnknown(sent, [...BAND_COLORS, ...BAND_COLORS.map((name) => `${name}Style`)], place);
  const forms = BAND_COLORS.map((color) => {
    const namesOf = { color, style: `${color}Style` };
    const hex = namedColor(sent, namesOf, place);
    return hex === undefined || hex === null ? {} : colorForms(hex, namesOf);
  });
  return Object.assign({}, ...forms) as RequestObject;
}

function storedBanding(sent: RequestObject, place: string): RequestObject {
  refuseUnknown(sent, ['bandedRangeId', 'range', 'rowProperties', 'columnProperties'], place);
  return omitEmpty({
    rowProperties: storedBands(object(sent, 'rowProperties', place), place),
    columnProperties: storedBands(object(sent, 'columnProperties', place), place),
  });
}

export const addBanding: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['bandedRange'], place);
  const banding = object(members, 'bandedRange', place);
  if (banding === undefined) throw invalid('bandedRange is required.');
  const at = `${place}.banded_range`;
  const { sheet, area } = rangeOfObject(batch, banding, at);
  batch.guard(sheet, area);
  const id = chosenId(banding, 'bandedRangeId', at);
  const value = { bandedRangeId: id, ...storedBanding(banding, at) };
  batch.add(storeObject(sheet, KINDS.banding, String(id), [area], value));
  return { addBanding: { bandedRange: withRange({ key: '', value, areas: [area] }, sheet.sheetId) } };
};

export const updateBanding: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['bandedRange', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, ['range', 'rowProperties', 'columnProperties']);
  const banding = object(members, 'bandedRange', place) ?? {};
  const at = `${place}.banded_range`;
  const id = integer(banding, 'bandedRangeId', at) ?? 0;
  const { sheet, stored } = findObject(batch, KINDS.banding, id, 'banded range');
  batch.guardSheet(sheet);
  const value = { ...updatedObject(stored.value, storedBanding(banding, at), mask), bandedRangeId: id };
  const takesRange = names(mask, 'range') && banding['range'] !== undefined;
  const areas = takesRange ? [rangeOfObject(batch, banding, at).area] : stored.areas;
  batch.add(storeObject(sheet, KINDS.banding, String(id), areas, value));
  return {};
};

/** A rule of conditional formats without its ranges. */
function storedFormatRule(sent: RequestObject, place: string): RequestObject {
  refuseUnknown(sent, ['ranges', 'booleanRule', 'gradientRule'], place);
  const rule = object(sent, 'booleanRule', place);
  const gradient = object(sent, 'gradientRule', place);
  if (rule !== undefined && gradient !== undefined) throw invalid('A rule has booleanRule or gradientRule, not both.');
  if (rule !== undefined) {
    refuseUnknown(rule, ['condition', 'format'], place);
    const condition = object(rule, 'condition', place);
    if (condition === undefined) throw invalid('booleanRule.condition is required.');
    const format = readCellFormat(object(rule, 'format', place) ?? {}, `${place}.boolean_rule.format`);
    return { booleanRule: { condition: storedCondition(condition, place), format } };
  }
  if (gradient === undefined) throw invalid('A rule needs booleanRule or gradientRule.');
  return { gradientRule: storedGradient(gradient, place) };
}

const POINTS = ['minpoint', 'midpoint', 'maxpoint'];
const COLOR = { color: 'color', style: 'colorStyle' };

function storedGradient(sent: RequestObject, place: string): object {
  refuseUnknown(sent, POINTS, place);
  return Object.fromEntries(
    POINTS.flatMap((name) => {
      const point = object(sent, name, place);
      if (point === undefined) return [];
      refuseUnknown(point, ['color', 'colorStyle', 'type', 'value'], place);
      const hex = namedColor(point, COLOR, place);
      const shown = omitEmpty({ type: text(point, 'type', place), value: text(point, 'value', place) });
      return [[name, { ...(hex ? colorForms(hex, COLOR) : {}), ...shown }]];
    }),
  );
}

function rangesOf(batch: RequestBatch, rule: RequestObject, place: string) {
  const ranges = (objects(rule, 'ranges', place) ?? []).map((range) => batch.range(range, place));
  const [first] = ranges;
  if (first === undefined) throw invalid('A rule needs at least one range.');
  if (ranges.some(({ sheet }) => sheet.id !== first.sheet.id)) throw invalid('All ranges must be on one sheet.');
  return { sheet: first.sheet, areas: ranges.map(({ range }) => range) };
}

function ruleAnswer(sheet: WorkingSheet, { areas, value }: FormatRule): object {
  return { ranges: areas.map((area) => gridRangeAnswer(sheet.sheetId, area)), ...value };
}

export const addConditionalFormatRule: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['rule', 'index'], place);
  const rule = object(members, 'rule', place);
  if (rule === undefined) throw invalid('rule is required.');
  const { sheet, areas } = rangesOf(batch, rule, `${place}.rule`);
  batch.guardSheet(sheet);
  const rules = batch.formatRules(sheet);
  const index = integer(members, 'index', place) ?? 0;
  if (index < 0 || index > rules.length) throw invalid(`index ${index} is out of bounds.`);
  const added = { areas, value: storedFormatRule(rule, `${place}.rule`) };
  batch.setFormatRules(sheet, rules.toSpliced(index, 0, added));
  return {};
};

export const updateConditionalFormatRule: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['index', 'sheetId', 'rule', 'newIndex'], place);
  const rule = object(members, 'rule', place);
  const moved = integer(members, 'newIndex', place);
  const ruled = rule === undefined ? null : rangesOf(batch, rule, `${place}.rule`);
  const sheet = ruled === null ? batch.sheet(members, place) : ruled.sheet;
  batch.guardSheet(sheet);
  const rules = batch.formatRules(sheet);
  const index = integer(members, 'index', place) ?? 0;
  const old = rules[index];
  if (old === undefined) throw invalid(`No conditional format on sheet: ${sheet.sheetId} at index: ${index}`);
  if (rule !== undefined && ruled !== null) {
    const next = { areas: ruled.areas, value: storedFormatRule(rule, `${place}.rule`) };
    batch.setFormatRules(sheet, rules.with(index, next));
    return {
      updateConditionalFormatRule: omitEmpty({
        newRule: ruleAnswer(sheet, next),
        newIndex: index,
        oldRule: ruleAnswer(sheet, old),
        oldIndex: index,
      }),
    };
  }
  if (moved === undefined || moved < 0 || moved >= rules.length) throw invalid('rule or a valid newIndex must be set.');
  batch.setFormatRules(sheet, rules.toSpliced(index, 1).toSpliced(moved, 0, old));
  return {
    updateConditionalFormatRule: omitEmpty({ newRule: ruleAnswer(sheet, old), newIndex: moved, oldIndex: index }),
  };
};

export const deleteConditionalFormatRule: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['index', 'sheetId'], place);
  const sheet = batch.sheet(members, place);
  batch.guardSheet(sheet);
  const rules = batch.formatRules(sheet);
  const index = integer(members, 'index', place) ?? 0;
  const old = rules[index];
  if (old === undefined) throw invalid(`No conditional format on sheet: ${sheet.sheetId} at index: ${index}`);
  batch.setFormatRules(sheet, rules.toSpliced(index, 1));
  return { deleteConditionalFormatRule: { rule: ruleAnswer(sheet, old) } };
};

const PROTECTED = [
  'protectedRangeId',
  'range',
  'description',
  'warningOnly',
  'requestingUserCanEdit',
  'unprotectedRanges',
  'editors',
];

/** The areas of a request that all users may edit. */
function unprotectedOf(batch: RequestBatch, sent: RequestObject, place: string): readonly Area[] {
  return (objects(sent, 'unprotectedRanges', place) ?? []).map((range) => batch.range(range, place).range);
}

function storeUnprotected(sheet: WorkingSheet, id: number, areas: readonly Area[]): Edit {
  const key = String(id);
  const attachments = areas.map((area) => ({ areas: [area], texts: [key] }));
  return { kind: 'attach', sheet: sheet.id, attachment: KINDS.unprotectedRange, key, within: null, attachments };
}

/** The stored part of a protected range, without its position. */
function storedProtection(batch: RequestBatch, sent: RequestObject, place: string): RequestObject {
  refuseUnknown(sent, PROTECTED, place);
  const editors = object(sent, 'editors', place) ?? {};
  refuseUnknown(editors, ['users', 'groups', 'domainUsersCanEdit'], `${place}.editors`);
  const hasGroups = (list(editors, 'groups', place) ?? []).length > 0;
  if (hasGroups) throw invalid('editors.groups is not supported: there are no groups.');
  if (flag(editors, 'domainUsersCanEdit', place)) throw invalid('editors.domainUsersCanEdit is not supported.');
  const users = (list(editors, 'users', place) ?? []).map(String);
  const { ids } = batch.people;
  const strangers = users.filter((email) => !ids.has(email));
  return {
    ...omitEmpty({ description: text(sent, 'description', place), warningOnly: flag(sent, 'warningOnly', place) }),
    // Addresses of users are not stored in documents: they change, and erasing a user must not leave them.
    editors: strangers.length === 0 ? {} : { users: [...new Set(strangers)] },
    userIds: [...new Set([batch.access.caller.userId, ...users.flatMap((email) => ids.get(email) ?? [])])],
  };
}

export const addProtectedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['protectedRange'], place);
  const sent = object(members, 'protectedRange', place);
  if (sent === undefined) throw invalid('protectedRange is required.');
  const at = `${place}.protected_range`;
  const range = object(sent, 'range', at);
  if (range === undefined) throw invalid('range is required.');
  const { sheet, area } = rangeOfObject(batch, sent, at);
  batch.guard(sheet, area);
  const id = chosenId(sent, 'protectedRangeId', at);
  const isSheet = Object.keys(range).every((name) => name === 'sheetId' || range[name] === null);
  const value: RequestObject = {
    protectedRangeId: id,
    ...storedProtection(batch, sent, at),
    ...(isSheet ? { isSheet } : {}),
  };
  const unprotected = unprotectedOf(batch, sent, at);
  batch.add(storeObject(sheet, KINDS.protectedRange, String(id), [area], value));
  batch.add(storeUnprotected(sheet, id, unprotected));
  // The answer contains only the users named in the request. The user who protects a range can always edit it.
  const users = list(object(sent, 'editors', at) ?? {}, 'users', at) ?? [];
  const stored = { key: String(id), value, areas: [area], unprotected };
  const { email, ids } = batch.people;
  const addresses = new Map([...ids].map(([address, user]) => [user, address]));
  const emails = users.length === 0 ? addresses : new Map([...addresses, [batch.access.caller.userId, email]]);
  return { addProtectedRange: { protectedRange: protectedAnswer(stored, sheet.sheetId, batch.access, emails) } };
};

export const updateProtectedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['protectedRange', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, PROTECTED);
  const sent = object(members, 'protectedRange', place) ?? {};
  const at = `${place}.protected_range`;
  const id = integer(sent, 'protectedRangeId', at) ?? 0;
  const { sheet, stored } = findObject(batch, KINDS.protectedRange, id, 'protected range');
  stored.areas.forEach((area) => {
    batch.guard(sheet, area);
  });
  const { userIds, ...next } = storedProtection(batch, sent, at);
  const value = {
    ...updatedObject(stored.value, next, mask),
    protectedRangeId: id,
    userIds: names(mask, 'editors') ? userIds : stored.value['userIds'],
  };
  const takesRange = names(mask, 'range') && sent['range'] !== undefined;
  const areas = takesRange ? [rangeOfObject(batch, sent, at).area] : stored.areas;
  batch.add(storeObject(sheet, KINDS.protectedRange, String(id), areas, value));
  if (names(mask, 'unprotectedRanges')) batch.add(storeUnprotected(sheet, id, unprotectedOf(batch, sent, at)));
  return {};
};

export const deleteProtectedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['protectedRangeId'], place);
  const id = integer(members, 'protectedRangeId', place) ?? 0;
  const { sheet, stored } = findObject(batch, KINDS.protectedRange, id, 'protected range');
  stored.areas.forEach((area) => {
    batch.guard(sheet, area);
  });
  batch.add(storeObject(sheet, KINDS.protectedRange, String(id), [], null));
  batch.add(storeUnprotected(sheet, id, []));
  return {};
};
