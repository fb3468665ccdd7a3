import type { Revision } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { Items, readByOffset } from '../streams/items.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, QueryOptions } from './types.ts';

const REVISIONS_A_PAGE = 200;

/** The revisions of a document. */
export class History extends Resource {
  /** Lists the stored revisions, the newest first, or one page with `offset` or `limit`. */
  list(options: QueryOptions<'listRevisions'> = {}): Items<Revision> {
    const { offset, limit } = options;
    const page = async (query: object) =>
      (await this.getJson<Answer<'listRevisions'>>('', { ...options, ...query })).revisions;
    if (offset === undefined && limit === undefined) {
      const next = (from: number) => page({ offset: from, limit: REVISIONS_A_PAGE });
      return new Items(() => readByOffset(next, ({ revision }) => revision, options));
    }
    return new Items(async function* () {
      yield* (await page({})).entries;
    });
  }

  /** Gives a revision a name. A named revision is never deleted because of its age. */
  name(
    revision: number | string,
    name: string,
    options: BodyOptions<'nameRevision', 'name'> = {},
  ): Promise<Answer<'nameRevision'>> {
    return this.sendWrite('PUT', joinPath(revision), { name }, options);
  }

  /** Undoes a revision with a new commit. */
  undo(revision: number | string, options: BodyOptions<'undoRevision'> = {}): Promise<Answer<'undoRevision'>> {
    return this.sendWrite('POST', `${joinPath(revision)}/undo`, {}, options);
  }

  /** Restores the document to a revision with a new commit. */
  restore(
    revision: number | string,
    options: QueryOptions<'restoreRevision'> = {},
  ): Promise<Answer<'restoreRevision'>> {
    return this.sendWrite('POST', `${joinPath(revision)}/restore`, {}, options);
  }
}
