import type { Area } from '@cellwire/engine';
import { MAX_METADATA } from '../../limits/google.ts';
import { names } from '../field-mask.ts';
import { flag, integer, object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import {
  isMatch,
  lineArea,
  linesOf,
  type Metadata,
  metadataAnswer,
  metadataOf,
  type StoredMetadata,
  visibleMetadata,
} from '../sheets/metadata.ts';
import { KINDS, newObjectId } from '../sheets/state.ts';
import { dimensionRange } from './dimension-range.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, WorkingSheet } from './state.ts';

const MEMBERS = ['metadataId', 'metadataKey', 'metadataValue', 'location', 'visibility'];
const VISIBILITIES = ['DOCUMENT', 'PROJECT'];

interface MetadataLocation {
  readonly sheet: WorkingSheet;
  readonly areas: readonly Area[];
  readonly location: StoredMetadata['location'];
}

function locationOf(batch: RequestBatch, sent: RequestObject | undefined, place: string): MetadataLocation {
  if (sent === undefined) throw invalid('developerMetadata.location is required.');
  refuseUnknown(sent, ['locationType', 'spreadsheet', 'sheetId', 'dimensionRange'], place);
  const range = object(sent, 'dimensionRange', place);
  if (range !== undefined) {
    const { sheet, axis, first, last } = dimensionRange(batch, range, `${place}.dimension_range`);
    if (first !== last) throw invalid('Developer metadata can only be put on a single row or column.');
    return { sheet, areas: [lineArea(axis, first, last)], location: axis };
  }
  if (flag(sent, 'spreadsheet', place)) {
    return { sheet: batch.sheets[0] as WorkingSheet, areas: [], location: 'spreadsheet' };
  }
  if (integer(sent, 'sheetId', place) === undefined) throw invalid('developerMetadata.location names no place.');
  return { sheet: batch.sheet(sent, place), areas: [], location: 'sheet' };
}

function put(
  batch: RequestBatch,
  { sheet, areas, location }: MetadataLocation,
  stored: Omit<StoredMetadata, 'location'>,
): void {
  const key = String(stored.id);
  const attachments = [{ areas, texts: [key, JSON.stringify({ ...stored, location })] }];
  batch.add({ kind: 'attach', sheet: sheet.id, attachment: KINDS.metadata, key, within: null, attachments });
}

function answerOf(batch: RequestBatch, id: number): object {
  const found = metadataOf(batch.currentState()).find((one) => one.id === id);
  return found === undefined ? {} : { developerMetadata: metadataAnswer(found) };
}

export const createDeveloperMetadata: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['developerMetadata'], place);
  const sent = object(members, 'developerMetadata', place);
  if (sent === undefined) throw invalid('developerMetadata is required.');
  const at = `${place}.developer_metadata`;
  refuseUnknown(sent, MEMBERS, at);
  const ids = batch.metadataIds();
  if (ids.size >= MAX_METADATA) throw invalid(`A spreadsheet can have ${MAX_METADATA} developer metadata at most.`);
  const id = integer(sent, 'metadataId', at) || newObjectId();
  if (ids.has(id)) throw invalid(`Developer metadata with id ${id} already exists.`);
  const key = text(sent, 'metadataKey', at) ?? '';
  if (key === '') throw invalid('developerMetadata.metadataKey is required.');
  const location = locationOf(batch, object(sent, 'location', at), `${at}.location`);
  const stored = { id, key, value: text(sent, 'metadataValue', at) ?? '', visibility: visibilityOf(sent, at) };
  put(batch, location, stored);
  ids.add(id);
  batch.keepMetadataIds();
  return { createDeveloperMetadata: { developerMetadata: metadataAnswer({ ...stored, ...shownLocation(location) }) } };
};

function shownLocation({ sheet, areas: [area], location }: MetadataLocation) {
  const axis = location === 'columns' ? ('columns' as const) : ('rows' as const);
  return {
    sheetId: location === 'spreadsheet' ? null : sheet.sheetId,
    axis,
    lines: area === undefined ? null : linesOf(area, axis),
  };
}

function visibilityOf(sent: RequestObject, place: string): string {
  const visibility = text(sent, 'visibility', place) ?? '';
  if (!VISIBILITIES.includes(visibility)) throw invalid('developerMetadata.visibility must be DOCUMENT or PROJECT.');
  return visibility;
}

/** The metadata visible to the caller that match a request's filters. */
function selectMetadata(batch: RequestBatch, filters: readonly RequestObject[], place: string): readonly Metadata[] {
  const all = visibleMetadata(batch.currentState(), batch.access);
  return all.filter((one) =>
    filters.some((filter) => {
      const lookup = object(filter, 'developerMetadataLookup', place);
      if (lookup === undefined) throw invalid('A data filter must be a developerMetadataLookup here.');
      return isMatch(one, lookup);
    }),
  );
}

export const updateDeveloperMetadata: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['dataFilters', 'developerMetadata', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, MEMBERS);
  const sent = object(members, 'developerMetadata', place) ?? {};
  const at = `${place}.developer_metadata`;
  refuseUnknown(sent, MEMBERS, at);
  const found = selectMetadata(batch, objects(members, 'dataFilters', place) ?? [], place);
  for (const one of found) {
    const isReplaced = (name: string) => names(mask, name) && (mask !== null || sent[name] !== undefined);
    const next = {
      id: one.id,
      key: isReplaced('metadataKey') ? (text(sent, 'metadataKey', at) ?? '') : one.key,
      value: isReplaced('metadataValue') ? (text(sent, 'metadataValue', at) ?? '') : one.value,
      visibility: isReplaced('visibility') ? visibilityOf(sent, at) : one.visibility,
    };
    const current = locationOfMetadata(batch, one);
    const location = isReplaced('location')
      ? locationOf(batch, object(sent, 'location', at), `${at}.location`)
      : current;
    if (location.sheet.id !== current.sheet.id) remove(batch, one);
    put(batch, location, next);
  }
  return { updateDeveloperMetadata: metadataReply(found.map(({ id }) => answerOf(batch, id))) };
};

function locationOfMetadata(batch: RequestBatch, { holder, sheet, axis, lines }: Metadata): MetadataLocation {
  const home = batch.sheets.find(({ id }) => id === holder.id) as WorkingSheet;
  if (sheet === null) return { sheet: home, areas: [], location: 'spreadsheet' };
  if (lines === null) return { sheet: home, areas: [], location: 'sheet' };
  return { sheet: home, areas: [lineArea(axis, lines.first, lines.last)], location: axis };
}

function remove(batch: RequestBatch, { id, holder }: Metadata): void {
  const key = String(id);
  batch.add({ kind: 'attach', sheet: holder.id, attachment: KINDS.metadata, key, within: null, attachments: [] });
}

function metadataReply(list: readonly object[]): object {
  const developerMetadata = list.flatMap((one) => ('developerMetadata' in one ? [one.developerMetadata] : []));
  return developerMetadata.length === 0 ? {} : { developerMetadata };
}

export const deleteDeveloperMetadata: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['dataFilter'], place);
  const filter = object(members, 'dataFilter', place);
  if (filter === undefined) throw invalid('dataFilter is required.');
  const found = selectMetadata(batch, [filter], place);
  const shown = found.map((one) => ({ developerMetadata: metadataAnswer(one) }));
  for (const one of found) remove(batch, one);
  return {
    deleteDeveloperMetadata: { deletedDeveloperMetadata: shown.map(({ developerMetadata }) => developerMetadata) },
  };
};
