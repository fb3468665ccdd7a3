import type { Caller } from '../../access/callers.ts';
import { isSecret, newSecret, secretHash } from '../../access/secrets.ts';
import { INVITATION_LIFE_MS, MAX_OPEN_INVITATIONS } from '../../limits/console.ts';
import { emailKey, insertUser, userByEmail } from '../../store/accounts.ts';
import { bumpAccessEpoch } from '../../store/epoch.ts';
import {
  endInvitation,
  insertInvitation,
  invitationByHash,
  NO_INVITATION,
  openInvitations,
  trimInvitations,
} from '../../store/invitations.ts';
import { NO_SESSION } from '../../store/sessions.ts';
import type { ServiceContext } from '../context.ts';
import { INVITATION_NOT_FOUND, invalidRequest, isRefusal, type Refusal, UNAUTHENTICATED } from '../refusal.ts';
import { type Actor, accountEntry, sessionHolds } from './actor.ts';
import { asOwner, type MemberContext } from './members.ts';
import { passwordRefusal } from './password.ts';
import { type BegunSession, beginSessionOf, type Origin, type SignInContext } from './sign-in.ts';
import { emailRefusal, nameRefusal } from './user-fields.ts';

/** An invitation that nobody has accepted. Times are ISO 8601. */
export interface InvitationView {
  readonly id: number;
  readonly email: string;
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** Invites somebody into the caller's workspace. `secret` is shown this once; whoever has it can join. */
export async function invite(
  context: MemberContext,
  caller: Caller,
  { email: given, by }: { readonly email: string; readonly by: Actor },
): Promise<(InvitationView & { readonly secret: string }) | Refusal> {
  const owner = await asOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const email = given.trim();
  const wrong = emailRefusal(email);
  if (wrong !== null) return wrong;
  // Whether somebody of another workspace has the address is not the owner's to know.
  const user = await context.database.readOne(userByEmail({ key: emailKey(email) }));
  if (user?.workspace_id === owner.workspace_id) return invalidRequest('email', `${email} is here already`);
  const now = context.clock();
  const secret = newSecret();
  const workspace_id = owner.workspace_id;
  const row = {
    workspace_id,
    email,
    hash: secretHash(secret),
    invited_by: owner.name,
    created_at: now,
    expires_at: now + INVITATION_LIFE_MS,
  };
  const outcome = await context.database.write({
    document: null,
    statements: [
      trimInvitations({ workspace_id, now }),
      insertInvitation({ ...row, limit: MAX_OPEN_INVITATIONS }),
      ...sessionHolds(by),
      accountEntry(by, { action: 'invitation.create', workspaceId: workspace_id, at: now, detail: email }),
    ],
  });
  if (outcome.kind === 'conflict') {
    if (outcome.conflict === NO_SESSION) return UNAUTHENTICATED;
    return invalidRequest('email', `${MAX_OPEN_INVITATIONS} invitations are open; take some back first`);
  }
  return { ...viewOf({ ...row, id: Number(outcome.results[1]?.rows[0]?.['id']) }), secret };
}

/** The newest first. */
export async function listInvitations(
  context: MemberContext,
  caller: Caller,
): Promise<readonly InvitationView[] | Refusal> {
  const owner = await asOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const rows = await context.database.read(openInvitations({ workspace_id: owner.workspace_id, now: context.clock() }));
  return rows.map(viewOf);
}

/** Takes an invitation back. Null when it is done. */
export async function withdrawInvitation(
  context: MemberContext,
  caller: Caller,
  { id, by }: { readonly id: number; readonly by: Actor },
): Promise<Refusal | null> {
  const owner = await asOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const { workspace_id } = owner;
  const note = { action: 'invitation.withdraw', workspaceId: workspace_id, at: context.clock() } as const;
  const statements = [endInvitation({ id, workspace_id }), accountEntry(by, note)];
  const outcome = await context.database.write({ document: null, statements });
  return outcome.kind === 'conflict' ? INVITATION_NOT_FOUND : null;
}

function viewOf(row: {
  readonly id: number;
  readonly email: string;
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
}): InvitationView {
  return {
    id: row.id,
    email: row.email,
    invitedBy: row.invited_by,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}

/** Who is invited, and to where. */
interface Invited {
  readonly email: string;
  readonly workspace: string;
  readonly expiresAt: string;
}

/** What an invitation says to whoever has it. */
export async function lookAtInvitation(context: MemberContext, secret: string): Promise<Invited | Refusal> {
  const row = await validInvitation(context, secret);
  if (isRefusal(row)) return row;
  return { email: row.email, workspace: row.workspace_name, expiresAt: new Date(row.expires_at).toISOString() };
}

interface Acceptance {
  readonly secret: string;
  readonly name: string;
  readonly password: string;
  readonly from: Origin;
}

/** Makes the user who was invited, and signs them in. An invitation is good for one user. */
export async function acceptInvitation(
  context: SignInContext & Pick<ServiceContext, 'database'>,
  { secret, name: given, password, from }: Acceptance,
): Promise<BegunSession | Refusal> {
  const invitation = await validInvitation(context, secret);
  if (isRefusal(invitation)) return invitation;
  const name = given.trim();
  const wrong = nameRefusal(name) ?? passwordRefusal(password, invitation.email);
  if (wrong !== null) return wrong;
  const hash = await context.passwords.hash(password, from.address);
  if (isRefusal(hash)) return hash;
  const at = context.clock();
  const { id, email, workspace_id } = invitation;
  const by: Actor = { origin: 'browser', userId: null, userName: name, address: from.address };
  const user = {
    email,
    email_key: emailKey(email),
    name,
    password_hash: hash,
    password_once: 0,
    created_at: at,
    workspace_id,
  };
  const outcome = await context.database.write({
    document: null,
    statements: [
      endInvitation({ id, workspace_id }),
      insertUser(user),
      accountEntry(by, { action: 'invitation.accept', workspaceId: workspace_id, at, detail: email }),
      bumpAccessEpoch({}),
    ],
  });
  if (outcome.kind === 'conflict') {
    if (outcome.conflict === NO_INVITATION) return INVITATION_NOT_FOUND;
    return invalidRequest('email', `There is already a user with the address ${email}`);
  }
  const userId = Number(outcome.results[1]?.rows[0]?.['id']);
  return beginSessionOf(context, { id: userId, name, workspace_id, password_hash: hash }, from);
}

async function validInvitation({ database, clock }: MemberContext, secret: string) {
  const row = isSecret(secret) ? await database.readOne(invitationByHash({ hash: secretHash(secret) })) : null;
  return row === null || row.expires_at <= clock() ? INVITATION_NOT_FOUND : row;
}
