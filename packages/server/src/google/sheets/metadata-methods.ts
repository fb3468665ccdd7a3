import {
  type GoogleMethod,
  READS,
  readSnapshot,
  requireCallDocument,
  requireRequestBody,
  toJsonAnswer,
} from '../call.ts';
import { readObjects } from '../json.ts';
import { createInvalidProblem, NOT_FOUND, Problem } from '../problem.ts';
import { readVisibleMetadata, toMetadataAnswer } from './metadata.ts';
import { matchesLookup, readLookup } from './metadata-lookup.ts';

/** GET `developerMetadata/{id}`. */
export const getMetadata: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call, { metadataId = '' }) {
    const snapshot = await readSnapshot(call);
    const found = readVisibleMetadata(snapshot, requireCallDocument(call)).find(({ id }) => String(id) === metadataId);
    if (found === undefined) throw new Problem(404, NOT_FOUND);
    return toJsonAnswer(toMetadataAnswer(found));
  },
};

/** POST `developerMetadata:search`. */
export const searchMetadata: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const body = requireRequestBody(call, ['dataFilters']);
    const filters = (readObjects(body, 'dataFilters', '') ?? []).map((filter, i) => {
      const lookup = readLookup(filter, `data_filters[${i}]`);
      if (lookup === undefined)
        throw createInvalidProblem('Only developerMetadataLookup can search developer metadata.');
      return { filter, lookup };
    });
    const snapshot = await readSnapshot(call);
    const matched = readVisibleMetadata(snapshot, requireCallDocument(call)).flatMap((metadata) => {
      const found = filters.filter(({ lookup }) => matchesLookup(metadata, lookup)).map(({ filter }) => filter);
      return found.length === 0 ? [] : [{ developerMetadata: toMetadataAnswer(metadata), dataFilters: found }];
    });
    return toJsonAnswer(matched.length === 0 ? {} : { matchedDeveloperMetadata: matched });
  },
};
