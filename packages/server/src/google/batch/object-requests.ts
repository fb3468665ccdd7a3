import { type Area, type Edit, intersects } from '@cellwire/engine';
import { includesPath } from '../field-mask.ts';
import { omitEmptyMembers, readCellFormat } from '../format/cell-format.ts';
import { parseNamedColor, toColorForms } from '../format/color.ts';
import {
  joinPath,
  type RequestObject,
  readChoice,
  readFlag,
  readInteger,
  readList,
  readObject,
  readObjects,
  readText,
  readTexts,
  refuseSeveralMembers,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { toGridRange } from '../sheets/filters.ts';
import { KINDS, readStoredObjects } from '../sheets/state.ts';
import { addRange, describeProtectedRange } from '../sheets/stored-objects.ts';
import { parseBooleanCondition } from '../sheets/validation.ts';
import type { FormatRule } from './format-rule-lists.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';
import {
  chooseObjectId,
  createDeleteHandler,
  findObject,
  mergeObject,
  parseObjectRange,
  storeObject,
} from './stored-object-edits.ts';

export const deleteBanding = createDeleteHandler(KINDS.banding, 'bandedRangeId', 'banded range');

const BAND_COLORS = ['headerColor', 'firstBandColor', 'secondBandColor', 'footerColor'];

/** The colors of alternating rows or columns, each in both forms of Google's API. */
function parseBands(bands: RequestObject | undefined, path: string): RequestObject | undefined {
  if (bands === undefined) return undefined;
  refuseUnknownMembers(bands, [...BAND_COLORS, ...BAND_COLORS.map((name) => `${name}Style`)], path);
  const forms = BAND_COLORS.map((color) => {
    const namesOf = { color, style: `${color}Style` };
    const hex = parseNamedColor(bands, namesOf, path);
    return hex === undefined || hex === null ? {} : toColorForms(hex, namesOf);
  });
  return Object.assign({}, ...forms) as RequestObject;
}

/** The row and column colors of a banded range. Throws a `Problem` for unknown members. */
function parseBanding(banding: RequestObject, path: string): RequestObject {
  refuseUnknownMembers(banding, ['bandedRangeId', 'range', 'rowProperties', 'columnProperties'], path);
  return omitEmptyMembers({
    rowProperties: parseBands(readObject(banding, 'rowProperties', path), path),
    columnProperties: parseBands(readObject(banding, 'columnProperties', path), path),
  });
}

/** Adds a banded range. */
export const addBanding: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['bandedRange'], path);
  const banding = readObject(members, 'bandedRange', path);
  if (banding === undefined) throw createInvalidProblem('bandedRange is required.');
  const at = `${path}.banded_range`;
  const { sheet, area } = parseObjectRange(batch, banding, at);
  batch.refuseProtectedArea(sheet, area);
  const structure = yield* batch.readSheetStructure(sheet);
  const isBanded = readStoredObjects(structure, KINDS.banding).some(({ areas }) =>
    areas.some((other) => intersects(other, area)),
  );
  if (isBanded) {
    throw createInvalidProblem(
      'You cannot add alternating background colors to a range that already has alternating background colors.',
    );
  }
  const id = yield* chooseObjectId(batch, KINDS.banding, 'banded range', banding, 'bandedRangeId', at);
  const value = { bandedRangeId: id, ...parseBanding(banding, at) };
  batch.addEdits(storeObject(sheet, KINDS.banding, String(id), [area], value));
  return { addBanding: { bandedRange: addRange({ key: '', value, areas: [area] }, sheet.sheetId) } };
};

/** Changes the members of a banded range that the mask names. */
export const updateBanding: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['bandedRange', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, ['range', 'rowProperties', 'columnProperties']);
  const banding = readObject(members, 'bandedRange', path) ?? {};
  const at = `${path}.banded_range`;
  const id = readInteger(banding, 'bandedRangeId', at) ?? 0;
  const { sheet, stored } = yield* findObject(batch, KINDS.banding, id, 'banded range');
  batch.refuseProtectedSheet(sheet);
  const value = { ...mergeObject(stored.value, parseBanding(banding, at), mask), bandedRangeId: id };
  const takesRange = includesPath(mask, 'range') && banding['range'] !== undefined;
  const areas = takesRange ? [parseObjectRange(batch, banding, at).area] : stored.areas;
  batch.addEdits(storeObject(sheet, KINDS.banding, String(id), areas, value));
  return {};
};

