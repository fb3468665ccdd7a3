import type { Area, Edit } from '@cellwire/engine';
import type { Mask } from '../field-mask.ts';
import { integer, object, type RequestObject, refuseUnknown } from '../json.ts';
import { invalid } from '../problem.ts';
import { newObjectId, objectsOf, type StoredObject } from '../sheets/state.ts';
import type { RequestBatch, RequestHandler, WorkingSheet } from './state.ts';

/** The edit that stores an object under its key; null removes it. */
export function storeObject(
  sheet: WorkingSheet,
  attachment: string,
  key: string,
  areas: readonly Area[],
  value: object | null,
): Edit {
  const attachments = value === null ? [] : [{ areas, texts: [key, JSON.stringify(value)] }];
  return { kind: 'attach', sheet: sheet.id, attachment, key, within: null, attachments };
}

interface FoundObject {
  readonly sheet: WorkingSheet;
  readonly stored: StoredObject;
}

/** A stored object by its id. Throws if there is none. */
export function findObject(batch: RequestBatch, kind: string, id: number, label: string): FoundObject {
  const snapshot = batch.currentState();
  for (const sheet of batch.sheets) {
    const cells = snapshot.sheetById(sheet.id);
    const stored = cells && objectsOf(cells, kind).find(({ key }) => key === String(id));
    if (stored) return { sheet, stored };
  }
  throw invalid(`No ${label} with id: ${id}`);
}

/** The id of a new object: chosen by the caller, or a free one. */
export function chosenId(members: RequestObject, name: string, place: string): number {
  return integer(members, name, place) || newObjectId();
}

/** The cells named by the member `range`. */
export function rangeOfObject(
  batch: RequestBatch,
  members: RequestObject,
  place: string,
): { readonly sheet: WorkingSheet; readonly area: Area } {
  const range = object(members, 'range', place);
  if (range === undefined) throw invalid('range is required.');
  const { sheet, range: area } = batch.range(range, `${place}.range`);
  return { sheet, area };
}

/** A stored object whose members named by the mask are replaced by those of the request. */
export function updatedObject(stored: RequestObject, sent: RequestObject, mask: Mask): RequestObject {
  if (mask === null) return sent;
  const next: Record<string, unknown> = { ...stored };
  for (const name of mask.keys()) {
    if (sent[name] === undefined) delete next[name];
    else next[name] = sent[name];
  }
  return next;
}

/** A request that deletes a stored object by its id. */
export function deleteById(kind: string, member: string, label: string): RequestHandler {
  return (batch, members, place) => {
    refuseUnknown(members, [member], place);
    const id = integer(members, member, place) ?? 0;
    const { sheet } = findObject(batch, kind, id, label);
    batch.guardSheet(sheet);
    batch.add(storeObject(sheet, kind, String(id), [], null));
    return {};
  };
}
