import { BoundedMap } from '../../access/bounded-map.ts';
import { MAX_VIEWED_DOCUMENTS, MAX_VIEWERS, MAX_VIEWERS_PER_USER, PRESENCE_MS } from '../../limits/console.ts';

/** A tab of a browser that looks at a document. */
interface Present {
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
interface Message {
  readonly document: string;
  readonly key: string;
  readonly present: (Omit<Present, 'at' | 'revision'> & { readonly revision?: number }) | null;
}

/** The revision of a range that a node of an older version tells: no cell can be followed from there. */
const OF_OLDER_NODE = 0;

/** A node of another version may say something else, and anybody may who can connect to the database. */
function isMessage(value: unknown): value is Message {
  const { document, key, present } = Object(value) as Partial<Message>;
  if (typeof document !== 'string' || typeof key !== 'string') return false;
  if (present === null) return true;
  const { tab, user, range, revision, sheet } = Object(present) as Partial<Present>;
  const { id, name } = Object(user) as Partial<Present['user']>;
  const texts = [tab, name, range].every((text) => typeof text === 'string');
  return texts && [id, sheet, revision ?? OF_OLDER_NODE].every((number) => typeof number === 'number');
}

/** Who looks at which document, at whatever node. Held in memory alone, for some seconds. */
export class Presence {
  /** By document, then by user and tab: a caller changes entries of their own only. */
  private readonly documents = new BoundedMap<ReadonlyMap<string, Present>>(MAX_VIEWED_DOCUMENTS);
  private readonly tellOthers: (tab: string, text: string) => void;

  /** `tellOthers`: the other nodes, where there are any; of several texts of one tab only the last matters. */
  constructor(tellOthers: (tab: string, text: string) => void = () => {}) {
    this.tellOthers = tellOthers;
  }

  /** Notes where a tab is (null: gone), and tells those of everybody else. */
  exchange(document: string, key: string, present: Present | null, now: number): readonly Present[] {
    const message: Message = { document, key, present };
    this.tellOthers(`${document} ${key}`, JSON.stringify(message));
    return this.note(document, key, present, now);
  }

  /** What another node told. */
  hear(text: string, now: number): void {
    const message: unknown = JSON.parse(text);
    if (!isMessage(message)) return;
    const { document, key, present } = message;
    const { revision = OF_OLDER_NODE } = present ?? {};
    this.note(document, key, present === null ? null : { ...present, revision, at: now }, now);
  }

  private note(document: string, key: string, present: Present | null, now: number): readonly Present[] {
    const held = this.documents.get(document) ?? new Map<string, Present>();
    const others = [...held].filter(([other, { at }]) => other !== key && at > now - PRESENCE_MS);
    const own = others.filter(([, { user }]) => user.id === present?.user.id).length;
    const room = present !== null && others.length < MAX_VIEWERS && own < MAX_VIEWERS_PER_USER;
    this.documents.set(document, new Map(room ? [...others, [key, present]] : others));
    return others.map(([, other]) => other);
  }
}
