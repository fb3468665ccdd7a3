import type { Database, StoreCommitPosition } from '@cellwire/store';
import { listedDocuments } from '@cellwire/store/documents';
import { BoundedMap } from '../../access/bounded-map.ts';
import type { Caller } from '../../access/callers.ts';
import { MAX_COMMITS_SINCE_LIST, MAX_PROPOSALS_OF_LISTS, MAX_REMEMBERED_LISTS } from '../../limits/documents.ts';

/** Filter members of the query. */
type ListFilter = Readonly<Record<'type' | 'permission', string | undefined>>;

/** A version of everything that lists depend on. */
interface ListVersion {
  /** The access epoch; it changes with owners, shares, deleted documents, and titles. */
  readonly epoch: number;
  readonly position: StoreCommitPosition;
  readonly openProposals: string;
}

interface CachedList {
  readonly hash: string;
  readonly moment: ListVersion;
}

interface ListHashesContext {
  readonly database: Database;
  readonly clock: () => number;
}

/**
 * Hashes of the lists that were sent. The commits since then decide if a list is still the same, so a repeated request
 * of a caller with a hundred thousand documents costs almost nothing.
 */
export class ListHashes {
  private readonly database: Database;
  private readonly clock: () => number;
  private readonly lists = new BoundedMap<CachedList>(MAX_REMEMBERED_LISTS);

  constructor({ database, clock }: ListHashesContext) {
    this.database = database;
    this.clock = clock;
  }

  /**
   * The current version of the lists; call it before the list is read. Null: lists of this caller are not remembered,
   * because the token is limited to documents or too many proposals are open.
   */
  async readCurrentVersion({ epoch, documents }: Caller): Promise<ListVersion | null> {
    if (documents !== null) return null;
    const { position, openProposals } = await this.readChangesSince(null);
    return openProposals === null ? null : { epoch, position, openProposals };
  }

  cacheList(caller: Caller, filter: ListFilter, list: CachedList): void {
    this.lists.set(formatListKey(caller, filter), list);
  }

  /** The hash of a list that is certainly unchanged; null: the list must be read. */
  async findUnchangedHash(caller: Caller, filter: ListFilter): Promise<string | null> {
    const { epoch, userId } = caller;
    const known = this.lists.get(formatListKey(caller, filter));
    if (known === undefined || caller.documents !== null) return null;
    const { hash, moment } = known;
    if (moment.epoch !== epoch) return null;
    const { position, openProposals, documents } = await this.readChangesSince(moment.position);
    if (openProposals !== moment.openProposals || documents === null) return null;
    if (documents.length > 0 && (await this.canOpenAnyDocument(userId, documents))) return null;
    this.cacheList(caller, filter, { hash, moment: { epoch, position, openProposals } });
    return hash;
  }

  /** The documents that changed after a position, if they are few enough to be compared with a list. */
  private readChangesSince(since: StoreCommitPosition | null) {
    return this.database.commitPositions.changesSince({
      since,
      now: this.clock(),
      maxCommits: MAX_COMMITS_SINCE_LIST,
      maxProposals: MAX_PROPOSALS_OF_LISTS,
    });
  }

  /** True if the user can open at least one of the documents. */
  private async canOpenAnyDocument(user: number, only: readonly string[]): Promise<boolean> {
    const filter = { user, roles: null, type: null, title: null, only, now: this.clock() };
    const found = await this.database.readOne(listedDocuments(filter, { until: null, after: null, limit: 1 }));
    return found !== null;
  }
}

function formatListKey({ userId }: Caller, { type, permission }: ListFilter): string {
  return JSON.stringify([userId, type ?? null, permission ?? null]);
}
