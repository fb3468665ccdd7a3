import type { Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GOOGLE_RANGES } from '../../limits/google.ts';
import { viewerKey } from '../../service/cells/read-values.ts';
import { VALUES_HIDDEN } from '../../service/refusal.ts';
import { bodyOf, documentOf, type GoogleMethod, json, READS, readingOf } from '../call.ts';
import { objects, refuseUnknown } from '../json.ts';
import { invalid, problemOf } from '../problem.ts';
import { resolveFilters } from '../sheets/filters.ts';
import { type ResolvedRange, resolveA1 } from '../sheets/resolve.ts';
import { KeptValues } from './kept.ts';
import { optionsOf } from './options.ts';
import { type GoogleValueRange, readValues, type ValueOptions, valuesText } from './read.ts';

const cachedValues = new KeptValues();

export function refuseHidden({ sheet }: ResolvedRange, access: DocumentAccess): void {
  if (access.hiddenSheets.has(sheet.id)) throw problemOf(VALUES_HIDDEN);
}

export async function valueRange(
  snapshot: Snapshot,
  place: ResolvedRange,
  options: ValueOptions,
  access: DocumentAccess,
): Promise<GoogleValueRange> {
  refuseHidden(place, access);
  return runInSlices(readValues(snapshot, place, options));
}

/** `values/{range}`. */
export const getValues: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call, { range = '' }) {
    const options = optionsOf((name) => call.query.get(name));
    const access = documentOf(call);
    const reading = await readingOf(call);
    const key = `${access.documentId} ${viewerKey(access, reading)} ${JSON.stringify([range, options])}`;
    const cached = cachedValues.find(key);
    if (cached !== null) return { kind: 'text', text: cached };
    const { snapshot } = reading;
    const place = resolveA1(snapshot, range);
    refuseHidden(place, access);
    const text = Buffer.from(await runInSlices(valuesText(snapshot, place, options, access.documentId)));
    cachedValues.keep(key, text);
    return { kind: 'text', text };
  },
};

/** `values:batchGet`. One unreadable range fails the whole request. */
export const batchGetValues: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const options = optionsOf((name) => call.query.get(name));
    const ranges = call.query.getAll('ranges');
    refuseMany(ranges.length);
    const { snapshot } = await readingOf(call);
    const places = ranges.map((range) => resolveA1(snapshot, range));
    const valueRanges: GoogleValueRange[] = [];
    for (const place of places) valueRanges.push(await valueRange(snapshot, place, options, documentOf(call)));
    return json({ spreadsheetId: documentOf(call).documentId, ...(valueRanges.length > 0 && { valueRanges }) });
  },
};

export const batchGetByDataFilter: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const body = bodyOf(call);
    refuseUnknown(body, ['dataFilters', 'majorDimension', 'valueRenderOption', 'dateTimeRenderOption'], '');
    const options = optionsOf((name) => body[name]);
    const { snapshot } = await readingOf(call);
    const found = resolveFilters(snapshot, objects(body, 'dataFilters', '') ?? [], documentOf(call));
    refuseMany(found.length);
    const valueRanges: object[] = [];
    for (const { place, filters } of found) {
      const range = await valueRange(snapshot, place, options, documentOf(call));
      valueRanges.push({ valueRange: range, dataFilters: filters });
    }
    return json({ spreadsheetId: documentOf(call).documentId, ...(valueRanges.length > 0 && { valueRanges }) });
  },
};

export function refuseMany(count: number): void {
  if (count > MAX_GOOGLE_RANGES) throw invalid(`A request can name ${MAX_GOOGLE_RANGES} ranges at most.`);
}
