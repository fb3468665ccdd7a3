import type { DateSystem } from '@cellwire/engine';
import type { Generated } from 'kysely';
import type { StructureText } from './structure-text.ts';

/**
 * In place of a user's id: every user who knows the document's id. Users have ids from 1 on. Lists of documents and of
 * users leave such a share out.
 */
export const ANYONE = 0;

/** Another id of a document. */
export interface DocumentAliasesTable {
  alias: string;
  /** The document's id. */
  target_id: string;
  created_at: number;
}

export interface DocumentsTable {
  /** UUID. */
  id: string;
  owner_id: number;
  title: string;
  type: 'table' | 'text';
  format: 'collaborative' | 'legacy';
  locale: string;
  date_system: DateSystem;
  time_zone: string;
  revision: number;
  /** Names the commit that made `revision`, so that a writer notices another history with the same number. */
  head: string;
  /** When volatile functions were last evaluated: the time of the last commit, that of a new day included. */
  calculated_at: number;
  created_at: number;
  updated_at: number;
  /** When the last commit was made. Never goes back, whatever the clocks do. */
  committed_at: number;
  /** The greatest number that was ever given to an entry of the audit log. */
  audited: Generated<number>;
  /** The greatest `audit.api_number` that was ever given. */
  api_audited: Generated<number>;
  /** By whose habits texts are typed: a locale, or `document` for its own; null: by the API's grammar. */
  input_locale: string | null;
}

/** Documents in the bin: the rows that were taken out of `documents`, and when. */
export interface TrashTable extends Omit<DocumentsTable, 'id' | 'audited' | 'api_audited'> {
  document_id: string;
  deleted_at: number;
  audited: number;
  api_audited: number;
}

/** Documents that were deleted, those in the bin too, while there is something left of their audit logs. */
export interface RemovedTable {
  document_id: string;
  title: string;
  owner_id: number;
  removed_at: number;
}

/** Documents being made or removed in several transactions: what holds their rows when there is no document (yet). */
export interface UnfinishedTable {
  document_id: string;
  reason: 'create' | 'remove';
  touched_at: number;
}

export interface SharesTable {
  document_id: string;
  user_id: number;
  role: 'edit' | 'comment' | 'view';
}

export interface ProtectionsTable {
  document_id: string;
  /** The sheet's id in the engine. */
  sheet_id: number;
  hide_values: number;
  locked: number;
  /** JSON array of user ids. */
  allowed: string;
}

export interface PersonalFiltersTable {
  document_id: string;
  user_id: number;
  /** The sheet's id in the engine. */
  sheet_id: number;
  /** The revision in which the cells are where the filter says. */
  revision: number;
  /** JSON of the engine's `SheetFilter`. */
  filter: string;
}

export interface CommitsTable {
  document_id: string;
  revision: number;
  /** As in `documents.head`. */
  head: string;
  /** Names the commit before this one; null: made by a version that did not say. */
  parent: string | null;
  at: number;
  /** Null: the service itself (a new day's recalculation). */
  author_id: number | null;
  origin: string;
  token_id: number | null;
  token_name: string | null;
  /** Of the request that wrote it; null: none did, or a version that did not say. */
  request_id: string | null;
  /** The engine's delta: the result of every changed cell, so that applying it never calculates. */
  delta: Uint8Array;
  /** JSON, see `StoredAreas` in `commits.ts`. */
  areas: string;
  /** Packed orders of sorted rows, see `row-orders.ts`; null: none. */
  row_orders: string | null;
  /** Changes of sheets themselves; null: none, or written by a version that did not store them. */
  structure: StructureText | null;
  /** The engine's inverse: what takes the commit back; null: made by a version that kept none. */
  inverse: Uint8Array | null;
  /** The revision that this one took back, and the one that took this one back and stands. */
  undoes: Generated<number | null>;
  undone_by: Generated<number | null>;
  /** A named revision is kept whatever its age. */
  name: Generated<string | null>;
}

/** A checkpoint that was kept: with the log after it, revisions up to `until` can be read. */
export interface BasesTable {
  document_id: string;
  revision: number;
  /** Null: up to the newest. */
  until: Generated<number | null>;
  /** 0 while its chunks are being copied. */
  complete: number;
  meta: Uint8Array;
}

export interface BaseChunksTable {
  document_id: string;
  base_revision: number;
  sheet_id: number;
  column_index: number;
  block: number;
  bytes: Uint8Array;
}

export interface CheckpointsTable {
  document_id: string;
  revision: number;
  meta: Uint8Array;
}

export interface ChunksTable {
  document_id: string;
  sheet_id: number;
  column_index: number;
  /** Rows `block × 256 …`. */
  block: number;
  bytes: Uint8Array;
}

/** A part of the file that a document came from, as its exports write it. */
export interface FilePartsTable {
  document_id: string;
  /** From the root of the file's package. */
  name: string;
  content_type: string;
  /** JSON array: what it leads to. */
  relationships: string;
  /** Packed. */
  bytes: Uint8Array;
}

export interface AuditTable {
  document_id: string;
  /** 1, 2, … by document. */
  id: number;
  action: string;
  origin: string;
  user_id: number;
  user_name: string;
  token_id: number | null;
  token_name: string | null;
  /** As in `commits`. */
  request_id: string | null;
  range: string;
  cells: number;
  at: number;
  /** 1, 2, … without gaps among the entries that the API lists; null: made in the console, not listed there. */
  api_number: Generated<number | null>;
  /** The subscription that the entry is about, and where it leads; null: about none. */
  subject_id: number | null;
  subject_address: string | null;
  /** JSON `AuditedProposal` of an entry about a proposal; null: about none. */
  proposal: string | null;
}

export interface IdempotencyTable {
  document_id: string;
  user_id: number;
  method: string;
  path: string;
  key: string;
  body_hash: string;
  status: number;
  /** The reply's body, JSON text. */
  reply: string;
  at: number;
}

/** Replies to requests that made documents; there is no document that these were about. */
export interface MakingsTable {
  user_id: number;
  path: string;
  key: string;
  body_hash: string;
  reply: string;
  at: number;
}

/** When maintenance last looked at a document, and when it has to look again. */
export interface RetentionTable {
  document_id: string;
  looked_at: number;
  /** The earliest time at which something seen then is past its time. */
  due_at: number;
  /** The revision from which on there are more commits than are kept. */
  due_revision: number;
  /** The document's `revision` and `audited` at that time. */
  revision: number;
  audited: number;
  /** The settings that `due_at` and `due_revision` follow from, as JSON. */
  settings: string;
}
