import { columnName, nameKey, nameProblem, quoteSheetName } from '@cellwire/engine';
import { includesPath } from '../field-mask.ts';
import { readObject, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { toGridRange } from '../sheets/filters.ts';
import { type DefinedRange, hashNameId, type NameKey } from '../sheets/properties.ts';
import { createObjectId, KINDS } from '../sheets/state.ts';
import type { NameIndex } from './name-index.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingRange } from './state.ts';

/** A range with absolute references, as definition of a name. */
function formatNameDefinition({ sheet, range }: WorkingRange): string {
  const { top, left, bottom, right } = range;
  const formatCell = (row: number, column: number) => `$${columnName(column)}$${row + 1}`;
  const isCell = top === bottom && left === right;
  const cells = isCell ? formatCell(top, left) : `${formatCell(top, left)}:${formatCell(bottom, right)}`;
  return `=${quoteSheetName(sheet.name)}!${cells}`;
}

/** Throws unless the name is valid and free. `old`: the name that it replaces. */
function checkName(index: NameIndex, name: string, old: string | null): void {
  const problem = nameProblem(name);
  if (problem !== null) throw createInvalidProblem(`Invalid name: ${name.slice(0, 100)}: ${problem}`);
  const isSame = old !== null && nameKey(old) === nameKey(name);
  if (!isSame && index.isTaken(name)) {
    throw createInvalidProblem(
      `Cannot add named range with name ${name}, a named range with that name already exists.`,
    );
  }
}

/** Stores the id of a name on a sheet, unless it is the id derived from the name. */
function storeNameId(batch: RequestBatch, sheet: number, id: string, key: NameKey): void {
  if (id === hashNameId(key)) return;
  const attachments = [{ areas: [], texts: [id, JSON.stringify(key)] }];
  batch.addEdits({ kind: 'attach', sheet, attachment: KINDS.namedRange, key: id, within: null, attachments });
}

/** Adds edits that forget Google's id of a named range. */
function removeNameId(batch: RequestBatch, id: string): void {
  for (const { id: sheet } of batch.sheets) {
    batch.addEdits({ kind: 'attach', sheet, attachment: KINDS.namedRange, key: id, within: null, attachments: [] });
  }
}

/** Adds a name for a range. */
export const addNamedRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['namedRange'], path);
  const definition = readObject(members, 'namedRange', path);
  if (definition === undefined) throw createInvalidProblem('namedRange is required.');
  const at = `${path}.named_range`;
  refuseUnknownMembers(definition, ['namedRangeId', 'name', 'range'], at);
  const name = readText(definition, 'name', at) ?? '';
  const index = yield* batch.readNameIndex();
  checkName(index, name, null);
  const sent = readObject(definition, 'range', at);
  if (sent === undefined) throw createInvalidProblem('namedRange.range is required.');
  const range = batch.parseRange(sent, `${at}.range`);
  const id =
    readText(definition, 'namedRangeId', at) ||
    String(createObjectId((each) => index.findRange(String(each)) !== undefined));
  if (index.findRange(id) !== undefined)
    throw createInvalidProblem(`A named range with the ID ${id.slice(0, 100)} already exists.`);
  batch.addEdits({ kind: 'setName', name, refersTo: formatNameDefinition(range), locale: 'en-US' });
  storeNameId(batch, range.sheet.id, id, { name });
  const answer = { namedRangeId: id, name, range: toGridRange(range.sheet.sheetId, range.range) };
  index.setRange({ name, id, answer });
  batch.markNamesUpToDate();
  return { addNamedRange: { namedRange: answer } };
};

function requireNamedRange(index: NameIndex, id: string): DefinedRange {
  const found = index.findRange(id);
  if (found === undefined) throw createInvalidProblem(`No named range with id: ${id.slice(0, 100)}`);
  return found;
}

/** Changes the name or the range of a named range. */
export const updateNamedRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['namedRange', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, ['name', 'range']);
  const definition = readObject(members, 'namedRange', path) ?? {};
  const at = `${path}.named_range`;
  const id = readText(definition, 'namedRangeId', at) ?? '';
  const index = yield* batch.readNameIndex();
  const { name: oldName, scope, answer } = requireNamedRange(index, id);
  const name = (includesPath(mask, 'name') ? readText(definition, 'name', at) : undefined) ?? oldName;
  if (name !== oldName) checkName(index, name, oldName);
  const sent = includesPath(mask, 'range') ? readObject(definition, 'range', at) : undefined;
  const range = batch.parseRange(sent ?? answer.range, `${at}.range`);
  const key = { name, ...(scope !== undefined && { scope }) };
  removeNameId(batch, id);
  if (name !== oldName) batch.addEdits({ kind: 'renameName', ...key, name: oldName, newName: name });
  if (sent !== undefined)
    batch.addEdits({ kind: 'setName', ...key, refersTo: formatNameDefinition(range), locale: 'en-US' });
  storeNameId(batch, range.sheet.id, id, key);
  const rangeAnswer = toGridRange(range.sheet.sheetId, range.range);
  index.setRange({ ...key, id, answer: { namedRangeId: id, name, range: rangeAnswer } });
  batch.markNamesUpToDate();
  return {};
};

/** Deletes a named range; its cells stay. */
export const deleteNamedRange: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['namedRangeId'], path);
  const id = readText(members, 'namedRangeId', path) ?? '';
  const index = yield* batch.readNameIndex();
  const { name, scope } = requireNamedRange(index, id);
  removeNameId(batch, id);
  batch.addEdits({ kind: 'deleteName', name, ...(scope !== undefined && { scope }) });
  index.deleteRange(id);
  batch.markNamesUpToDate();
  return {};
};
