import { BoundedMap } from '../../access/bounded-map.ts';
import { MAX_VIEWED_DOCUMENTS, MAX_VIEWERS, MAX_VIEWERS_PER_USER, PRESENCE_MS } from '../../limits/console.ts';

/** A browser tab that shows a document. */
interface PresentTab {
  readonly tab: string;
  readonly user: { readonly id: number; readonly name: string };
  /** The selected range, and its sheet. */
  readonly range: string;
  /** The revision of the range. */
  readonly revision: number;
  readonly sheet: number;
  /** Time of the report, in milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

/** A message from one node to the others. It has no time, because clocks differ. */
interface PresenceMessage {
  readonly document: string;
  readonly key: string;
  readonly present: (Omit<PresentTab, 'at' | 'revision'> & { readonly revision?: number }) | null;
}

/** The revision of a range from a node of an older version: its cells cannot be followed. */
const UNKNOWN_REVISION = 0;

/** Messages are not trusted: they may come from another version or from any client of the database. */
function isPresenceMessage(value: unknown): value is PresenceMessage {
  const { document, key, present } = Object(value) as Partial<PresenceMessage>;
  if (typeof document !== 'string' || typeof key !== 'string') return false;
  if (present === null) return true;
  const { tab, user, range, revision, sheet } = Object(present) as Partial<PresentTab>;
  const { id, name } = Object(user) as Partial<PresentTab['user']>;
  const texts = [tab, name, range].every((text) => typeof text === 'string');
  return texts && [id, sheet, revision ?? UNKNOWN_REVISION].every((number) => typeof number === 'number');
}

/** The viewers of each document on all nodes. Kept in memory for some seconds. */
export class Presence {
  /** Entries by document, then by user and tab, so that callers can change only their own entries. */
  private readonly documents = new BoundedMap<ReadonlyMap<string, PresentTab>>(MAX_VIEWED_DOCUMENTS);
  private readonly broadcast: (tab: string, text: string) => void;

  /** `broadcast`: sends to the other nodes, if there are any; only the last text of each tab matters. */
  constructor(broadcast: (tab: string, text: string) => void = () => {}) {
    this.broadcast = broadcast;
  }

  /** Records the selection of a tab (null: closed), and returns the other tabs that are present. */
  exchangeTab(document: string, key: string, tab: PresentTab | null, now: number): readonly PresentTab[] {
    const message: PresenceMessage = { document, key, present: tab };
    this.broadcast(`${document} ${key}`, JSON.stringify(message));
    return this.recordTab(document, key, tab, now);
  }

  /** Processes a message from another node. */
  receiveMessage(text: string, now: number): void {
    const message: unknown = JSON.parse(text);
    if (!isPresenceMessage(message)) return;
    const { document, key, present } = message;
    const { revision = UNKNOWN_REVISION } = present ?? {};
    this.recordTab(document, key, present === null ? null : { ...present, revision, at: now }, now);
  }

  /**
   * Records or removes (null) a tab of the document, and returns the other tabs that are present. A tab above the limit
   * of viewers is not recorded.
   */
  private recordTab(document: string, key: string, tab: PresentTab | null, now: number): readonly PresentTab[] {
    const tabs = this.documents.get(document) ?? new Map<string, PresentTab>();
    const others = [...tabs].filter(([other, { at }]) => other !== key && at > now - PRESENCE_MS);
    const own = others.filter(([, { user }]) => user.id === tab?.user.id).length;
    const room = tab !== null && others.length < MAX_VIEWERS && own < MAX_VIEWERS_PER_USER;
    this.documents.set(document, new Map(room ? [...others, [key, tab]] : others));
    return others.map(([, other]) => other);
  }
}
