import type { Rights } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { Database } from '@cellwire/store';
import { accessEpoch } from '@cellwire/store/accounts';
import { accessDocument, protectionsOf, sharedWith } from '@cellwire/store/documents';

const EPOCH = accessEpoch({});

/** What decides who sees which sheets of a document. */
export interface Sharing {
  readonly ownerId: number;
  /** Users that it is shared with, in whatever role. */
  readonly sharedWith: readonly number[];
  readonly protections: readonly SheetProtection[];
}

interface SheetProtection {
  readonly sheet: number;
  readonly hideValues: boolean;
  /** Users who see and edit it all the same, while the document is shared with them. */
  readonly allowed: readonly number[];
}

/** For whom a state of the past is read. */
export interface Onlooker {
  /** Whose turn in the threads its calculation takes; null: nobody's who waits. */
  readonly user: number | null;
  /** Who sees which sheets now. */
  readonly rights: Rights;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/** A document's sharing at an access epoch. */
export interface SharingAt {
  readonly epoch: number;
  readonly sharing: Sharing;
  /** What follows from it. */
  readonly rights: Rights;
}

/** Who sees which sheets. Whose share has ended sees no hidden one, whatever the protection says. */
export function rightsOf({ ownerId, sharedWith, protections }: Sharing): Rights {
  const hidden = protections
    .filter(({ hideValues }) => hideValues)
    .map(({ sheet, allowed }) => ({ sheet, seenBy: allowed.filter((user) => sharedWith.includes(user)) }));
  return { owner: ownerId, hidden };
}

/** A document's sharing as the store has it. Of one that is not there any more it is nobody's. */
export async function readSharing(database: Database, id: string): Promise<SharingAt> {
  const place = { document_id: id };
  const [epochs, documents, shares, protections] = await database.readAll([
    accessEpoch({}),
    accessDocument({ id }),
    sharedWith(place),
    protectionsOf(place),
  ]);
  const sharing: Sharing = {
    ownerId: documents[0]?.owner_id ?? 0,
    sharedWith: shares.map(({ user_id }) => user_id),
    protections: protections.map((row) => ({
      sheet: row.sheet_id,
      hideValues: row.hide_values === 1,
      allowed: JSON.parse(row.allowed) as number[],
    })),
  };
  return { epoch: epochs[0]?.version ?? 0, sharing, rights: rightsOf(sharing) };
}

/** A document's sharing as the store has it, read again when the access epoch has moved on. */
export class DocumentSharing {
  private readonly database: Database;
  private readonly id: string;
  private held: SharingAt | null = null;

  constructor(database: Database, id: string) {
    this.database = database;
    this.id = id;
  }

  /** As it was last read; null before that. */
  get known(): SharingAt | null {
    return this.held;
  }

  latest(): MaybePromise<SharingAt> {
    return mapMaybe(this.database.readLatest(EPOCH), (row) =>
      this.held !== null && this.held.epoch === row?.version ? this.held : this.load(),
    );
  }

  private async load(): Promise<SharingAt> {
    this.held = await readSharing(this.database, this.id);
    return this.held;
  }
}
