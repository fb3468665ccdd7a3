import { columnName, nameKey, nameProblem, quoteSheetName } from '@cellwire/engine';
import { names } from '../field-mask.ts';
import { object, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { gridRangeAnswer } from '../sheets/filters.ts';
import { type DefinedRange, hashNameId, type NameKey } from '../sheets/properties.ts';
import { KINDS, newObjectId } from '../sheets/state.ts';
import type { NameIndex } from './name-index.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, WorkingRange } from './state.ts';

/** A range with absolute references, as definition of a name. */
function refersTo({ sheet, range }: WorkingRange): string {
  const { top, left, bottom, right } = range;
  const cell = (row: number, column: number) => `$${columnName(column)}$${row + 1}`;
  const isCell = top === bottom && left === right;
  const cells = isCell ? cell(top, left) : `${cell(top, left)}:${cell(bottom, right)}`;
  return `=${quoteSheetName(sheet.name)}!${cells}`;
}

/** Throws unless the name is valid and free. `old`: the name that it replaces. */
function checkName(index: NameIndex, name: string, old: string | null): void {
  const problem = nameProblem(name);
  if (problem !== null) throw invalid(`Invalid name: ${name.slice(0, 100)}: ${problem}`);
  const isSame = old !== null && nameKey(old) === nameKey(name);
  if (!isSame && index.isTaken(name)) throw invalid(`A named range with the name "${name}" already exists.`);
}

/** Stores the id of a name on a sheet, unless it is the id derived from the name. */
function keepId(batch: RequestBatch, sheet: number, id: string, key: NameKey): void {
  if (id === hashNameId(key)) return;
  const attachments = [{ areas: [], texts: [id, JSON.stringify(key)] }];
  batch.add({ kind: 'attach', sheet, attachment: KINDS.namedRange, key: id, within: null, attachments });
}

function removeId(batch: RequestBatch, id: string): void {
  for (const { id: sheet } of batch.sheets) {
    batch.add({ kind: 'attach', sheet, attachment: KINDS.namedRange, key: id, within: null, attachments: [] });
  }
}

export const addNamedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['namedRange'], place);
  const definition = object(members, 'namedRange', place);
  if (definition === undefined) throw invalid('namedRange is required.');
  const at = `${place}.named_range`;
  refuseUnknown(definition, ['namedRangeId', 'name', 'range'], at);
  const name = text(definition, 'name', at) ?? '';
  const index = batch.names();
  checkName(index, name, null);
  const sent = object(definition, 'range', at);
  if (sent === undefined) throw invalid('namedRange.range is required.');
  const range = batch.range(sent, `${at}.range`);
  const id = text(definition, 'namedRangeId', at) || String(newObjectId());
  if (index.range(id) !== undefined) throw invalid(`A named range with the ID ${id.slice(0, 100)} already exists.`);
  batch.add({ kind: 'setName', name, refersTo: refersTo(range), locale: 'en-US' });
  keepId(batch, range.sheet.id, id, { name });
  const answer = { namedRangeId: id, name, range: gridRangeAnswer(range.sheet.sheetId, range.range) };
  index.set({ name, id, answer });
  batch.keepNames();
  return { addNamedRange: { namedRange: answer } };
};

function find(index: NameIndex, id: string): DefinedRange {
  const found = index.range(id);
  if (found === undefined) throw invalid(`No named range with id: ${id.slice(0, 100)}`);
  return found;
}

export const updateNamedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['namedRange', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, ['name', 'range']);
  const definition = object(members, 'namedRange', place) ?? {};
  const at = `${place}.named_range`;
  const id = text(definition, 'namedRangeId', at) ?? '';
  const index = batch.names();
  const { name: oldName, scope, answer } = find(index, id);
  const name = (names(mask, 'name') ? text(definition, 'name', at) : undefined) ?? oldName;
  if (name !== oldName) checkName(index, name, oldName);
  const sent = names(mask, 'range') ? object(definition, 'range', at) : undefined;
  const range = batch.range(sent ?? answer.range, `${at}.range`);
  const key = { name, ...(scope !== undefined && { scope }) };
  removeId(batch, id);
  if (name !== oldName) batch.add({ kind: 'renameName', ...key, name: oldName, newName: name });
  if (sent !== undefined) batch.add({ kind: 'setName', ...key, refersTo: refersTo(range), locale: 'en-US' });
  keepId(batch, range.sheet.id, id, key);
  const rangeAnswer = gridRangeAnswer(range.sheet.sheetId, range.range);
  index.set({ ...key, id, answer: { namedRangeId: id, name, range: rangeAnswer } });
  batch.keepNames();
  return {};
};

export const deleteNamedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['namedRangeId'], place);
  const id = text(members, 'namedRangeId', place) ?? '';
  const index = batch.names();
  const { name, scope } = find(index, id);
  removeId(batch, id);
  batch.add({ kind: 'deleteName', name, ...(scope !== undefined && { scope }) });
  index.delete(id);
  batch.keepNames();
  return {};
};
