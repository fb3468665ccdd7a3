import type { Area, Snapshot } from '@cellwire/engine';
import { MAX_METADATA } from '../../limits/google.ts';
import type { PlanSteps } from '../call.ts';
import { includesPath } from '../field-mask.ts';
import {
  type RequestObject,
  readFlag,
  readInteger,
  readObject,
  readObjects,
  readText,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import {
  type Metadata,
  readMetadata,
  readVisibleMetadata,
  type StoredMetadata,
  toLineSpan,
  toMetadataAnswer,
  toWholeLineArea,
} from '../sheets/metadata.ts';
import { matchesLookup, readLookup } from '../sheets/metadata-lookup.ts';
import { createObjectId, KINDS } from '../sheets/state.ts';
import { parseDimensionRange } from './dimension-range.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

const MEMBERS = ['metadataId', 'metadataKey', 'metadataValue', 'location', 'visibility'];
const VISIBILITIES = ['DOCUMENT', 'PROJECT'];

interface MetadataLocation {
  readonly sheet: WorkingSheet;
  readonly areas: readonly Area[];
  readonly location: StoredMetadata['location'];
}

function parseLocation(batch: RequestBatch, location: RequestObject | undefined, path: string): MetadataLocation {
  if (location === undefined) throw createInvalidProblem('developerMetadata.location is required.');
  refuseUnknownMembers(location, ['locationType', 'spreadsheet', 'sheetId', 'dimensionRange'], path);
  const range = readObject(location, 'dimensionRange', path);
  if (range !== undefined) {
    const { sheet, axis, first, last } = parseDimensionRange(batch, range, `${path}.dimension_range`);
    if (first !== last) throw createInvalidProblem('Developer metadata can only be put on a single row or column.');
    return { sheet, areas: [toWholeLineArea(axis, first, last)], location: axis };
  }
  if (readFlag(location, 'spreadsheet', path)) {
    return { sheet: batch.sheets[0] as WorkingSheet, areas: [], location: 'spreadsheet' };
  }
  if (readInteger(location, 'sheetId', path) === undefined)
    throw createInvalidProblem('developerMetadata.location names no place.');
  return { sheet: batch.requireSheet(location, path), areas: [], location: 'sheet' };
}

/** Adds the edit that stores developer metadata on the sheet and areas of its location. */
function putMetadata(
  batch: RequestBatch,
  { sheet, areas, location }: MetadataLocation,
  stored: Omit<StoredMetadata, 'location'>,
): void {
  const key = String(stored.id);
  const attachments = [{ areas, texts: [key, JSON.stringify({ ...stored, location })] }];
  batch.addEdits({ kind: 'attach', sheet: sheet.id, attachment: KINDS.metadata, key, within: null, attachments });
}

/** The reply that contains the stored metadata with this id; empty if there is none. */
function describeMetadata(structure: Snapshot, id: number): object {
  const found = readMetadata(structure).find((one) => one.id === id);
  return found === undefined ? {} : { developerMetadata: toMetadataAnswer(found) };
}

/** Adds developer metadata to the document, a sheet, rows or columns. */
export const createDeveloperMetadata: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['developerMetadata'], path);
  const sent = readObject(members, 'developerMetadata', path);
  if (sent === undefined) throw createInvalidProblem('developerMetadata is required.');
  const at = `${path}.developer_metadata`;
  refuseUnknownMembers(sent, MEMBERS, at);
  const ids = yield* batch.readMetadataIds();
  if (ids.size >= MAX_METADATA)
    throw createInvalidProblem(`A spreadsheet can have ${MAX_METADATA} developer metadata at most.`);
  const id = readInteger(sent, 'metadataId', at) || createObjectId((each) => ids.has(each));
  if (ids.has(id)) throw createInvalidProblem(`Developer metadata with id ${id} already exists.`);
  const key = readText(sent, 'metadataKey', at) ?? '';
  if (key === '') throw createInvalidProblem('developerMetadata.metadataKey is required.');
  const location = parseLocation(batch, readObject(sent, 'location', at), `${at}.location`);
  const stored = { id, key, value: readText(sent, 'metadataValue', at) ?? '', visibility: parseVisibility(sent, at) };
  putMetadata(batch, location, stored);
  ids.add(id);
  batch.markMetadataIdsUpToDate();
  return {
    createDeveloperMetadata: { developerMetadata: toMetadataAnswer({ ...stored, ...describeLocation(location) }) },
  };
};

/**
 * The location as sheet id, axis and first and last line. The sheet id is null for the spreadsheet. The lines are null
 * for the spreadsheet and for a whole sheet, whose axis means nothing.
 */
