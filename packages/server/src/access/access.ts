import type { Plan, PlanName } from '../config/types.ts';
import { MAX_CACHED_CALLERS, MAX_CACHED_DOCUMENT_RIGHTS } from '../limits/http.ts';
import type { Database } from '../store/database.ts';
import { accessEpoch } from '../store/epoch.ts';
import { protectionsOf } from '../store/protections.ts';
import { accessDocument, shareOf } from '../store/shares.ts';
import type { Soon } from '../store/soon.ts';
import { soon } from '../store/soon.ts';
import { tokenByHash } from '../store/tokens.ts';
import { BoundedMap } from './bounded-map.ts';
import type { AccessRefusal } from './refusal.ts';
import { DOCUMENT_NOT_FOUND, NO_ACCESS, OUTSIDE_TOKEN, UNAUTHENTICATED } from './refusal.ts';
import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';
import { isAgent, isScope } from './scopes.ts';
import { bearerToken, tokenHash } from './secrets.ts';

/** Who asks: a token and its user. */
export interface Caller {
  readonly userId: number;
  readonly userName: string;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The tables that the token is limited to; null: not limited. */
  readonly documents: ReadonlySet<string> | null;
  readonly planName: PlanName;
  readonly plan: Plan;
  /** Whether the token writes for an AI agent only. */
  readonly agent: boolean;
  /** When the token ends, in milliseconds since 1970-01-01 UTC; null: never. */
  readonly expiresAt: number | null;
  /** The access epoch at which all of this was so. */
  readonly epoch: number;
}

/** What a user is to a document. */
interface DocumentRights {
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  readonly role: Role;
  /** Ids of sheets whose values the user may not see. Empty for the owner, as is `lockedSheets`. */
  readonly hiddenSheets: ReadonlySet<number>;
  /** Ids of sheets that the user may not edit. */
  readonly lockedSheets: ReadonlySet<number>;
  /** The access epoch at which all of this was so. */
  readonly epoch: number;
}

/** A caller at a document that they can open; all of it was so at the access epoch `epoch`. */
export interface DocumentAccess extends DocumentRights {
  readonly caller: Caller;
  readonly documentId: string;
}

/** Who may do what, as the database has it at the moment of the call. */
export interface Access {
  identify(authorization: string | undefined): Soon<Caller | AccessRefusal>;
  /** Uses what `identify` has just found to be current; call it in the same request. */
  open(caller: Caller, documentId: string): Soon<DocumentAccess | AccessRefusal>;
  /** Whether what was found earlier, about the caller and (unless null) at a document, is still so. */
  isCurrent(caller: Caller, document: DocumentAccess | null): Soon<boolean>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NONE: ReadonlySet<number> = new Set();

interface Dependencies {
  readonly database: Database;
  readonly plans: Readonly<Record<PlanName, Plan>>;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
}

/**
 * Decisions are kept in memory while the store's access epoch stays: one small read a request tells, so a change by
 * any process (the command line's too) holds from the next request on. What does not exist is never kept, nor is what
 * was read before the epoch moved on.
 */
export function createAccess({ database, plans, clock }: Dependencies): Access {
  const callers = new BoundedMap<Caller>(MAX_CACHED_CALLERS);
  const rights = new BoundedMap<DocumentRights>(MAX_CACHED_DOCUMENT_RIGHTS);
  const epochQuery = accessEpoch({});
  let epoch = -1;

  function refresh(current: number): void {
    if (current === epoch) return;
    epoch = current;
    callers.clear();
    rights.clear();
  }

  function identify(authorization: string | undefined): Soon<Caller | AccessRefusal> {
    const token = bearerToken(authorization);
    if (token === null) return UNAUTHENTICATED;
    return soon(database.readLatest(epochQuery), (row) => {
      refresh(row?.version ?? 0);
      const hash = tokenHash(token);
      return soon(callers.get(hash) ?? loadCaller(hash), current);
    });
  }

  function current(caller: Caller | null): Caller | AccessRefusal {
    return caller === null || hasEnded(caller, clock()) ? UNAUTHENTICATED : caller;
  }

  function open(caller: Caller, givenId: string): Soon<DocumentAccess | AccessRefusal> {
    const documentId = givenId.toLowerCase();
    if (caller.documents !== null && !caller.documents.has(documentId)) return OUTSIDE_TOKEN;
    if (!UUID.test(documentId)) return DOCUMENT_NOT_FOUND;
    const key = `${caller.userId}:${documentId}`;
    return soon(rights.get(key) ?? loadDocument(caller.userId, documentId, key), (found) =>
      'kind' in found ? found : { caller, documentId, ...found, epoch: Math.min(caller.epoch, found.epoch) },
    );
  }

  function isCurrent(caller: Caller, document: DocumentAccess | null): Soon<boolean> {
    const found = document?.epoch ?? caller.epoch;
    return soon(database.readLatest(epochQuery), (row) => row?.version === found && !hasEnded(caller, clock()));
  }

  async function loadCaller(hash: string): Promise<Caller | null> {
    const seen = epoch;
    const loaded = await loadToken(database, plans, hash, seen);
    if (loaded !== null && seen === epoch) callers.set(hash, loaded);
    return loaded;
  }

  async function loadDocument(
    userId: number,
    documentId: string,
    key: string,
  ): Promise<DocumentRights | AccessRefusal> {
    const seen = epoch;
    const loaded = await loadRights(database, userId, documentId, seen);
    if (!('kind' in loaded) && seen === epoch) rights.set(key, loaded);
    return loaded;
  }

  return { identify, open, isCurrent };
}

/** Whether a caller's token has run out. */
export function hasEnded({ expiresAt }: Caller, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

async function loadToken(
  database: Database,
  plans: Dependencies['plans'],
  hash: string,
  epoch: number,
): Promise<Caller | null> {
  const row = await database.readOne(tokenByHash({ hash }));
  if (row === null || row.revoked_at !== null) return null;
  const scopes = new Set((JSON.parse(row.scopes) as string[]).filter(isScope));
  return {
    userId: row.user_id,
    userName: row.user_name,
    tokenId: row.id,
    tokenName: row.name,
    scopes,
    documents: row.documents === null ? null : new Set(JSON.parse(row.documents) as string[]),
    planName: row.plan,
    plan: plans[row.plan],
    agent: isAgent(scopes),
    expiresAt: row.expires_at,
    epoch,
  };
}

async function loadRights(
  database: Database,
  userId: number,
  documentId: string,
  epoch: number,
): Promise<DocumentRights | AccessRefusal> {
  const [documents, shares, protections] = await database.readAll([
    accessDocument({ id: documentId }),
    shareOf({ document_id: documentId, user_id: userId }),
    protectionsOf({ document_id: documentId }),
  ]);
  const document = documents[0];
  if (document === undefined) return DOCUMENT_NOT_FOUND;
  const { type, format } = document;
  if (document.owner_id === userId) {
    return { type, format, role: 'owner', hiddenSheets: NONE, lockedSheets: NONE, epoch };
  }
  const share = shares[0];
  if (share === undefined) return NO_ACCESS;
  const closed = protections.filter((row) => !(JSON.parse(row.allowed) as number[]).includes(userId));
  return {
    type,
    format,
    role: share.role,
    hiddenSheets: new Set(closed.filter((row) => row.hide_values === 1).map((row) => row.sheet_id)),
    lockedSheets: new Set(closed.filter((row) => row.locked === 1).map((row) => row.sheet_id)),
    epoch,
  };
}
