import { columnName, nameKey, nameProblem, quoteSheetName } from '@cellwire/engine';
import { names } from '../field-mask.ts';
import { object, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { gridRangeAnswer } from '../sheets/filters.ts';
import { type DefinedRange, hashNameId, namedRanges } from '../sheets/properties.ts';
import { KINDS, newObjectId } from '../sheets/state.ts';
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

function checkName(batch: RequestBatch, name: string, ownName: string | null): void {
  const problem = nameProblem(name);
  if (problem !== null) throw invalid(`Invalid name: ${name.slice(0, 100)}: ${problem}`);
  const key = nameKey(name);
  const isTaken = batch
    .currentState()
    .names.some((definedName) => nameKey(definedName.name) === key && definedName.name !== ownName);
  if (isTaken || batch.currentState().tables.some((table) => nameKey(table.name) === key)) {
    throw invalid(`A named range with the name "${name}" already exists.`);
  }
}

/** Stores the id of a name if it differs from the id derived from the name. */
function keepId(batch: RequestBatch, { sheet }: WorkingRange, id: string, name: string): void {
  const attachments = id === hashNameId(name) ? [] : [{ areas: [], texts: [id, JSON.stringify({ name })] }];
  for (const { id: other } of batch.sheets) {
    const own = other === sheet.id ? attachments : [];
    batch.add({ kind: 'attach', sheet: other, attachment: KINDS.namedRange, key: id, within: null, attachments: own });
  }
}

export const addNamedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['namedRange'], place);
  const definition = object(members, 'namedRange', place);
  if (definition === undefined) throw invalid('namedRange is required.');
  const at = `${place}.named_range`;
  refuseUnknown(definition, ['namedRangeId', 'name', 'range'], at);
  const name = text(definition, 'name', at) ?? '';
  checkName(batch, name, null);
  const sent = object(definition, 'range', at);
  if (sent === undefined) throw invalid('namedRange.range is required.');
  const range = batch.range(sent, `${at}.range`);
  const id = text(definition, 'namedRangeId', at) || String(newObjectId());
  batch.add({ kind: 'setName', name, refersTo: refersTo(range), locale: 'en-US' });
  keepId(batch, range, id, name);
  const answer = { namedRangeId: id, name, range: gridRangeAnswer(range.sheet.sheetId, range.range) };
  return { addNamedRange: { namedRange: answer } };
};

function find(batch: RequestBatch, id: string): DefinedRange {
  const found = namedRanges(batch.currentState()).find((one) => one.id === id);
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
  const definedRange = find(batch, id);
  const newName = names(mask, 'name') ? text(definition, 'name', at) : undefined;
  const name = newName ?? definedRange.name;
  if (name !== definedRange.name) checkName(batch, name, definedRange.name);
  const sent = names(mask, 'range') ? object(definition, 'range', at) : undefined;
  const range = batch.range(sent ?? storedRangeOf(definedRange), `${at}.range`);
  if (name !== definedRange.name) batch.add({ kind: 'deleteName', name: definedRange.name });
  batch.add({ kind: 'setName', name, refersTo: refersTo(range), locale: 'en-US' });
  keepId(batch, range, id, name);
  return {};
};

function storedRangeOf({ answer }: DefinedRange): Readonly<Record<string, unknown>> {
  return (answer as { readonly range: Readonly<Record<string, unknown>> }).range;
}

export const deleteNamedRange: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['namedRangeId'], place);
  const id = text(members, 'namedRangeId', place) ?? '';
  const { name, sheet } = find(batch, id);
  const scope = name.includes('!') ? { scope: sheet.id } : {};
  batch.add({ kind: 'deleteName', name: name.slice(name.lastIndexOf('!') + 1), ...scope });
  for (const { id: other } of batch.sheets) {
    batch.add({ kind: 'attach', sheet: other, attachment: KINDS.namedRange, key: id, within: null, attachments: [] });
  }
  return {};
};
