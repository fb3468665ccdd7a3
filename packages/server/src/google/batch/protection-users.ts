/** Users named by protected ranges. */
export interface ProtectionUsers {
  /** The caller's email address. */
  readonly email: string;
  readonly ids: ReadonlyMap<string, number>;
}

export const NO_USERS: ProtectionUsers = { email: '', ids: new Map() };
