import type { Edit, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { quoteName } from '../a1.ts';
import {
  commitCall,
  type GoogleAnswer,
  type GoogleCall,
  type GoogleMethod,
  requireCallDocument,
  requireRequestBody,
  toJsonAnswer,
  WRITES,
} from '../call.ts';
import { isRequestObject, readList, readObjects, readText } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { resolveFilters } from '../sheets/filters.ts';
import { refuseProtectedArea } from '../sheets/protected-ranges.ts';
import { formatResolvedRange, type ResolvedRange, resolveA1 } from '../sheets/resolve.ts';
import { refuseTooManyRanges } from './read-methods.ts';

/** Clears the values of ranges in one revision, and returns the ranges. */
async function clearResolvedRanges(
  call: GoogleCall,
  resolve: (snapshot: Snapshot, access: DocumentAccess) => readonly ResolvedRange[],
): Promise<readonly string[]> {
  let cleared: readonly string[] = [];
  await commitCall(call, ({ snapshot }, access) => {
    const places = resolve(snapshot, access);
    for (const { sheet, range } of places) refuseProtectedArea(sheet, range, access);
    cleared = places.map(formatResolvedRange);
    return {
      edits: places.map(({ sheet, range }): Edit => ({ kind: 'clear', sheet: sheet.id, area: range })),
      describe: ({ outcomes }) => {
        const cells = outcomes.reduce((sum, outcome) => sum + outcome.cells, 0);
        return { body: {}, notes: [{ action: 'clear', range: cleared.length === 1 ? (cleared[0] ?? '') : '', cells }] };
      },
    };
  });
  return cleared;
}

/** POST `values/{range}:clear`. */
export const clearValues: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call, { range = '' }) {
    const bodyRange = isRequestObject(call.body)
      ? readText(requireRequestBody(call, ['range']), 'range', '')
      : undefined;
    const [clearedRange] = await clearResolvedRanges(call, (snapshot) => [
      resolveClearedRange(snapshot, range, bodyRange),
    ]);
    return toJsonAnswer({ spreadsheetId: requireCallDocument(call).documentId, clearedRange });
  },
};

/** The range in the path. The body may repeat it; a sheet's name may be quoted in the path alone. */
function resolveClearedRange(snapshot: Snapshot, range: string, bodyRange: string | undefined): ResolvedRange {
  const resolved = resolveA1(snapshot, range);
  if (bodyRange === undefined || bodyRange === range || quoteName(bodyRange) === range || `'${bodyRange}'` === range)
    return resolved;
  const [pathText, bodyText] = [formatResolvedRange(resolved), formatResolvedRange(resolveA1(snapshot, bodyRange))];
  if (pathText !== bodyText)
    throw createInvalidProblem(`Request range[${pathText}] does not match value's range[${bodyText}]`);
  return resolved;
}

export const batchClearValues: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call) {
    const body = requireRequestBody(call, ['ranges']);
    const ranges = (readList(body, 'ranges', '') ?? []).map(String);
    refuseTooManyRanges(ranges.length);
    return clearRanges(call, (snapshot) => ranges.map((range) => resolveA1(snapshot, range)));
  },
};

export const batchClearByDataFilter: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call) {
    const body = requireRequestBody(call, ['dataFilters']);
    const filters = readObjects(body, 'dataFilters', '') ?? [];
    return clearRanges(call, (snapshot, access) => resolveFilters(snapshot, filters, access).map(({ place }) => place));
  },
};

/** Clears the values of the ranges that `resolve` returns, and answers with their names. */
async function clearRanges(
  call: GoogleCall,
  resolve: (snapshot: Snapshot, access: DocumentAccess) => readonly ResolvedRange[],
): Promise<GoogleAnswer> {
  const clearedRanges = await clearResolvedRanges(call, resolve);
  return toJsonAnswer({
    spreadsheetId: requireCallDocument(call).documentId,
    ...(clearedRanges.length > 0 && { clearedRanges }),
  });
}
