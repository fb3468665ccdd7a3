import type { Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GOOGLE_RANGES } from '../../limits/google.ts';
import { createViewerKey } from '../../service/cells/read-values.ts';
import { VALUES_HIDDEN } from '../../service/refusal.ts';
import {
  type GoogleMethod,
  openCallReading,
  READS,
  requireCallDocument,
  requireRequestBody,
  toJsonAnswer,
} from '../call.ts';
import { readObjects } from '../json.ts';
import { createInvalidProblem, toProblem } from '../problem.ts';
import { resolveFilters } from '../sheets/filters.ts';
import { type ResolvedRange, resolveA1 } from '../sheets/resolve.ts';
import { parseValueOptions } from './options.ts';
import { type GoogleValueRange, readValues, type ValueOptions, writeValuesText } from './read.ts';
import { ValuesCache } from './values-cache.ts';

const cachedValues = new ValuesCache();

/** Throws a `Problem` if the caller may not see the values of the sheet. */
export function refuseHiddenValues({ sheet }: ResolvedRange, access: DocumentAccess): void {
  if (access.hiddenSheets.has(sheet.id)) throw toProblem(VALUES_HIDDEN);
}

export async function readValueRange(
  snapshot: Snapshot,
  target: ResolvedRange,
  options: ValueOptions,
  access: DocumentAccess,
): Promise<GoogleValueRange> {
  refuseHiddenValues(target, access);
  return runInSlices(readValues(snapshot, target, options));
}

/** `values/{range}`. */
export const getValues: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call, { range = '' }) {
    const options = parseValueOptions((name) => call.query.get(name));
    const access = requireCallDocument(call);
    const reading = await openCallReading(call);
    const key = `${access.documentId} ${createViewerKey(access, reading)} ${JSON.stringify([range, options])}`;
    const cached = cachedValues.findText(key);
    if (cached !== null) return { kind: 'text', text: cached };
    const { snapshot } = reading;
    const place = resolveA1(snapshot, range);
    refuseHiddenValues(place, access);
    const text = Buffer.from(await runInSlices(writeValuesText(snapshot, place, options, access.documentId)));
    cachedValues.cacheText(key, text);
    return { kind: 'text', text };
  },
};

/** `values:batchGet`. One unreadable range fails the whole request. */
export const batchGetValues: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const options = parseValueOptions((name) => call.query.get(name));
    const ranges = call.query.getAll('ranges');
    refuseTooManyRanges(ranges.length);
    const { snapshot } = await openCallReading(call);
    const places = ranges.map((range) => resolveA1(snapshot, range));
    const valueRanges: GoogleValueRange[] = [];
    for (const place of places)
      valueRanges.push(await readValueRange(snapshot, place, options, requireCallDocument(call)));
    return toJsonAnswer({
      spreadsheetId: requireCallDocument(call).documentId,
      ...(valueRanges.length > 0 && { valueRanges }),
    });
  },
};

export const batchGetByDataFilter: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const members = ['dataFilters', 'majorDimension', 'valueRenderOption', 'dateTimeRenderOption'];
    const body = requireRequestBody(call, members);
    const options = parseValueOptions((name) => body[name]);
    const { snapshot } = await openCallReading(call);
    const found = resolveFilters(snapshot, readObjects(body, 'dataFilters', '') ?? [], requireCallDocument(call));
    refuseTooManyRanges(found.length);
    const valueRanges: object[] = [];
    for (const { place, filters } of found) {
      const range = await readValueRange(snapshot, place, options, requireCallDocument(call));
      valueRanges.push({ valueRange: range, dataFilters: filters });
    }
    return toJsonAnswer({
      spreadsheetId: requireCallDocument(call).documentId,
      ...(valueRanges.length > 0 && { valueRanges }),
    });
  },
};

export function refuseTooManyRanges(count: number): void {
  if (count > MAX_GOOGLE_RANGES) throw createInvalidProblem(`A request can name ${MAX_GOOGLE_RANGES} ranges at most.`);
}
