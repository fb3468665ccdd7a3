import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { Database, RowDamage } from '@cellwire/store';
import { accessEpoch } from '@cellwire/store/accounts';
import { ANYONE, accessDocument, protectionsOf, sharesFor } from '@cellwire/store/documents';
import { parseStoredList } from '@cellwire/store/stored-forms';
import type { Plan, PlanName } from '../config/types.ts';
import { MAX_CACHED_CALLERS, MAX_CACHED_DOCUMENT_RIGHTS } from '../limits/http.ts';
import { BoundedMap } from './bounded-map.ts';
import { type Caller, type Credentials, createCallerLookup, hasExpired, type LoadCaller } from './callers.ts';
import { type InputLocale, parseStoredLocale } from './input-locale.ts';
import { type AccessRefusal, DOCUMENT_NOT_FOUND, NO_ACCESS, OUTSIDE_TOKEN, UNAUTHENTICATED } from './refusal.ts';
import { chooseGreaterRole, type Role } from './roles.ts';

/** A user's rights to a document. */
interface DocumentRights {
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  /** Locale for typed texts unless the request or the token names one; null: the API's own grammar. */
  readonly inputLocale: InputLocale | null;
  readonly role: Role;
  /** Ids of sheets whose values the user may not see. Always empty for the owner, like `lockedSheets`. */
  readonly hiddenSheets: ReadonlySet<number>;
  /** Ids of sheets that the user may not edit. */
  readonly lockedSheets: ReadonlySet<number>;
  /** The access epoch for which these rights were read. */
  readonly epoch: number;
}

/** A caller's access to a document, valid for the access epoch `epoch`. */
export interface DocumentAccess extends DocumentRights {
  readonly caller: Caller;
  readonly documentId: string;
}

/** A user's rights to a document, and the access object of the last caller who used them. */
interface CachedRights {
  readonly rights: DocumentRights;
  lastAccess: DocumentAccess | null;
}

