import type { Statement } from '@cellwire/store';
import * as people from '@cellwire/store/accounts';
import {
  auditOfUser,
  bumpAccessEpoch,
  endSessionsOfUser,
  forgetAccountAttempts,
  toEmailKey,
} from '@cellwire/store/accounts';
import {
  deletePersonalFiltersOf,
  deleteShare,
  documentsFilteredBy,
  documentsOwnedBy,
  setOwner,
  setTrashedOwner,
  trashedIdsOf,
} from '@cellwire/store/documents';
import { parseStoredList } from '@cellwire/store/stored-forms';
import { deactivateSubscriptionsOfUser } from '@cellwire/store/webhooks';
import { generatePassword } from '../../access/secrets.ts';
import { AUDIT_ERASE_BATCH, MAX_COMMAND_PAGE } from '../../limits/commands.ts';
import { type Actor, buildAccountEntry, OPERATOR } from '../accounts/actor.ts';
import { createAccountKey } from '../accounts/attempts.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { changeSharing } from '../sharing/change-sharing.ts';
import { buildOperatorAudit } from './document-entries.ts';
import { eraseInProposals } from './erase-proposals.ts';
import { buildQuoteErasure } from './erase-quotes.ts';
import { findUser } from './find-user.ts';

type EraseContext = Pick<ServiceContext, 'database' | 'documents' | 'config' | 'clock' | 'passwords'>;

interface Erasure {
  /** Id or e-mail address. */
  readonly user: string;
  /** The user who gets the documents. */
  readonly transferTo?: string | undefined;
  /** Deletes documents that no user gets; otherwise the erasure is refused. */
  readonly deleteDocuments?: boolean | undefined;
}

interface ErasureResult {
  readonly id: number;
  readonly erased: true;
  readonly documents: { readonly transferred: number; readonly deleted: number };
}

/** The effects of an erasure. */
export interface ErasurePlan {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly documents: number;
  /** Additional documents in the trash. */
  readonly trashed: number;
  readonly heir: { readonly id: number; readonly name: string } | null;
  /** True if the user owns documents, and the operator named neither a new owner nor their deletion. */
  readonly isUndecided: boolean;
}

/** Checks if a user can be erased, and returns the effects. */
export async function planErasure(
  context: EraseContext,
  { user: text, transferTo, deleteDocuments = false }: Erasure,
): Promise<ErasurePlan | Refusal> {
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  const heir = transferTo === undefined ? null : await findUser(context, transferTo);
  if (isRefusal(heir)) return heir;
  if (heir !== null && (heir.id === user.id || heir.disabled_at !== null)) {
    return invalidRequest('transferTo', 'The new owner must be another user who is not disabled');
  }
  const owned = await context.database.read(documentsOwnedBy({ owner_id: user.id }));
  const { id, name, email } = user;
  const trashed = (await context.database.read(trashedIdsOf({ owner_id: id }))).length;
  return {
    id,
    name,
    email,
    documents: owned.length,
    trashed,
    heir: heir && { id: heir.id, name: heir.name },
    isUndecided: owned.length > 0 && heir === null && !deleteDocuments,
  };
}

/**
 * Removes all data that identifies a user from the account, the audit log and the history; what the user wrote in
 * documents remains. First transfers or deletes the user's documents, then revokes all access of the user, so that no
 * new record names the user. After an interruption, a repetition continues.
 */
