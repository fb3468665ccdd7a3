/** What a user is to a document, most rights first. */
export const ROLES = ['owner', 'edit', 'comment', 'view'] as const;
export type Role = (typeof ROLES)[number];

/** A role that can be given away; a document has one owner. */
export type SharedRole = Exclude<Role, 'owner'>;

/** The one of two roles that has more rights. */
export function greaterRole<R extends Role>(one: R, other: R): R {
  return ROLES.indexOf(one) < ROLES.indexOf(other) ? one : other;
}

export function canWrite(role: Role): boolean {
  return role === 'owner' || role === 'edit';
}
