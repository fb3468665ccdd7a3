import { BoundedMap } from '../../access/bounded-map.ts';
import { MAX_VIEWED_DOCUMENTS, MAX_VIEWERS, MAX_VIEWERS_PER_USER, PRESENCE_MS } from '../../limits/console.ts';

/** A tab of a browser that looks at a document. */
interface PresentTab {
  readonly tab: string;
  readonly user: { readonly id: number; readonly name: string };
  /** What is selected there, and on which sheet. */
  readonly range: string;
  /** The revision of the range. */
  readonly revision: number;
  readonly sheet: number;
  /** In milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

/** What one node tells the others; in their own time, as clocks differ. */
interface PresenceMessage {
  readonly document: string;
  readonly key: string;
  readonly present: (Omit<PresentTab, 'at' | 'revision'> & { readonly revision?: number }) | null;
}

/** The revision of a range that a node of an older version tells: no cell can be followed from there. */
const UNKNOWN_REVISION = 0;

/** A node of another version may say something else, and anybody may who can connect to the database. */
function isMessage(value: unknown): value is PresenceMessage {
  const { document, key, present } = Object(value) as Partial<PresenceMessage>;
  if (typeof document !== 'string' || typeof key !== 'string') return false;
  if (present === null) return true;
  const { tab, user, range, revision, sheet } = Object(present) as Partial<PresentTab>;
  const { id, name } = Object(user) as Partial<PresentTab['user']>;
  const texts = [tab, name, range].every((text) => typeof text === 'string');
  return texts && [id, sheet, revision ?? UNKNOWN_REVISION].every((number) => typeof number === 'number');
}

/** Who looks at which document, at whatever node. Held in memory alone, for some seconds. */
export class Presence {
  /** By document, then by user and tab: a caller changes entries of their own only. */
  private readonly documents = new BoundedMap<ReadonlyMap<string, PresentTab>>(MAX_VIEWED_DOCUMENTS);
  private readonly tellOthers: (tab: string, text: string) => void;

  /** `tellOthers`: the other nodes, where there are any; of several texts of one tab only the last matters. */
  constructor(tellOthers: (tab: string, text: string) => void = () => {}) {
    this.tellOthers = tellOthers;
  }

  /** Notes where a tab is (null: gone), and tells those of everybody else. */
  exchange(document: string, key: string, present: PresentTab | null, now: number): readonly PresentTab[] {
    const message: PresenceMessage = { document, key, present };
    this.tellOthers(`${document} ${key}`, JSON.stringify(message));
    return this.record(document, key, present, now);
  }

  /** What another node told. */
  receive(text: string, now: number): void {
    const message: unknown = JSON.parse(text);
    if (!isMessage(message)) return;
    const { document, key, present } = message;
    const { revision = UNKNOWN_REVISION } = present ?? {};
    this.record(document, key, present === null ? null : { ...present, revision, at: now }, now);
  }

  private record(document: string, key: string, present: PresentTab | null, now: number): readonly PresentTab[] {
    const held = this.documents.get(document) ?? new Map<string, PresentTab>();
    const others = [...held].filter(([other, { at }]) => other !== key && at > now - PRESENCE_MS);
    const own = others.filter(([, { user }]) => user.id === present?.user.id).length;
    const room = present !== null && others.length < MAX_VIEWERS && own < MAX_VIEWERS_PER_USER;
    this.documents.set(document, new Map(room ? [...others, [key, present]] : others));
    return others.map(([, other]) => other);
  }
}