function describeLocation({ sheet, areas: [area], location }: MetadataLocation) {
  const axis = location === 'columns' ? ('columns' as const) : ('rows' as const);
  return {
    sheetId: location === 'spreadsheet' ? null : sheet.sheetId,
    axis,
    lines: area === undefined ? null : toLineSpan(area, axis),
  };
}

function parseVisibility(metadata: RequestObject, path: string): string {
  const visibility = readText(metadata, 'visibility', path) ?? '';
  if (!VISIBILITIES.includes(visibility))
    throw createInvalidProblem('developerMetadata.visibility must be DOCUMENT or PROJECT.');
  return visibility;
}

/** The metadata visible to the caller that match at least one of the filters. */
function* selectMetadata(
  batch: RequestBatch,
  filters: readonly RequestObject[],
  path: string,
): PlanSteps<readonly Metadata[]> {
  const lookups = filters.map((filter) => {
    const lookup = readLookup(filter, `${path}.data_filters`);
    if (lookup === undefined) throw createInvalidProblem('A data filter must be a developerMetadataLookup here.');
    return lookup;
  });
  const all = readVisibleMetadata(yield* batch.readStructure(), batch.access);
  return all.filter((one) => lookups.some((lookup) => matchesLookup(one, lookup)));
}

/** Changes all developer metadata that match at least one of the filters. */
export const updateDeveloperMetadata: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['dataFilters', 'developerMetadata', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, MEMBERS);
  const sent = readObject(members, 'developerMetadata', path) ?? {};
  const at = `${path}.developer_metadata`;
  refuseUnknownMembers(sent, MEMBERS, at);
  const found = yield* selectMetadata(batch, readObjects(members, 'dataFilters', path) ?? [], path);
  for (const one of found) {
    const isReplaced = (name: string) => includesPath(mask, name) && (mask !== null || sent[name] !== undefined);
    const next = {
      id: one.id,
      key: isReplaced('metadataKey') ? (readText(sent, 'metadataKey', at) ?? '') : one.key,
      value: isReplaced('metadataValue') ? (readText(sent, 'metadataValue', at) ?? '') : one.value,
      visibility: isReplaced('visibility') ? parseVisibility(sent, at) : one.visibility,
    };
    const current = toMetadataLocation(batch, one);
    const location = isReplaced('location')
      ? parseLocation(batch, readObject(sent, 'location', at), `${at}.location`)
      : current;
    if (location.sheet.id !== current.sheet.id) removeMetadata(batch, one);
    putMetadata(batch, location, next);
  }
  const structure = yield* batch.readStructure();
  return { updateDeveloperMetadata: toMetadataReply(found.map(({ id }) => describeMetadata(structure, id))) };
};

/** Where stored metadata is: the sheet that holds it, and its rows or columns as areas. */
function toMetadataLocation(batch: RequestBatch, { holder, sheet, axis, lines }: Metadata): MetadataLocation {
  const home = batch.sheets.find(({ id }) => id === holder.id) as WorkingSheet;
  if (sheet === null) return { sheet: home, areas: [], location: 'spreadsheet' };
  if (lines === null) return { sheet: home, areas: [], location: 'sheet' };
  return { sheet: home, areas: [toWholeLineArea(axis, lines.first, lines.last)], location: axis };
}

/** Adds the edit that deletes the metadata from the sheet that holds it. */
function removeMetadata(batch: RequestBatch, { id, holder }: Metadata): void {
  const key = String(id);
  batch.addEdits({ kind: 'attach', sheet: holder.id, attachment: KINDS.metadata, key, within: null, attachments: [] });
}

/** Joins replies with one `developerMetadata` each into one reply with a list. */
function toMetadataReply(list: readonly object[]): object {
  const developerMetadata = list.flatMap((one) => ('developerMetadata' in one ? [one.developerMetadata] : []));
  return developerMetadata.length === 0 ? {} : { developerMetadata };
}

/** Deletes all developer metadata that match a filter. */
export const deleteDeveloperMetadata: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['dataFilter'], path);
  const filter = readObject(members, 'dataFilter', path);
  if (filter === undefined) throw createInvalidProblem('dataFilter is required.');
  const found = yield* selectMetadata(batch, [filter], path);
  const shown = found.map((one) => ({ developerMetadata: toMetadataAnswer(one) }));
  for (const one of found) removeMetadata(batch, one);
  return {
    deleteDeveloperMetadata: { deletedDeveloperMetadata: shown.map(({ developerMetadata }) => developerMetadata) },
  };
};
