import type { Area, Edit } from '@cellwire/engine';
import type { PlanSteps } from '../call.ts';
import type { FieldMask } from '../field-mask.ts';
import { type RequestObject, readInteger, readObject, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { createObjectId, listAttachments, readStoredObjects, type StoredObject } from '../sheets/state.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

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
export function* findObject(batch: RequestBatch, kind: string, id: number, label: string): PlanSteps<FoundObject> {
  const snapshot = yield* batch.readStructure();
  for (const sheet of batch.sheets) {
    const cells = snapshot.sheetById(sheet.id);
    const stored = cells && readStoredObjects(cells, kind).find(({ key }) => key === String(id));
    if (stored) return { sheet, stored };
  }
  throw createInvalidProblem(`No ${label} with id: ${id}`);
}

/** The id of a new object: chosen by the caller in the member `name`, or a free one. Throws if the chosen one is taken. */
export function* chooseObjectId(
  batch: RequestBatch,
  kind: string,
  label: string,
  members: RequestObject,
  name: string,
  path: string,
): PlanSteps<number> {
  const isTaken = yield* readTakenIds(batch, kind);
  const chosen = readInteger(members, name, path);
  if (chosen && isTaken(chosen)) throw createInvalidProblem(`A ${label} with id ${chosen} already exists.`);
  return chosen || createObjectId(isTaken);
}

/** Returns a test for the ids of all stored objects of a kind. */
export function* readTakenIds(batch: RequestBatch, kind: string): PlanSteps<(id: number) => boolean> {
  const snapshot = yield* batch.readStructure();
  const keys = new Set(
    batch.sheets.flatMap((sheet) => {
      const cells = snapshot.sheetById(sheet.id);
      return cells ? listAttachments(cells, kind).map(({ texts: [key] }) => key) : [];
    }),
  );
  return (id) => keys.has(String(id));
}

/** The cells named by the member `range`. */
export function parseObjectRange(
  batch: RequestBatch,
  members: RequestObject,
  path: string,
): { readonly sheet: WorkingSheet; readonly area: Area } {
  const range = readObject(members, 'range', path);
  if (range === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range: area } = batch.parseRange(range, `${path}.range`);
  return { sheet, area };
}

/** A stored object in which the request replaces the members that the mask names. */
export function mergeObject(stored: RequestObject, update: RequestObject, mask: FieldMask): RequestObject {
  if (mask === null) return update;
  const next: Record<string, unknown> = { ...stored };
  for (const name of mask.keys()) {
    if (update[name] === undefined) delete next[name];
    else next[name] = update[name];
  }
  return next;
}

/** A request that deletes a stored object by its id. */
export function createDeleteHandler(kind: string, member: string, label: string): RequestHandler {
  return function* (batch, members, place): RequestSteps {
    refuseUnknownMembers(members, [member], place);
    const id = readInteger(members, member, place) ?? 0;
    const { sheet } = yield* findObject(batch, kind, id, label);
    batch.refuseProtectedSheet(sheet);
    batch.addEdits(storeObject(sheet, kind, String(id), [], null));
    return {};
  };
}
