import type { CommitNumber, Database } from '@cellwire/store';
import { listedDocuments } from '@cellwire/store/documents';
import { BoundedMap } from '../../access/bounded-map.ts';
import type { Caller } from '../../access/callers.ts';
import { MAX_COMMITS_SINCE_LIST, MAX_PROPOSALS_OF_LISTS, MAX_REMEMBERED_LISTS } from '../../limits/documents.ts';

/** Filter members of the query. */
type ListFilter = Readonly<Record<'type' | 'permission', string | undefined>>;

/** A version of everything that lists depend on. */
interface ListMoment {
  /** The access epoch; it changes with owners, shares, deleted documents, and titles. */
  readonly epoch: number;
  readonly commit: CommitNumber;
  readonly openProposals: string;
}

interface RememberedList {
  readonly hash: string;
  readonly moment: ListMoment;
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
  private readonly lists = new BoundedMap<RememberedList>(MAX_REMEMBERED_LISTS);

  constructor({ database, clock }: ListHashesContext) {
    this.database = database;
    this.clock = clock;
  }

  /**
   * The current version; call it before the list is read. Null: lists of this caller are not remembered, because the
   * commits are unknown or the token is limited to documents.
   */
  currentMoment({ epoch, documents }: Caller): ListMoment | null {
    const { commitNumbers } = this.database;
    if (commitNumbers === null || documents !== null) return null;
    const commit = commitNumbers.newest();
    const openProposals = commitNumbers.openProposals(this.clock(), MAX_PROPOSALS_OF_LISTS);
    return openProposals === null ? null : { epoch, commit, openProposals };
  }

  remember(caller: Caller, shown: ListFilter, list: RememberedList): void {
    this.lists.set(keyOf(caller, shown), list);
  }

  /** The hash of a list that is certainly unchanged; null: the list must be read. */
  async unchangedHash(caller: Caller, shown: ListFilter): Promise<string | null> {
    const remembered = this.lists.get(keyOf(caller, shown));
    const now = remembered === undefined ? null : this.currentMoment(caller);
    if (remembered === undefined || now === null) return null;
    const { hash, moment } = remembered;
    if (moment.epoch !== now.epoch || moment.openProposals !== now.openProposals) return null;
    if (await this.hasChangedSince(moment.commit, caller.userId)) return null;
    this.remember(caller, shown, { hash, moment: now });
    return hash;
  }

  /** True if a document that a user may open was written or created after a commit, or if the check takes too long. */
  private async hasChangedSince(commit: CommitNumber, user: number): Promise<boolean> {
    const only = this.database.commitNumbers?.documentsSince(commit, MAX_COMMITS_SINCE_LIST);
    if (!only) return true;
    if (only.length === 0) return false;
    const filter = { user, roles: null, type: null, only, now: this.clock() };
    const newestDocument = await this.database.readOne(listedDocuments(filter, { until: null, after: null, limit: 1 }));
    return newestDocument !== null;
  }
}

function keyOf({ userId }: Caller, { type, permission }: ListFilter): string {
  return JSON.stringify([userId, type ?? null, permission ?? null]);
}
