import type { Rights } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { Database } from '@cellwire/store';
import { accessEpoch } from '@cellwire/store/accounts';
import { accessDocument, protectionsOf, sharedWith } from '@cellwire/store/documents';
import { parseStoredList } from '@cellwire/store/stored-forms';

const EPOCH = accessEpoch({});

/** Inputs of the decision who sees which sheets of a document. */
export interface SharingInputs {
  readonly ownerId: number;
  /** Users with whom the document is shared, in any role. */
  readonly sharedWith: readonly number[];
  readonly protections: readonly ProtectedSheet[];
}

interface ProtectedSheet {
  readonly sheet: number;
  readonly hideValues: boolean;
  /** Users who may see and edit the protected sheet while the document is shared with them. */
  readonly allowed: readonly number[];
}

/** The user for whom a past state is read. */
export interface StateViewer {
  /** The user who pays for the calculation; null: the service. */
  readonly user: number | null;
  /** Which users see which sheets, at present. */
  readonly rights: Rights;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/** A document's sharing at an access epoch. */
export interface SharingAtEpoch {
  readonly epoch: number;
  readonly sharing: SharingInputs;
  /** Rights derived from the sharing. */
  readonly rights: Rights;
}

/** Who sees which sheets. A user whose share has ended sees no hidden sheet, even if a protection allows the user. */
export function deriveRights({ ownerId, sharedWith, protections }: SharingInputs): Rights {
  const hidden = protections
    .filter(({ hideValues }) => hideValues)
    .map(({ sheet, allowed }) => ({ sheet, seenBy: allowed.filter((user) => sharedWith.includes(user)) }));
  return { owner: ownerId, hidden };
}

/** Reads a document's sharing from the store. A deleted document has no owner and no shares. */
export async function readSharing(database: Database, id: string): Promise<SharingAtEpoch> {
  const place = { document_id: id };
  const [epochs, documents, shares, protections] = await database.readAll([
    accessEpoch({}),
    accessDocument({ id }),
    sharedWith(place),
    protectionsOf(place),
  ]);
  const sharing: SharingInputs = {
    ownerId: documents[0]?.owner_id ?? 0,
    sharedWith: shares.map(({ user_id }) => user_id),
    protections: protections.map((row) => ({
      sheet: row.sheet_id,
      hideValues: row.hide_values === 1,
      allowed: parseStoredList<number>(row.allowed, 'The users of a protected sheet'),
    })),
  };
  return { epoch: epochs[0]?.version ?? 0, sharing, rights: deriveRights(sharing) };
}

/** A document's sharing, cached and read again when the access epoch has changed. */
export class DocumentSharing {
  private readonly database: Database;
  private readonly id: string;
  private held: SharingAtEpoch | null = null;

  constructor(database: Database, id: string) {
    this.database = database;
    this.id = id;
  }

  /** The sharing as last read; null before the first read. */
  get known(): SharingAtEpoch | null {
    return this.held;
  }

  /** The rights to the document's sheets; read again only if the access epoch has changed. */
  readLatest(): MaybePromise<SharingAtEpoch> {
    return mapMaybe(this.database.readLatest(EPOCH), (row) =>
      this.held !== null && this.held.epoch === row?.version ? this.held : this.loadSharing(),
    );
  }

  /** Reads the rights to the document's sheets and keeps them. */
  private async loadSharing(): Promise<SharingAtEpoch> {
    this.held = await readSharing(this.database, this.id);
    return this.held;
  }
}