/** A rule of conditional formats without its ranges. */
function parseFormatRule(formatRule: RequestObject, path: string): RequestObject {
  refuseUnknownMembers(formatRule, ['ranges', 'booleanRule', 'gradientRule'], path);
  const rule = readObject(formatRule, 'booleanRule', path);
  const gradient = readObject(formatRule, 'gradientRule', path);
  refuseSeveralMembers(formatRule, ['booleanRule', 'gradientRule'], 'rule', path);
  if (rule !== undefined) {
    refuseUnknownMembers(rule, ['condition', 'format'], path);
    const condition = readObject(rule, 'condition', path);
    if (condition === undefined) throw createInvalidProblem('booleanRule.condition is required.');
    const sent = readObject(rule, 'format', path) ?? {};
    const format = readCellFormat(sent, `${path}.boolean_rule.format`);
    if (readObject(sent, 'textFormat', path)?.['link'])
      throw createInvalidProblem('A conditional format cannot set a link.');
    return { booleanRule: { condition: parseBooleanCondition(condition, path), format } };
  }
  if (gradient === undefined) throw createInvalidProblem('A rule needs booleanRule or gradientRule.');
  return { gradientRule: parseGradient(gradient, path) };
}

const POINTS = ['minpoint', 'midpoint', 'maxpoint'];
const COLOR = { color: 'color', style: 'colorStyle' };

/** Types of points without a value. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['MIN', 'MAX']);
const POINT_TYPES = ['MIN', 'MAX', 'NUMBER', 'PERCENT', 'PERCENTILE'] as const;

/** The points of a color scale. Throws a `Problem` if minimum, maximum, a type or a required value is missing. */
function parseGradient(gradient: RequestObject, path: string): object {
  refuseUnknownMembers(gradient, POINTS, path);
  for (const name of ['minpoint', 'maxpoint']) {
    if (readObject(gradient, name, path) === undefined)
      throw createInvalidProblem('No interpolationPointType specified.');
  }
  return Object.fromEntries(
    POINTS.flatMap((name) => {
      const point = readObject(gradient, name, path);
      if (point === undefined) return [];
      refuseUnknownMembers(point, ['color', 'colorStyle', 'type', 'value'], path);
      const hex = parseNamedColor(point, COLOR, path);
      const type = readChoice(point, 'type', POINT_TYPES, joinPath(path, name), 'InterpolationPointType');
      const value = readText(point, 'value', path);
      if (type === undefined) throw createInvalidProblem('No interpolationPointType specified.');
      const hasValue = !WITHOUT_VALUE.has(type);
      if (hasValue && !value) throw createInvalidProblem('InterpolationPoint.value is required.');
      return [[name, { ...(hex ? toColorForms(hex, COLOR) : {}), type, ...(hasValue && { value }) }]];
    }),
  );
}

/** The ranges of a rule, which must be on one sheet. */
function parseRuleRanges(batch: RequestBatch, rule: RequestObject, path: string) {
  const ranges = (readObjects(rule, 'ranges', path) ?? []).map((range) => batch.parseRange(range, path));
  const [first] = ranges;
  if (first === undefined) throw createInvalidProblem('A rule needs at least one range.');
  if (ranges.some(({ sheet }) => sheet.id !== first.sheet.id))
    throw createInvalidProblem('All ranges must be on one sheet.');
  return { sheet: first.sheet, areas: ranges.map(({ range }) => range) };
}

function describeFormatRule(sheet: WorkingSheet, { areas, value }: FormatRule): object {
  return { ranges: areas.map((area) => toGridRange(sheet.sheetId, area)), ...value };
}

/** Inserts a conditional format at an index of the sheet’s list. */
export const addConditionalFormatRule: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['rule', 'index'], path);
  const rule = readObject(members, 'rule', path);
  if (rule === undefined) throw createInvalidProblem('rule is required.');
  const { sheet, areas } = parseRuleRanges(batch, rule, `${path}.rule`);
  batch.refuseProtectedSheet(sheet);
  const rules = yield* batch.readFormatRules(sheet);
  const index = readInteger(members, 'index', path) ?? 0;
  if (index < 0 || index > rules.length) throw createInvalidProblem(`index ${index} is out of bounds.`);
  const added = { areas, value: parseFormatRule(rule, `${path}.rule`) };
  batch.setFormatRules(sheet, rules.toSpliced(index, 0, added));
  return {};
};

