/** Answers of the service: the API types, which the client generates from openapi.json, and the answers that only the console uses. */
import type * as api from '@cellwire/client';
import type { DateSystem, LocaleId, Rearrangement } from '@cellwire/engine';

export type { AuditEntry, Delivery, Document, Revision, Sheet, Webhook } from '@cellwire/client';

/** How cells moved in one revision. */
export interface PublishedPlaces {
  readonly steps: readonly Rearrangement[];
  /** Current names of the sheets in `steps`, by id. */
  readonly sheets: readonly { readonly id: number; readonly name: string }[];
  /** True if cells cannot be followed. */
  readonly isUnknown?: true;
}

export interface DocumentChange extends api.Change {
  /** Positions of moved cells; absent if no cell moved. */
  readonly places?: PublishedPlaces;
  /** True if formulas in any cell may read differently, because a name or table was renamed. */
  readonly renamed?: true;
  /** The revision that this change undoes; absent if none. */
  readonly undoes?: number;
  /** The earlier revision that this change restores; absent if none. */
  readonly restores?: number;
}

export type Role = api.Document['permission'];

/** A cell as the API returns it without `render`. */
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
    /** Locale of new documents; null if none was chosen. */
    readonly locale: string | null;
  };
  readonly mustChangePassword: boolean;
  /** Build of the service. */
  readonly build: { readonly version: string; readonly commit: string };
  readonly session: { readonly id: number; readonly createdAt: string; readonly expiresAt: string };
  readonly features: {
    readonly valueWrites: boolean;
    readonly sheetOperations: boolean;
    readonly webhooks: boolean;
    readonly audit: boolean;
  };
}

export interface SheetProtectionView {
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
  /** True if the stored row is damaged: the user can neither sign in nor act. */
  readonly damaged?: true;
}

export interface Invitation {
  /** The document to which the invitation gives access; null if it only invites to the workspace. */
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
  /** Null for tokens that are older than the stored prefixes. */
  readonly prefix: string | null;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** True if the token's writes need consent. */
  readonly propose?: true;
  /** True if the stored row is damaged: the token is refused. */
  readonly damaged?: true;
  /** The secret, only in the answer that creates the token. */
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

/** A sign-in, or a change of rights. */
export interface AccountEntry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  /** Empty for an operator or a failed sign-in. */
  readonly userName: string;
  /** The user whom the entry is about; empty if none. */
  readonly subject: string;
  readonly detail: string;
  readonly address: string;
  readonly origin: string;
}

/** A deleted document. It can be restored until `expiresAt`. Times are ISO 8601. */
export interface TrashedDocument {
  readonly id: string;
  readonly title: string;
  readonly updatedAt: string;
  /** Number of changes since it was created. */
  readonly revision: number;
  readonly deletedAt: string;
  readonly expiresAt: string;
}

/** Rows or columns that do not have the default size. 0 pixels means hidden. */
export interface SizedLines {
  /** First and last index, from 0, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Size in pixels. */
  readonly size: number;
}

/** Style of a cell, in CSS terms. Absent members are plain. */
export interface CellStyle {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  /** Size in pixels. */
  readonly size?: number;
  /** `#rrggbb`. */
  readonly color?: string;
  readonly fill?: string;
  readonly horizontal?: 'left' | 'center' | 'right';
  readonly vertical?: 'top' | 'middle' | 'bottom';
  readonly wrap?: boolean;
  readonly borders?: { readonly [side in 'top' | 'right' | 'bottom' | 'left']?: string };
  /** A data bar, from the left in percent of the cell's width. */
  readonly bar?: { readonly color: string; readonly from: number; readonly to: number };
  /** An icon of a set, from the lowest (0) on. */
  readonly icon?: { readonly set: string; readonly index: number };
  /** The bar or the icon stands in place of the value. */
  readonly hidesValue?: boolean;
  /** The number format; General if absent. */
  readonly format?: string;
  readonly note?: string;
  /** What the validation rule of the cell shows. */
  readonly rule?: DisplayedInputRule;
}

export interface DisplayedInputRule {
  readonly kind: 'list' | 'checkbox' | 'other';
  /** The cell shows that it has a list. */
  readonly hasArrow: boolean;
  /** Text that the cell shows; empty for none. */
  readonly hint: string;
  /** Texts of a checkbox that is on and off. */
  readonly states?: readonly [on: string, off: string];
  /** The service checks input into the cell. */
  readonly isChecked: boolean;
}

/** Layout of a sheet. Sizes are in pixels; 0 means hidden. */
export interface SheetLayout {
  /** Does not change when the sheet is renamed. */
  readonly id: number;
  /** The revision of the layout. */
  readonly revision: number;
  readonly rows: number;
  readonly columns: number;
  readonly frozen: { readonly rows: number; readonly columns: number };
  readonly columnWidths: readonly SizedLines[];
  readonly rowHeights: readonly SizedLines[];
  readonly merges: readonly string[];
  /** True if any cell of the document has a style, a number format, a note or a rule. */
  readonly hasLooks: boolean;
  /** True if the style of a cell can change with the value of another one. */
  readonly hasFormatRules: boolean;
  readonly locale: LocaleId;
  readonly dateSystem: DateSystem;
  readonly protection: { readonly hideValues: boolean; readonly lock: boolean };
  /** What the caller may do with the cells. */
  readonly may: { readonly read: boolean; readonly write: boolean };
  /** True if this person sees the sheet through a filter. */
  readonly hasFilter: boolean;
}

/** Styles of a block: the distinct styles, and an index into them for each cell (-1: plain). */
export interface BlockStyleTable {
  readonly styles: readonly CellStyle[];
  readonly cells: readonly (readonly number[])[];
}

/** The contents of a file before it is imported into an open document. */
export interface SheetFilePreview {
  readonly size: { readonly rows: number; readonly columns: number };
  /** Name of the new sheet. */
  readonly sheet: string;
  /** The first rows. */
  readonly preview: readonly (readonly (string | number | boolean | null)[])[];
  /** Null if the file is not a `.csv` file. */
  readonly csv: {
    /** `tab` for a tab; null if every line is one field. */
    readonly delimiter: string | null;
    readonly encoding: string;
    readonly decimal: '.' | ',';
    readonly dateOrder: 'dmy' | 'mdy';
  } | null;
  readonly leftOut: readonly OmittedFeature[];
  /** Null if the sheet on the page cannot be read. */
  readonly append: { readonly row: number; readonly skipsHeader: boolean } | null;
}

/** A feature of a file that the import left out. */
export interface OmittedFeature {
  readonly kind: string;
  readonly count: number;
  readonly what?: string;
}
