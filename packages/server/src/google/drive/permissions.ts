import type { AccessRequirements } from '../../access/gate.ts';
import { shareDocument } from '../../operations/documents/share-document.ts';
import { findCallerUser } from '../../service/accounts/members.ts';
import { findKeyUser } from '../../service/google/key-users.ts';
import { listShares } from '../../service/sharing/list-shares.ts';
import { type GIVEN_ROLES, readAnyoneRole, shareWithAnyone } from '../../service/sharing/share.ts';
import {
  type GoogleCall,
  type GoogleMethod,
  requireBodyObject,
  requireCallDocument,
  requireSuccess,
  toDocumentAction,
  toJsonAnswer,
} from '../call.ts';
import { compileMask, selectMembers } from '../field-mask.ts';
import { type RequestObject, readText } from '../json.ts';
import { runOperation } from '../operation-call.ts';
import { createInvalidProblem } from '../problem.ts';
import { DriveProblem } from './problem.ts';

type PermissionRole = (typeof GIVEN_ROLES)[number];

const ROLES: Readonly<Record<string, PermissionRole>> = {
  reader: 'view',
  commenter: 'comment',
  writer: 'edit',
  fileOrganizer: 'edit',
  organizer: 'edit',
};
const SHOWN: Readonly<Record<string, string>> = {
  view: 'reader',
  comment: 'commenter',
  edit: 'writer',
  owner: 'owner',
};

interface Permission {
  readonly id: string;
  readonly role: string;
  /** Null: every user of this installation who knows the id. */
  readonly user: { readonly email: string; readonly name: string } | null;
}

/** The id of the permission of everyone. */
const WITH_LINK = 'anyoneWithLink';

const OWNS: AccessRequirements = { scope: 'documents.write', owner: true };

async function readPermissions(call: GoogleCall): Promise<readonly Permission[]> {
  const shares = await listShares(call.context, requireCallDocument(call));
  const anyone = await readAnyoneRole(call.context, requireCallDocument(call));
  const owner = await findCallerUser(call.context, call.caller);
  return [
    { id: String(owner.id), role: 'owner', user: owner },
    ...shares.map(({ user, role }) => ({ id: String(user.id), role: SHOWN[role] ?? 'reader', user })),
    ...(anyone === null ? [] : [{ id: WITH_LINK, role: SHOWN[anyone] ?? 'reader', user: null }]),
  ];
}

function describePermission({ id, role, user }: Permission): Readonly<Record<string, unknown>> {
  if (user === null) return { kind: 'drive#permission', id, type: 'anyone', role, allowFileDiscovery: false };
  const { email, name } = user;
  return {
    kind: 'drive#permission',
    id,
    type: 'user',
    emailAddress: email,
    role,
    displayName: name,
    deleted: false,
    pendingOwner: false,
  };
}

const PLAIN = 'kind,id,type,role';

/** Answers with the members that the query’s `fields` names. `plain`: the members without `fields`. */
function answerSelected(value: unknown, call: GoogleCall, plain: string) {
  return toJsonAnswer(selectMembers(value, compileMask(call.query.get('fields') || plain)));
}

export const listPermissions: GoogleMethod = {
  requires: OWNS,
  writes: false,
  async run(call) {
    const permissions = (await readPermissions(call)).map(describePermission);
    return answerSelected({ kind: 'drive#permissionList', permissions }, call, `kind,permissions(${PLAIN})`);
  },
};

async function requirePermission(call: GoogleCall, id: string): Promise<Permission> {
  const found = (await readPermissions(call)).find((one) => one.id === id);
  if (found === undefined) throw new DriveProblem(404, 'notFound', `Permission not found: ${id}.`, 'permissionId');
  return found;
}

export const getPermission: GoogleMethod = {
  requires: OWNS,
  writes: false,
  run: async (call, { permissionId = '' }) =>
    answerSelected(describePermission(await requirePermission(call, permissionId)), call, PLAIN),
};

function parseRole(value: string | undefined): PermissionRole {
  const role = value === undefined ? undefined : ROLES[value];
  if (role === undefined)
    throw new DriveProblem(
      400,
      'invalid',
      `The specified role is invalid: ${String(value).slice(0, 50)}`,
      'permission.role',
    );
  return role;
}

/** Gives the role to a user, or to everyone with the link if the id says so. */
async function setRole(call: GoogleCall, id: string, role: PermissionRole): Promise<void> {
  if (id === WITH_LINK) requireSuccess(await shareWithAnyone(call.context, toDocumentAction(call), role));
  else await runOperation(shareDocument, call, { user: Number(id), role });
}

export const createPermission: GoogleMethod = {
  requires: OWNS,
  writes: true,
  async run(call) {
    const body = requireBodyObject(call);
    refuseExpiration(body);
    const type = readText(body, 'type', '');
    if (type !== 'user' && type !== 'group' && type !== 'anyone')
      throw createInvalidProblem(`Permissions of the type ${String(type).slice(0, 50)} are not supported.`);
    const email = readText(body, 'emailAddress', '') ?? '';
    const user = (await findKeyUser(call.context, email)) ?? email;
    if (readText(body, 'role', '') === 'owner')
      return answerSelected(describePermission(await requireCurrentOwner(call, user)), call, PLAIN);
    const role = parseRole(readText(body, 'role', ''));
    if (type === 'anyone') {
      await setRole(call, WITH_LINK, role);
      return answerSelected(describePermission(await requirePermission(call, WITH_LINK)), call, PLAIN);
    }
    const { shared } = (await runOperation(shareDocument, call, { user, role })) as {
      readonly shared: { readonly user: number };
    };
    return answerSelected(describePermission(await requirePermission(call, String(shared.user))), call, PLAIN);
  },
};

/** Throws a `Problem` if the body limits a share in time: shares have no end here. */
function refuseExpiration(body: RequestObject): void {
  if (body['expirationTime'] != null) throw createInvalidProblem('expirationTime is not supported.');
}

/**
 * The owner's permission if `user` is the current owner. Throws a `DriveProblem` for other users: ownership cannot be
 * transferred here. Clients send the current owner with a copy, which changes nothing.
 */
async function requireCurrentOwner(call: GoogleCall, user: number | string): Promise<Permission> {
  const [owner] = await readPermissions(call);
  if (owner !== undefined && (owner.id === String(user) || owner.user?.email === user)) return owner;
  const text = "The transferOwnership parameter must be enabled when the permission role is 'owner'.";
  throw new DriveProblem(403, 'forbidden', text, 'transferOwnership');
}

export const updatePermission: GoogleMethod = {
  requires: OWNS,
  writes: true,
  async run(call, { permissionId = '' }) {
    const { id } = await requirePermission(call, permissionId);
    const body = requireBodyObject(call);
    refuseExpiration(body);
    await setRole(call, id, parseRole(readText(body, 'role', '')));
    return answerSelected(describePermission(await requirePermission(call, id)), call, PLAIN);
  },
};

export const deletePermission: GoogleMethod = {
  requires: OWNS,
  writes: true,
  async run(call, { permissionId = '' }) {
    const { id } = await requirePermission(call, permissionId);
    await setRole(call, id, 'none');
    return { kind: 'nothing' };
  },
};
