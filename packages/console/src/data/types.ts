/** What the service answers, as openapi.json and docs say it. Dates are ISO 8601 texts. */
export type Role = 'owner' | 'edit' | 'comment' | 'view';

export interface Me {
  readonly user: { readonly id: number; readonly name: string; readonly email: string };
  readonly workspace: { readonly id: number; readonly name: string; readonly plan: string; readonly owner: boolean };
  readonly mustChangePassword: boolean;
  readonly session: { readonly id: string | number; readonly createdAt: string; readonly expiresAt: string };
  readonly features: {
    readonly valueWrites: boolean;
    readonly sheetOperations: boolean;
    readonly webhooks: boolean;
    readonly audit: boolean;
  };
  readonly version: string;
}

export interface Document {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: Role;
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Cell {
  readonly v: number | string | boolean;
  readonly m: string;
  readonly f?: string;
  readonly t?: 'd';
  readonly error?: { readonly code: string; readonly message: string };
}

export interface ValueRange {
  readonly sheet: string;
  readonly range: string;
  readonly cells: readonly (readonly (Cell | null)[])[];
  readonly pagination: { readonly total: number; readonly returned: number; readonly nextOffset: number | null };
}

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly order: number;
  readonly color: string | null;
}

export interface Protection {
  readonly sheet: string;
  readonly hideValues: boolean;
  readonly lock: boolean;
  readonly allow: readonly number[];
}

export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly owner: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly lastSignInAt: string | null;
}

export interface Invitation {
  readonly id: number;
  readonly email: string;
  readonly createdAt?: string;
  readonly expiresAt: string;
  readonly invitedBy?: string | null;
  readonly link?: string;
}

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** Only right after it was made. */
  readonly secret?: string;
}

export interface TokenList {
  readonly tokens: readonly Token[];
  readonly limit: number | null;
  readonly scopes: readonly { readonly name: string; readonly allows: string }[];
}

export interface Session {
  readonly id: string | number;
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly address: string | null;
  readonly agent: string | null;
}

/** A change as the feed tells it. */
export interface Change {
  readonly revision: number;
  readonly changedAt: string;
  readonly origin: string;
  readonly sourceToken: string | null;
  readonly author: { readonly id: number; readonly name: string } | null;
  readonly cellCount: number;
  readonly ranges: readonly string[];
  readonly derived: readonly string[];
  readonly truncated: boolean;
  readonly moved?: readonly { readonly from: string; readonly to: string }[];
  readonly structure: readonly Readonly<Record<string, unknown>>[];
}

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly userId: number | null;
  readonly userName: string | null;
  readonly token: string | null;
  readonly origin: string;
  readonly ranges: readonly string[];
  readonly cells: number;
  readonly name?: string | null;
  readonly undoOf?: number;
}