/** Replaces a conditional format, or moves it to another index. */
export const updateConditionalFormatRule: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['index', 'sheetId', 'rule', 'newIndex'], path);
  const rule = readObject(members, 'rule', path);
  const moved = readInteger(members, 'newIndex', path);
  const ruled = rule === undefined ? null : parseRuleRanges(batch, rule, `${path}.rule`);
  const sheet = ruled === null ? batch.requireSheet(members, path) : ruled.sheet;
  batch.refuseProtectedSheet(sheet);
  const rules = yield* batch.readFormatRules(sheet);
  const index = readInteger(members, 'index', path) ?? 0;
  const old = rules[index];
  if (old === undefined)
    throw createInvalidProblem(`No conditional format on sheet: ${sheet.sheetId} at index: ${index}`);
  if (rule !== undefined && ruled !== null) {
    const next = { areas: ruled.areas, value: parseFormatRule(rule, `${path}.rule`) };
    batch.setFormatRules(sheet, rules.with(index, next));
    return {
      updateConditionalFormatRule: omitEmptyMembers({
        newRule: describeFormatRule(sheet, next),
        newIndex: index,
        oldRule: describeFormatRule(sheet, old),
        oldIndex: index,
      }),
    };
  }
  if (moved === undefined || moved < 0 || moved >= rules.length)
    throw createInvalidProblem('rule or a valid newIndex must be set.');
  batch.setFormatRules(sheet, rules.toSpliced(index, 1).toSpliced(moved, 0, old));
  return {
    updateConditionalFormatRule: omitEmptyMembers({
      newRule: describeFormatRule(sheet, old),
      newIndex: moved,
      oldIndex: index,
    }),
  };
};

/** Deletes the conditional format at an index of the sheet’s list. */
export const deleteConditionalFormatRule: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['index', 'sheetId'], path);
  const sheet = batch.requireSheet(members, path);
  batch.refuseProtectedSheet(sheet);
  const rules = yield* batch.readFormatRules(sheet);
  const index = readInteger(members, 'index', path) ?? 0;
  const old = rules[index];
  if (old === undefined)
    throw createInvalidProblem(`No conditional format on sheet: ${sheet.sheetId} at index: ${index}`);
  batch.setFormatRules(sheet, rules.toSpliced(index, 1));
  return { deleteConditionalFormatRule: { rule: describeFormatRule(sheet, old) } };
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
function parseUnprotectedAreas(batch: RequestBatch, protectedRange: RequestObject, path: string): readonly Area[] {
  return (readObjects(protectedRange, 'unprotectedRanges', path) ?? []).map(
    (range) => batch.parseRange(range, path).range,
  );
}

/** The edit that stores which areas of a protected sheet stay open to all editors. */
function storeUnprotected(sheet: WorkingSheet, id: number, areas: readonly Area[]): Edit {
  const key = String(id);
  const attachments = areas.map((area) => ({ areas: [area], texts: [key] }));
  return { kind: 'attach', sheet: sheet.id, attachment: KINDS.unprotectedRange, key, within: null, attachments };
}

/** The stored part of a protected range, without its position. */
function parseProtection(batch: RequestBatch, protectedRange: RequestObject, path: string): RequestObject {
  refuseUnknownMembers(protectedRange, PROTECTED, path);
  const editors = readObject(protectedRange, 'editors', path) ?? {};
  refuseUnknownMembers(editors, ['users', 'groups', 'domainUsersCanEdit'], `${path}.editors`);
  const hasGroups = (readList(editors, 'groups', path) ?? []).length > 0;
  if (hasGroups) throw createInvalidProblem('editors.groups is not supported: there are no groups.');
  if (readFlag(editors, 'domainUsersCanEdit', path))
    throw createInvalidProblem('editors.domainUsersCanEdit is not supported.');
  const users = readTexts(editors, 'users', `${path}.editors`) ?? [];
  if (readFlag(protectedRange, 'warningOnly', path) && users.length > 0)
    throw createInvalidProblem('ProtectedRange is warningOnly. Editors cannot be set on it.');
  const { ids } = batch.people;
  const strangers = users.filter((email) => !ids.has(email));
  return {
    ...omitEmptyMembers({
      description: readText(protectedRange, 'description', path),
      warningOnly: readFlag(protectedRange, 'warningOnly', path),
    }),
    // Addresses of users are not stored in documents: they change, and erasing a user must not leave them.
    editors: strangers.length === 0 ? {} : { users: [...new Set(strangers)] },
    userIds: [...new Set([batch.access.caller.userId, ...users.flatMap((email) => ids.get(email) ?? [])])],
  };
}

