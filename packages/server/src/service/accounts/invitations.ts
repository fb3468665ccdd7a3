import type { RowDamage } from '@cellwire/store';
import {
  accessUnchanged,
  bumpAccessEpoch,
  deleteOldInvitations,
  endInvitation,
  insertInvitation,
  insertUser,
  invitationByHash,
  invitationsOf,
  NO_INVITATION,
  NO_SESSION,
  openInvitations,
  openInvitationsTo,
  replaceInvitations,
  shareWithInvitee,
  TOO_MANY_INVITATIONS,
  toEmailKey,
  userByEmail,
} from '@cellwire/store/accounts';
import type { DocumentAccess } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import { ROLE_FORBIDS } from '../../access/refusal.ts';
import type { SharedRole } from '../../access/roles.ts';
import { generateSecret, hashSecret, isSecret } from '../../access/secrets.ts';
import { ENDED_INVITATION_KEPT_MS, INVITATION_LIFE_MS, MAX_OPEN_INVITATIONS } from '../../limits/console.ts';
import { type AccessAction, withAccessRetry } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { buildAuditStatements } from '../history/audit-log.ts';
import { formatStoredTime } from '../iso-time.ts';
import {
  INVITATION_DAMAGED,
  INVITATION_EXPIRED,
  INVITATION_NOT_FOUND,
  INVITATION_USED,
  INVITATION_WITHDRAWN,
  invalidRequest,
  isRefusal,
  type Refusal,
  UNAUTHENTICATED,
} from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { type Actor, buildAccountEntry, buildSessionGuard } from './actor.ts';
import { type AccountUserRow, findCallerUser, type MemberContext, requireOwner } from './members.ts';
import { checkNewPassword } from './password.ts';
import { beginVerifiedSession, type NewSession, type SessionOrigin, type SignInContext } from './sign-in.ts';
import { checkEmail, checkUserName } from './user-fields.ts';

/** An open invitation. Times are ISO 8601. */
export interface InvitationView {
  readonly id: number;
  readonly email: string;
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The document and the role that the invited user gets; null: membership only. */
  readonly document: { readonly id: string; readonly role: SharedRole } | null;
  /** True: the stored row is damaged, and the invitation cannot be accepted; otherwise absent. */
  readonly damaged?: true;
}

/** The caller if the caller may invite into the workspace; otherwise a refusal. */
async function requireInviter(context: InviteContext, caller: Caller): Promise<AccountUserRow | Refusal> {
  const { invitations } = context.config;
  if (invitations === 'nobody') return ROLE_FORBIDS;
  return invitations === 'members' ? findCallerUser(context, caller) : requireOwner(context, caller);
}

type InviteContext = MemberContext & Pick<ServiceContext, 'config'>;

/** Invites a user into the caller's workspace. `secret` is returned only this once; its holder can join. */
export async function inviteUser(
  context: InviteContext,
  caller: Caller,
  { email: given, by }: { readonly email: string; readonly by: Actor },
): Promise<(InvitationView & { readonly secret: string }) | Refusal> {
  const owner = await requireInviter(context, caller);
  if (isRefusal(owner)) return owner;
  const email = given.trim();
  const wrong = checkEmail(email);
  if (wrong !== null) return wrong;
  // The owner must not learn if a user of another workspace has the address.
  const user = await context.database.readOne(userByEmail({ key: toEmailKey(email) }));
  if (user?.workspace_id === owner.workspace_id) return invalidRequest('email', `${email} is here already`);
  const invitation = createInvitation(context, owner, { email, by, document: null });
  const statements = [invitation.insertion, ...invitation.others, ...buildSessionGuard(by)];
  const outcome = await context.database.write({ document: null, statements });
  if (outcome.kind === 'conflict') {
    if (outcome.conflict === NO_SESSION) return UNAUTHENTICATED;
    return TOO_MANY;
  }
  return { ...invitation.view(Number(outcome.results[0]?.rows[0]?.['id'])), secret: invitation.secret };
}

const TOO_MANY = invalidRequest('email', `${MAX_OPEN_INVITATIONS} invitations are open; take some back first`);

interface InvitationRequest {
  readonly email: string;
  readonly by: Actor;
  readonly document: InvitationView['document'];
}

