import { shareDocument } from '../../operations/documents/share-document.ts';
import { callersUser } from '../../service/accounts/members.ts';
import { userOfKey } from '../../service/google/key-users.ts';
import { listShares } from '../../service/sharing/list-shares.ts';
import type { GIVEN_ROLES } from '../../service/sharing/share.ts';
import { bodyOf, documentOf, type GoogleCall, type GoogleMethod, json } from '../call.ts';
import { compileMask, masked } from '../field-mask.ts';
import { text } from '../json.ts';
import { runOperation } from '../operation-call.ts';
import { invalid } from '../problem.ts';
import { DriveProblem } from './problem.ts';

type GivenRole = (typeof GIVEN_ROLES)[number];

const ROLES: Readonly<Record<string, GivenRole>> = {
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
  readonly email: string;
  readonly name: string;
}

const OWNS = { scope: 'documents.write', owner: true } as const;

async function permissionsOf(call: GoogleCall): Promise<readonly Permission[]> {
  const shares = await listShares(call.context, documentOf(call));
  const owner = await callersUser(call.context, call.caller);
  return [
    { id: String(owner.id), role: 'owner', email: owner.email, name: owner.name },
    ...shares.map(({ user, role }) => ({
      id: String(user.id),
      role: SHOWN[role] ?? 'reader',
      email: user.email,
      name: user.name,
    })),
  ];
}

function resource({ id, role, email, name }: Permission): Readonly<Record<string, unknown>> {
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

function answer(value: unknown, call: GoogleCall, plain: string) {
  return json(masked(value, compileMask(call.query.get('fields') || plain)));
}

export const listPermissions: GoogleMethod = {
  requires: OWNS,
  writes: false,
  async run(call) {
    const permissions = (await permissionsOf(call)).map(resource);
    return answer({ kind: 'drive#permissionList', permissions }, call, `kind,permissions(${PLAIN})`);
  },
};

async function find(call: GoogleCall, id: string): Promise<Permission> {
  const found = (await permissionsOf(call)).find((one) => one.id === id);
  if (found === undefined) throw new DriveProblem(404, 'notFound', `Permission not found: ${id}.`, 'permissionId');
  return found;
}

export const getPermission: GoogleMethod = {
  requires: OWNS,
  writes: false,
  run: async (call, { permissionId = '' }) => answer(resource(await find(call, permissionId)), call, PLAIN),
};

function roleOf(value: string | undefined): GivenRole {
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

export const createPermission: GoogleMethod = {
  requires: OWNS,
  writes: true,
  async run(call) {
    const body = bodyOf(call);
    const type = text(body, 'type', '');
    if (type !== 'user' && type !== 'group')
      throw invalid(`Permissions of the type ${String(type).slice(0, 50)} are not supported.`);
    const role = roleOf(text(body, 'role', ''));
    const email = text(body, 'emailAddress', '') ?? '';
    const user = (await userOfKey(call.context, email)) ?? email;
    const { shared } = (await runOperation(shareDocument, call, { user, role })) as {
      readonly shared: { readonly user: number };
    };
    return answer(resource(await find(call, String(shared.user))), call, PLAIN);
  },
};

export const updatePermission: GoogleMethod = {
  requires: OWNS,
  writes: true,
  async run(call, { permissionId = '' }) {
    const { id } = await find(call, permissionId);
    await runOperation(shareDocument, call, { user: Number(id), role: roleOf(text(bodyOf(call), 'role', '')) });
    return answer(resource(await find(call, id)), call, PLAIN);
  },
};

export const deletePermission: GoogleMethod = {
  requires: OWNS,
  writes: true,
  async run(call, { permissionId = '' }) {
    const { id } = await find(call, permissionId);
    await runOperation(shareDocument, call, { user: Number(id), role: 'none' });
    return { kind: 'nothing' };
  },
};