/** Adds a protected range. */
export const addProtectedRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['protectedRange'], path);
  const sent = readObject(members, 'protectedRange', path);
  if (sent === undefined) throw createInvalidProblem('protectedRange is required.');
  const at = `${path}.protected_range`;
  const range = readObject(sent, 'range', at);
  if (range === undefined) throw createInvalidProblem('range is required.');
  const { sheet, area } = parseObjectRange(batch, sent, at);
  batch.refuseProtectedArea(sheet, area);
  const id = yield* chooseObjectId(batch, KINDS.protectedRange, 'protected range', sent, 'protectedRangeId', at);
  const isSheet = Object.keys(range).every((name) => name === 'sheetId' || range[name] === null);
  const value: RequestObject = {
    protectedRangeId: id,
    ...parseProtection(batch, sent, at),
    ...(isSheet ? { isSheet } : {}),
  };
  const unprotected = parseUnprotectedAreas(batch, sent, at);
  batch.addEdits(storeObject(sheet, KINDS.protectedRange, String(id), [area], value));
  batch.addEdits(storeUnprotected(sheet, id, unprotected));
  // The answer contains only the users named in the request. The user who protects a range can always edit it.
  const users = readList(readObject(sent, 'editors', at) ?? {}, 'users', at) ?? [];
  const stored = { key: String(id), value, areas: [area], unprotected };
  const { email, ids } = batch.people;
  const addresses = new Map([...ids].map(([address, user]) => [user, address]));
  const emails = users.length === 0 ? addresses : new Map([...addresses, [batch.access.caller.userId, email]]);
  return { addProtectedRange: { protectedRange: describeProtectedRange(stored, sheet.sheetId, batch.access, emails) } };
};

/** Changes the members of a protected range that the mask names. */
export const updateProtectedRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['protectedRange', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, PROTECTED);
  const sent = readObject(members, 'protectedRange', path) ?? {};
  const at = `${path}.protected_range`;
  const id = readInteger(sent, 'protectedRangeId', at) ?? 0;
  const { sheet, stored } = yield* findObject(batch, KINDS.protectedRange, id, 'protected range');
  stored.areas.forEach((area) => {
    batch.refuseProtectedArea(sheet, area);
  });
  const { userIds, ...next } = parseProtection(batch, sent, at);
  const value = {
    ...mergeObject(stored.value, next, mask),
    protectedRangeId: id,
    userIds: includesPath(mask, 'editors') ? userIds : stored.value['userIds'],
  };
  const takesRange = includesPath(mask, 'range') && sent['range'] !== undefined;
  const areas = takesRange ? [parseObjectRange(batch, sent, at).area] : stored.areas;
  batch.addEdits(storeObject(sheet, KINDS.protectedRange, String(id), areas, value));
  if (includesPath(mask, 'unprotectedRanges'))
    batch.addEdits(storeUnprotected(sheet, id, parseUnprotectedAreas(batch, sent, at)));
  return {};
};

/** Deletes a protected range. */
export const deleteProtectedRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['protectedRangeId'], path);
  const id = readInteger(members, 'protectedRangeId', path) ?? 0;
  const { sheet, stored } = yield* findObject(batch, KINDS.protectedRange, id, 'protected range');
  stored.areas.forEach((area) => {
    batch.refuseProtectedArea(sheet, area);
  });
  batch.addEdits(storeObject(sheet, KINDS.protectedRange, String(id), [], null));
  batch.addEdits(storeUnprotected(sheet, id, []));
  return {};
};