/** A new invitation with its secret, and the statements that store it. */
function createInvitation(
  context: InviteContext,
  inviting: AccountUserRow,
  { email, by, document }: InvitationRequest,
) {
  const now = context.clock();
  const secret = generateSecret();
  const { workspace_id } = inviting;
  const row = {
    workspace_id,
    email,
    hash: hashSecret(secret),
    invited_by: inviting.name,
    inviter_id: inviting.id,
    created_at: now,
    expires_at: now + INVITATION_LIFE_MS,
    document_id: document?.id ?? null,
    role: document?.role ?? null,
  };
  return {
    secret,
    view: (id: number): InvitationView => toInvitationView({ ...row, id, damage: [] }),
    /** The statement that inserts the invitation. It returns the invitation's id. */
    insertion: insertInvitation({ ...row, limit: MAX_OPEN_INVITATIONS }),
    others: [
      deleteOldInvitations({ workspace_id, before: now - ENDED_INVITATION_KEPT_MS }),
      buildAccountEntry(by, { action: 'invitation.create', workspaceId: workspace_id, at: now, detail: email }),
    ],
  };
}

/**
 * Invites an address without a user into the caller's workspace, with a role in a document that the caller owns. It
 * replaces an earlier invitation of the address to the document. `link` builds the link from the secret, which is
 * returned only this once.
 */
export async function inviteToDocument(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
  { email: given, role, by, link }: { email: string; role: SharedRole; by: Actor; link: (secret: string) => string },
): Promise<WriteReply | Refusal> {
  const inviting = await requireInviter(context, action.by.caller);
  if (isRefusal(inviting)) return inviting;
  const email = given.trim();
  const wrong = checkEmail(email);
  if (wrong !== null) return wrong;
  const email_key = toEmailKey(email);
  if ((await context.database.readOne(userByEmail({ key: email_key }))) !== null) {
    return invalidRequest('email', `${email} has an account already`);
  }
  return withAccessRetry(context, action, async (access) => {
    const { documentId: id, epoch } = access;
    const invitation = createInvitation(context, inviting, { email, by, document: { id, role } });
    const at = context.clock();
    const outcome = await context.database.write({
      document: id,
      statements: [
        accessUnchanged({ version: epoch }),
        replaceInvitations({ document_id: id, email_key, now: at }),
        invitation.insertion,
        ...invitation.others,
        ...buildAuditStatements(access, [{ action: 'document.share', range: '', cells: 0 }], at),
      ],
    });
    if (outcome.kind === 'conflict') return outcome.conflict === TOO_MANY_INVITATIONS ? TOO_MANY : outcome;
    return {
      kind: 'done',
      body: {
        invitation: { ...invitation.view(Number(outcome.results[2]?.rows[0]?.['id'])), link: link(invitation.secret) },
      },
    };
  });
}

/** Open invitations to a document, for its owner. */
export async function listInvitationsTo(
  { database, clock }: MemberContext,
  { documentId }: DocumentAccess,
): Promise<readonly InvitationView[]> {
  const rows = await database.read(openInvitationsTo({ document_id: documentId, now: clock() }));
  return rows.map(toInvitationView);
}

/** Withdraws an invitation to a document, for its owner. Null on success. */
export async function withdrawInvitationTo(
  { database, clock }: MemberContext,
  { documentId }: DocumentAccess,
  { id, by }: { readonly id: number; readonly by: Actor },
): Promise<Refusal | null> {
  const now = clock();
  const rows = await database.read(openInvitationsTo({ document_id: documentId, now }));
  if (!rows.some((row) => row.id === id)) return INVITATION_NOT_FOUND;
  const statements = [...buildSessionGuard(by), endInvitation({ id, now, by: 'withdrawal' })];
  const outcome = await database.write({ document: null, statements });
  return outcome.kind === 'conflict' ? INVITATION_NOT_FOUND : null;
}

/** Lists the open invitations, the newest first. */
export async function listInvitations(
  context: MemberContext,
  caller: Caller,
): Promise<readonly InvitationView[] | Refusal> {
  const owner = await requireOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const rows = await context.database.read(openInvitations({ workspace_id: owner.workspace_id, now: context.clock() }));
  return rows.map(toInvitationView);
}

/** Withdraws an invitation. Null on success. */
export async function withdrawInvitation(
  context: MemberContext,
  caller: Caller,
  { id, by }: { readonly id: number; readonly by: Actor },
): Promise<Refusal | null> {
  const owner = await requireOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const { workspace_id } = owner;
  const now = context.clock();
  const own = await context.database.read(openInvitations({ workspace_id, now }));
  if (!own.some((row) => row.id === id)) return INVITATION_NOT_FOUND;
  const note = { action: 'invitation.withdraw', workspaceId: workspace_id, at: now } as const;
  const statements = [endInvitation({ id, now, by: 'withdrawal' }), buildAccountEntry(by, note)];
  const outcome = await context.database.write({ document: null, statements });
  return outcome.kind === 'conflict' ? INVITATION_NOT_FOUND : null;
}

