import { bodyOf, documentOf, type GoogleMethod, json, READS, snapshotOf } from '../call.ts';
import { object, objects, refuseUnknown } from '../json.ts';
import { invalid, NOT_FOUND, Problem } from '../problem.ts';
import { isMatch, metadataAnswer, visibleMetadata } from './metadata.ts';

/** GET `developerMetadata/{id}`. */
export const getMetadata: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call, { metadataId = '' }) {
    const snapshot = await snapshotOf(call);
    const found = visibleMetadata(snapshot, documentOf(call)).find(({ id }) => String(id) === metadataId);
    if (found === undefined) throw new Problem(404, NOT_FOUND);
    return json(metadataAnswer(found));
  },
};

/** POST `developerMetadata:search`. */
export const searchMetadata: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const body = bodyOf(call);
    refuseUnknown(body, ['dataFilters'], '');
    const filters = objects(body, 'dataFilters', '') ?? [];
    const snapshot = await snapshotOf(call);
    const matched = visibleMetadata(snapshot, documentOf(call)).flatMap((metadata) => {
      const found = filters.filter((filter) => {
        const lookup = object(filter, 'developerMetadataLookup', 'data_filters');
        if (lookup === undefined) throw invalid('Only developerMetadataLookup can search developer metadata.');
        return isMatch(metadata, lookup);
      });
      return found.length === 0 ? [] : [{ developerMetadata: metadataAnswer(metadata), dataFilters: found }];
    });
    return json(matched.length === 0 ? {} : { matchedDeveloperMetadata: matched });
  },
};