export async function eraseUser(
  context: EraseContext,
  erasure: Erasure,
  actor: Actor = OPERATOR,
): Promise<ErasureResult | Refusal> {
  const plan = await planErasure(context, erasure);
  if (isRefusal(plan)) return plan;
  if (plan.isUndecided) {
    const documentCount = `${plan.documents} ${plan.documents === 1 ? 'document' : 'documents'}`;
    return invalidRequest('user', `The user owns ${documentCount}; pass --transfer-to USER or --delete-documents`);
  }
  const { id, heir } = plan;
  const documents = { transferred: 0, deleted: 0 };
  for (const { id: document } of await context.database.read(documentsOwnedBy({ owner_id: id }))) {
    const refusal = await (heir === null
      ? deleteOwnedDocument(context, document, id)
      : transferOwnedDocument(context, document, id, heir.id));
    if (refusal !== null) return refusal;
    documents[heir === null ? 'deleted' : 'transferred']++;
  }
  for (const { document_id: document } of await context.database.read(trashedIdsOf({ owner_id: id }))) {
    if (heir === null) await context.documents.purge(document);
    else await transferTrashedDocument(context, document, id, heir.id);
    documents[heir === null ? 'deleted' : 'transferred']++;
  }
  const refusal = await eraseRecords(context, plan, actor);
  return refusal ?? { id, erased: true, documents };
}

async function deleteOwnedDocument(context: EraseContext, document: string, owner: number): Promise<Refusal | null> {
  const before = await buildOperatorAudit(context, { id: document, owner_id: owner }, 'document.delete');
  await context.documents.remove(document, { before, after: [bumpAccessEpoch({})] });
  return null;
}

async function transferOwnedDocument(
  context: EraseContext,
  document: string,
  fromUser: number,
  toUser: number,
): Promise<Refusal | null> {
  const extraStatements = await buildOperatorAudit(context, { id: document, owner_id: toUser }, 'document.transfer');
  return changeSharing(context, document, {
    statements: [
      setOwner({ id: document, from: fromUser, to: toUser }),
      deleteShare({ document_id: document, user_id: toUser }),
      deactivateSubscriptionsOfUser({ document_id: document, user_id: fromUser }),
    ],
    extraStatements,
    sharing: (before) => ({
      ...before,
      ownerId: toUser,
      sharedWith: before.sharedWith.filter((user) => user !== toUser),
    }),
  });
}

/** Gives a document in the trash to another user. */
async function transferTrashedDocument(
  { database }: EraseContext,
  document: string,
  fromUser: number,
  toUser: number,
): Promise<void> {
  const statements = [
    setTrashedOwner({ id: document, from: fromUser, to: toUser }),
    deleteShare({ document_id: document, user_id: toUser }),
  ];
  await database.write({ document, statements });
}

/** Erases the account itself and everything that names the user. Null on success. */
async function eraseRecords(
  context: EraseContext,
  { id, email, name, heir }: ErasurePlan,
  actor: Actor,
): Promise<Refusal | null> {
  const { database, clock, passwords, config } = context;
  const user = await findUser(context, String(id));
  if (isRefusal(user)) return user;
  const hash = await passwords.hash(generatePassword());
  if (isRefusal(hash)) return hash;
  const erased = `Erased user ${id}`;
  const token = `token of ${erased}`;
  const now = clock();
  const former = await database.read(people.formerNames({ workspace_id: user.workspace_id, user_id: id }));
  const names = former.flatMap((row) => [
    ...(row.user_id === id ? [row.user_name] : []),
    ...(row.subject_id === id ? [row.subject] : []),
  ]);
  const workspace = { id: user.workspace_id, name: user.workspace_name };
  const quotes = await buildQuoteErasure(database, { user: id, email, names: [name, ...names], workspace }, erased);
  const writeStatements = (statements: readonly Statement[]) => database.write({ document: null, statements });
  // One unit for each document, because rows of documents change in units of their own. The search for the documents
  // does not block other work.
  await writeStatements([
    people.eraseAccount({ id, name: erased, email: `erased-user-${id}@invalid`, password_hash: hash, now }),
    people.revokeTokensOf({ user_id: id, name: token, now }),
    endSessionsOfUser({ user_id: id }),
    people.transferWorkspaces({ id, to: heir?.id ?? 0 }),
    bumpAccessEpoch({}),
  ]);
  await writeStatements([
    ...people.eraseAccountEntries.map((erase) => erase({ user_id: id, name: erased })),
    ...quotes,
    people.deleteGoogleKeysOf({ user_id: id }),
    people.deleteInvitationsTo({ email: toEmailKey(email) }),
    forgetAccountAttempts({ key: createAccountKey(toEmailKey(email)) }),
    people.deleteCreationReplies({ user_id: id }),
  ]);
  await eraseInDocuments(context, id, token);
  await eraseInProposals(database, id, { name: erased, token });
  for (const { document_id } of await database.read(people.sharesWithUser({ user_id: id }))) {
    const statements = [deleteShare({ document_id, user_id: id }), bumpAccessEpoch({})];
    await database.write({ document: document_id, statements });
  }
  for (const { document_id } of await database.read(documentsFilteredBy({ user_id: id }))) {
    await database.write({
      document: document_id,
      statements: [deletePersonalFiltersOf({ document_id, user_id: id })],
    });
  }
  await eraseAudit(context, id, { name: erased, token });
  await eraseAuthors(context, id, erased);
  await writeStatements([
    ...(config.database.url === null ? [people.scheduleScrub({ at: String(now) })] : []),
    buildAccountEntry(actor, {
      action: 'user.erase',
      workspaceId: user.workspace_id,
      at: now,
      subject: { id, name: erased },
    }),
  ]);
  return null;
}

