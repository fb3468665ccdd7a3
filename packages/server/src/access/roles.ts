/** Roles of a user in a document, the most powerful first. */
export const ROLES = ['owner', 'edit', 'comment', 'view'] as const;
export type Role = (typeof ROLES)[number];

/** A role that can be given to another user. A document has exactly one owner. */
export type SharedRole = Exclude<Role, 'owner'>;

export function canWrite(role: Role): boolean {
  return role === 'owner' || role === 'edit';
}