function toInvitationView(row: {
  readonly id: number;
  readonly email: string;
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly document_id: string | null;
  readonly role: SharedRole | null;
  readonly damage: readonly RowDamage[];
}): InvitationView {
  const { document_id: document, role } = row;
  return {
    id: row.id,
    email: row.email,
    invitedBy: row.invited_by,
    createdAt: formatStoredTime(row.created_at),
    expiresAt: formatStoredTime(row.expires_at),
    document: document === null || role === null ? null : { id: document, role },
    ...(row.damage.length > 0 && { damaged: true }),
  };
}

/** The invited address and the workspace. */
interface InvitationPreview {
  readonly email: string;
  readonly workspace: string;
  readonly expiresAt: string;
  /** The title of the shared document; null: none. */
  readonly document: string | null;
}

/** The content of an invitation for the holder of its secret; a refusal with the reason if it has ended. */
export async function previewInvitation(context: MemberContext, secret: string): Promise<InvitationPreview | Refusal> {
  const row = await findInvitation(context, secret);
  if (row === null) return INVITATION_NOT_FOUND;
  if (row.damage.length > 0) return INVITATION_DAMAGED;
  if (row.ended_by !== null) return row.ended_by === 'use' ? INVITATION_USED : INVITATION_WITHDRAWN;
  if (row.expires_at <= context.clock()) return INVITATION_EXPIRED;
  const { email, workspace_name: workspace, document_title: document } = row;
  return { email, workspace, document, expiresAt: new Date(row.expires_at).toISOString() };
}

interface InvitationAcceptance {
  readonly secret: string;
  readonly name: string;
  readonly password: string;
  readonly from: SessionOrigin;
}

/** Creates the invited user and signs them in. An invitation works for one user. */
export async function acceptInvitation(
  context: SignInContext & Pick<ServiceContext, 'database'>,
  { secret, name: given, password, from }: InvitationAcceptance,
): Promise<NewSession | Refusal> {
  const invitation = await findValidInvitation(context, secret);
  if (isRefusal(invitation)) return invitation;
  const name = given.trim();
  const wrong = checkUserName(name) ?? checkNewPassword(password, invitation.email);
  if (wrong !== null) return wrong;
  const hash = await context.passwords.hash(password, from.address);
  if (isRefusal(hash)) return hash;
  const at = context.clock();
  const { id, email, workspace_id, document_id, role } = invitation;
  const email_key = toEmailKey(email);
  const by: Actor = { origin: 'browser', userId: null, userName: name, address: from.address };
  const user = {
    email,
    email_key,
    name,
    password_hash: hash,
    password_once: 0,
    created_at: at,
    workspace_id,
  };
  const shared = document_id === null || role === null ? [] : [shareWithInvitee({ document_id, email_key, role })];
  const outcome = await context.database.write({
    document: document_id,
    statements: [
      endInvitation({ id, now: at, by: 'use' }),
      insertUser(user),
      ...shared,
      buildAccountEntry(by, { action: 'invitation.accept', workspaceId: workspace_id, at, detail: email }),
      bumpAccessEpoch({}),
    ],
  });
  if (outcome.kind === 'conflict') {
    if (outcome.conflict === NO_INVITATION) return INVITATION_NOT_FOUND;
    return invalidRequest('email', `There is already a user with the address ${email}`);
  }
  const userId = Number(outcome.results[1]?.rows[0]?.['id']);
  await acceptOtherInvitations(context, email_key);
  return beginVerifiedSession(context, { id: userId, name, workspace_id, password_hash: hash }, from);
}

/** Also accepts the other invitations of the address. */
async function acceptOtherInvitations({ database, clock }: MemberContext, email_key: string): Promise<void> {
  const now = clock();
  for (const { id, document_id, role, damage } of await database.read(invitationsOf({ email_key, now }))) {
    if (document_id === null || role === null || damage.length > 0) continue;
    const statements = [
      endInvitation({ id, now, by: 'use' }),
      shareWithInvitee({ document_id, email_key, role }),
      bumpAccessEpoch({}),
    ];
    // A conflict means that the invitation has ended since.
    await database.write({ document: document_id, statements });
  }
}

/** The invitation with this secret, also an expired one; null if there is none. */
async function findInvitation({ database }: MemberContext, secret: string) {
  return isSecret(secret) ? database.readOne(invitationByHash({ hash: hashSecret(secret) })) : null;
}

/** The invitation with this secret; refused if there is none, or if it has ended or expired. */
async function findValidInvitation(context: MemberContext, secret: string) {
  const row = await findInvitation(context, secret);
  if (row !== null && row.damage.length > 0) return INVITATION_DAMAGED;
  return row === null || row.ended_by !== null || row.expires_at <= context.clock() ? INVITATION_NOT_FOUND : row;
}