/**
 * Erases the names of the user's tokens and the stored replies to the user in all documents. Each document is a write
 * of its own, so that other writes can run in between.
 */
async function eraseInDocuments({ database }: EraseContext, user: number, token: string): Promise<void> {
  const found = await database.readInBackground(
    people.documentsMentioningUser.map((query) => query({ user_id: user })),
  );
  const documents = new Set(found.flat().map((row) => (row as { readonly document_id: string }).document_id));
  for (const document_id of documents) {
    const place = { document_id, user_id: user };
    const statements = people.eraseTokenNames.map((erase) => erase({ ...place, token }));
    await database.write({ document: document_id, statements: [people.deleteRepliesTo(place), ...statements] });
  }
}

/**
 * Replaces the user's name and token names in the audit logs. Changes rows in batches, so that other writes can run in
 * between.
 */
async function eraseAudit(
  { database }: EraseContext,
  user: number,
  replacements: { readonly name: string; readonly token: string },
): Promise<void> {
  let [at, document, id] = [Number.MAX_SAFE_INTEGER, '\uffff', Number.MAX_SAFE_INTEGER];
  for (;;) {
    const rows = await database.read(auditOfUser({ user, at, document, id, limit: AUDIT_ERASE_BATCH }));
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const [document_id, entries] of Map.groupBy(rows, (row) => row.document_id)) {
      const ids = entries.map((entry) => entry.id);
      const range = { from: Math.min(...ids), to: Math.max(...ids) };
      const statements = [people.eraseAuditNames({ document_id, user_id: user, ...range, ...replacements })];
      await database.write({ document: document_id, statements });
    }
    [at, document, id] = [last.at, last.document_id, last.id];
  }
}

/** Replaces the user's name in the authors of notifications. */
async function eraseAuthors({ database }: EraseContext, user: number, name: string): Promise<void> {
  for (let [document, after] = ['', '']; ; ) {
    const rows = await database.read(
      people.notificationsMentioningAuthor({ document, after, author: `%"id":${user},%`, limit: MAX_COMMAND_PAGE }),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    [document, after] = [last.document_id, last.id];
    for (const [document_id, named] of Map.groupBy(rows, (row) => row.document_id)) {
      const statements = named.map(({ id, authors }) => {
        const all = parseStoredList<{ readonly id: number; readonly name: string }>(
          authors,
          'The authors of a notification',
        );
        const renamedAuthors = all.map((author) => (author.id === user ? { ...author, name } : author));
        return people.setAuthors({ document_id, id, authors: JSON.stringify(renamedAuthors) });
      });
      await database.write({ document: document_id, statements });
    }
  }
}
