/** What the service answers: the API as openapi.json describes it, and what only this application asks. */
import type { DateSystem, LocaleId, Rearrangement } from '@cellwire/engine';
import type * as api from './api.ts';

export type { Attempt, AuditEntry, Delivery, Document, Revision, Sheet, Webhook } from './api.ts';

/** How cells changed places in one revision. */
export interface PublishedPlaces {
  readonly steps: readonly Rearrangement[];
  /** The present names of the sheets that the steps name by their ids. */
  readonly sheets: readonly { readonly id: number; readonly name: string }[];
  /** No cell can be followed. */
  readonly isUnknown?: true;
}

export interface Change extends api.Change {
  /** Absent: no cell changed its place. */
  readonly places?: PublishedPlaces;
}

export type Role = api.Document['permission'];

/** As it comes without `render`. */
export type Cell = Extract<api.Cell, object>;

export interface ValueRange extends Omit<api.ValueRange, 'cells'> {
  readonly cells: readonly (readonly (Cell | null)[])[];
}

export interface Me {
  readonly user: { readonly id: number; readonly name: string; readonly email: string };
  readonly workspace: {
    readonly id: number;
    readonly name: string;
    readonly plan: string;
    readonly owner: boolean;
    /** Of its new documents; null: none was chosen. */
    readonly locale: string | null;
  };
  readonly mustChangePassword: boolean;
  /** Of the service. */
  readonly build: { readonly version: string; readonly commit: string };
  readonly session: { readonly id: number; readonly createdAt: string; readonly expiresAt: string };
  readonly features: {
    readonly valueWrites: boolean;
    readonly sheetOperations: boolean;
    readonly webhooks: boolean;
    readonly audit: boolean;
  };
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
  /** What whoever accepts may do in which document; null: nothing but join. */
  readonly document: { readonly id: string; readonly role: Role } | null;
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
  /** Null: the token is older than prefixes are kept. */
  readonly prefix: string | null;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** Its writes need consent. */
  readonly propose?: true;
  /** Only right after it was made. */
  readonly secret?: string;
}

export interface TokenList {
  readonly tokens: readonly Token[];
  readonly limit: number | null;
  readonly scopes: readonly { readonly name: string; readonly allows: string }[];
}

export interface Session {
  readonly id: number;
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly address: string;
  readonly agent: string;
}

/** A sign-in, or a change of who may do what. */
export interface AccountEntry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  /** Empty: an operator, or somebody who could not sign in. */
  readonly userName: string;
  /** The user whom it is about; empty: none. */
  readonly subject: string;
  readonly detail: string;
  readonly address: string;
  readonly origin: string;
}

/** A deleted document that can be restored until `expiresAt`. Times are ISO 8601. */
export interface TrashedDocument {
  readonly id: string;
  readonly title: string;
  readonly deletedAt: string;
  readonly expiresAt: string;
}

/** Lines that are not of the common size; 0 pixels: hidden. */
export interface SizedLines {
  /** From 0, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** In pixels. */
  readonly size: number;
}

/** How a cell looks beside its text, in what CSS understands; what is absent is plain. */
export interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  /** In pixels. */
  readonly size?: number;
  /** `#rrggbb`. */
  readonly color?: string;
  readonly fill?: string;
  readonly horizontal?: 'left' | 'center' | 'right';
  readonly vertical?: 'top' | 'middle' | 'bottom';
  readonly wrap?: boolean;
  readonly borders?: { readonly [side in 'top' | 'right' | 'bottom' | 'left']?: string };
  /** The number format; absent: General. */
  readonly format?: string;
}

/** How a sheet is laid out, as the service tells it. Sizes in pixels; 0: hidden. */
export interface SheetLayout {
  /** Kept through renames. */
  readonly id: number;
  /** The revision that it is of. */
  readonly revision: number;
  readonly rows: number;
  readonly columns: number;
  readonly frozen: { readonly rows: number; readonly columns: number };
  readonly columnWidths: readonly SizedLines[];
  readonly rowHeights: readonly SizedLines[];
  readonly merges: readonly string[];
  /** Whether any cell of the document has a style or a number format. */
  readonly hasLooks: boolean;
  readonly locale: LocaleId;
  readonly dateSystem: DateSystem;
  readonly protection: { readonly hideValues: boolean; readonly lock: boolean };
  /** What the caller may do with its cells. */
  readonly may: { readonly read: boolean; readonly write: boolean };
  /** Whether the sheet has a filter that this person looks through. */
  readonly hasFilter: boolean;
}

/** The styles of a block's cells: the distinct ones, and a number of them for every cell (-1: plain). */
export interface BlockLooks {
  readonly styles: readonly Look[];
  readonly cells: readonly (readonly number[])[];
}
