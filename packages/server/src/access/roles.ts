/** What a user is to a document, most rights first. */
export const ROLES = ['owner', 'edit', 'comment', 'view'] as const;
export type Role = (typeof ROLES)[number];

/** A role that can be given away; a document has one owner. */
export type SharedRole = Exclude<Role, 'owner'>;

export function canWrite(role: Role): boolean {
  return role === 'owner' || role === 'edit';
}
