/** Roles of a user in a document, the most powerful first. */
export const ROLES = ['owner', 'edit', 'comment', 'view'] as const;
export type Role = (typeof ROLES)[number];

/** A role that can be given to another user. A document has exactly one owner. */
export type SharedRole = Exclude<Role, 'owner'>;

/** The one of two roles that has more rights. */
export function chooseGreaterRole<R extends Role>(role: R, other: R): R {
  return ROLES.indexOf(role) < ROLES.indexOf(other) ? role : other;
}

export function canWrite(role: Role): boolean {
  return role === 'owner' || role === 'edit';
}