/** Decides who may do what, by the database's state at the time of the call. */
export interface Access {
  identify(credentials: Credentials): MaybePromise<Caller | AccessRefusal>;
  /** Opens a document for a caller. Call `identify` first in the same request: it drops outdated cache entries. */
  open(caller: Caller, documentId: string): MaybePromise<DocumentAccess | AccessRefusal>;
  /** Whether the caller's identity, and the access to the document unless it is null, are still current. */
  isCurrent(caller: Caller, document: DocumentAccess | null): MaybePromise<boolean>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NO_SHEETS: ReadonlySet<number> = new Set();

/** A power of two. */
const RECENT_DOCUMENTS = 1_024;

/** The slot of a document in the cache, from the last characters of its random id, which are as good as a hash. */
function computeCacheSlot(id: string): number {
  let hash = 0;
  for (let i = Math.max(0, id.length - 12); i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (RECENT_DOCUMENTS - 1);
}

interface AccessDependencies {
  readonly database: Database;
  readonly plans: Readonly<Record<PlanName, Plan>>;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  /** Called with the damaged rows of a caller who is refused. */
  readonly onDamage: (damage: readonly RowDamage[]) => void;
}

/**
 * Caches callers and rights until the store's access epoch changes. Each request reads the epoch, so a change made by
 * any process, including the command line, applies from the next request on. Missing users and documents are never
 * cached, and neither are results of reads that began in an earlier epoch.
 */
export function createAccess({ database, plans, clock, onDamage }: AccessDependencies): Access {
  const callers = new BoundedMap<Caller>(MAX_CACHED_CALLERS);
  const rights = new BoundedMap<CachedRights>(MAX_CACHED_DOCUMENT_RIGHTS);
  /**
   * Recently opened documents. Looking up a text from a request in a map takes several times longer, because V8 first
   * adds the text to its table of unique strings.
   */
  const recent = new Array<DocumentAccess | undefined>(RECENT_DOCUMENTS).fill(undefined);
  const epochQuery = accessEpoch({});
  let epoch = -1;
  /**
   * How often the caches were cleared. Reads of the epoch can overtake each other, so an old epoch can return. Results of
   * reads that began before a clearing are not cached.
   */
  let clearings = 0;

  function forgetIfChanged(current: number): void {
    if (current === epoch) return;
    epoch = current;
    clearings++;
    callers.clear();
    rights.clear();
    recent.fill(undefined);
  }

  function identify(credentials: Credentials): MaybePromise<Caller | AccessRefusal> {
    const lookup = createCallerLookup({ database, plans, onDamage }, credentials);
    if (lookup === null) return UNAUTHENTICATED;
    const { key, load } = lookup;
    return mapMaybe(database.readLatest(epochQuery), (row) => {
      forgetIfChanged(row?.version ?? 0);
      const cachedCaller = callers.get(key);
      // The cached session may look expired although another process has prolonged it: read it again.
      return cachedCaller !== undefined && !hasExpired(cachedCaller, clock()) ? cachedCaller : loadCaller(key, load);
    });
  }

  function open(caller: Caller, givenId: string): MaybePromise<DocumentAccess | AccessRefusal> {
    const slot = computeCacheSlot(givenId);
    const cached = recent[slot];
    if (cached !== undefined && cached.caller === caller && cached.documentId === givenId) return cached;
    const found = find(caller, givenId);
    // The database read behind a promise may have begun before the caches were cleared, so its result is not cached
    // here.
    if (!(found instanceof Promise) && !('kind' in found)) recent[slot] = found;
    return found;
  }

  function find(caller: Caller, givenId: string): MaybePromise<DocumentAccess | AccessRefusal> {
    const documentId = givenId.toLowerCase();
    if (caller.documents !== null && !caller.documents.has(documentId)) return OUTSIDE_TOKEN;
    const key = `${caller.userId}:${documentId}`;
    const cached = rights.get(key);
    if (cached !== undefined) return toDocumentAccess(cached, caller, documentId);
    if (!UUID.test(documentId)) return DOCUMENT_NOT_FOUND;
    return loadDocument(caller.userId, documentId, key).then((found) =>
      'kind' in found ? found : toDocumentAccess(found, caller, documentId),
    );
  }

  function isCurrent(caller: Caller, document: DocumentAccess | null): MaybePromise<boolean> {
    const found = document?.epoch ?? caller.epoch;
    return mapMaybe(database.readLatest(epochQuery), (row) => row?.version === found && !hasExpired(caller, clock()));
  }

  async function loadCaller(key: string, load: LoadCaller): Promise<Caller | AccessRefusal> {
    const before = clearings;
    const loaded = await load(epoch);
    if (loaded === null) return UNAUTHENTICATED;
    if ('kind' in loaded) return loaded;
    if (before === clearings) callers.set(key, loaded);
    return hasExpired(loaded, clock()) ? UNAUTHENTICATED : loaded;
  }

  async function loadDocument(userId: number, documentId: string, key: string): Promise<CachedRights | AccessRefusal> {
    const before = clearings;
    const loaded = await loadRights(database, userId, documentId, epoch);
    if ('kind' in loaded) return loaded;
    const cached: CachedRights = { rights: loaded, lastAccess: null };
    if (before === clearings) rights.set(key, cached);
    return cached;
  }

  return { identify, open, isCurrent };
}

/** The access of a caller to a document. Consecutive requests of one caller to a document share one object. */
function toDocumentAccess(cached: CachedRights, caller: Caller, documentId: string): DocumentAccess {
  if (cached.lastAccess?.caller === caller) return cached.lastAccess;
  const epoch = Math.min(caller.epoch, cached.rights.epoch);
  cached.lastAccess = { caller, documentId, ...cached.rights, epoch };
  return cached.lastAccess;
}

/** Reads a user's rights to a document. `epoch` must have been read before. */
export async function loadRights(
  database: Database,
  userId: number,
  documentId: string,
  epoch: number,
): Promise<DocumentRights | AccessRefusal> {
  const [documents, shares, protections] = await database.readAll([
    accessDocument({ id: documentId }),
    sharesFor({ document_id: documentId, user_id: userId }),
    protectionsOf({ document_id: documentId }),
  ]);
  const document = documents[0];
  if (document === undefined) return DOCUMENT_NOT_FOUND;
  const { type, format } = document;
  const inputLocale = parseStoredLocale(document.input_locale);
  if (document.owner_id === userId) {
    return { type, format, inputLocale, role: 'owner', hiddenSheets: NO_SHEETS, lockedSheets: NO_SHEETS, epoch };
  }
  const [first, second = first] = shares;
  if (first === undefined || second === undefined) return NO_ACCESS;
  // Protection lists single users only while the document is shared with users by name, and not only with everyone.
  const isNamed = shares.some(({ user_id }) => user_id !== ANYONE);
  const closed = protections.filter(
    (row) => !isNamed || !parseStoredList(row.allowed, 'The users of a protected sheet').includes(userId),
  );
  return {
    type,
    format,
    inputLocale,
    role: chooseGreaterRole(first.role, second.role),
    hiddenSheets: new Set(closed.filter((row) => row.hide_values === 1).map((row) => row.sheet_id)),
    lockedSheets: new Set(closed.filter((row) => row.locked === 1).map((row) => row.sheet_id)),
    epoch,
  };
}
