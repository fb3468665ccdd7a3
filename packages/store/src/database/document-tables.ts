import type { DateSystem } from '@cellwire/engine';
import type { Generated } from 'kysely';
import type { StructureText } from './structure-text.ts';

/**
 * User id in a share with every user who knows the document's id. Real ids start at 1. Lists of documents and of users
 * omit such shares.
 */
export const ANYONE = 0;

/** Additional ids of documents. */
export interface DocumentAliasesTable {
  alias: string;
  /** The document's id. */
  target_id: string;
  created_at: number;
}

export interface DocumentsTable {
  /** UUID of the document. */
  id: string;
  owner_id: number;
  title: string;
  type: 'table' | 'text';
  format: 'collaborative' | 'legacy';
  locale: string;
  date_system: DateSystem;
  time_zone: string;
  revision: number;
  /** Id of the commit that created `revision`. It distinguishes histories with the same revision numbers. */
  head: string;
  /**
   * The time for which volatile functions were last evaluated: the time of the last commit, including the recalculation
   * at midnight.
   */
  calculated_at: number;
  created_at: number;
  updated_at: number;
  /** Time of the last commit. It never decreases, even if a clock does. */
  committed_at: number;
  /** Greatest number that was assigned to an audit entry. */
  audited: Generated<number>;
  /** Greatest `audit.api_number` that was assigned. */
  api_audited: Generated<number>;
  /** Locale of typed input: a locale id, or `document` for the document's own; null for the API's grammar. */
  input_locale: string | null;
  /** Sums of columns (`sum-groups.ts`). */
  facts_sum: Generated<number | null>;
  title_sum: Generated<number | null>;
  owner_sum: Generated<number | null>;
  format_sum: Generated<number | null>;
  times_sum: Generated<number | null>;
  updated_sum: Generated<number | null>;
}

/** Documents in the trash: rows that were moved from `documents`, with the time of deletion. */
export interface TrashTable
  extends Omit<DocumentsTable, 'id' | 'audited' | 'api_audited' | DocumentSum>,
    Readonly<Record<DocumentSum, number | null>> {
  document_id: string;
  deleted_at: number;
  audited: number;
  api_audited: number;
}

export type DocumentSum = `${'facts' | 'title' | 'owner' | 'format' | 'times' | 'updated'}_sum`;

/** Deleted documents, also in the trash, that still have audit entries. */
export interface RemovedTable {
  document_id: string;
  title: string;
  owner_id: number;
  removed_at: number;
}

/**
 * Documents that are being created or removed in several transactions. The row exists while other tables contain rows
 * of a document that has no row in `documents`.
 */
export interface UnfinishedTable {
  document_id: string;
  reason: 'create' | 'remove';
  touched_at: number;
}

export interface SharesTable {
  document_id: string;
  user_id: number;
  role: 'edit' | 'comment' | 'view';
  /** Sum of the columns (`sum-groups.ts`), here and in the following tables. */
  row_sum: Generated<number | null>;
}

export interface ProtectionsTable {
  document_id: string;
  /** The sheet's id in the engine. */
  sheet_id: number;
  hide_values: number;
  locked: number;
  /** JSON array of user ids. */
  allowed: string;
  row_sum: Generated<number | null>;
}

export interface PersonalFiltersTable {
  document_id: string;
  user_id: number;
  /** The sheet's id in the engine. */
  sheet_id: number;
  /** Revision to which the filter's cell positions refer. */
  revision: number;
  /** JSON of the engine's `SheetFilter`. */
  filter: string;
  row_sum: Generated<number | null>;
}

export interface CommitsTable {
  document_id: string;
  revision: number;
  /** Random id of the commit, as in `documents.head`. */
  head: string;
  /** Id of the previous commit; null if an older version created this one. */
  parent: string | null;
  at: number;
  /** Null for the service itself (the recalculation at midnight). */
  author_id: number | null;
  origin: string;
  token_id: number | null;
  token_name: string | null;
  /** Id of the request; null if there was none, or if an older version created the commit. */
  request_id: string | null;
  /** The engine's delta with the results of all changed cells, so that applying it needs no calculation. */
  delta: Uint8Array;
  /** JSON `StoredAreas` (`stored-forms/areas.ts`). */
  areas: string;
  /** Packed orders of sorted rows (`row-orders.ts`); null if there are none. */
  row_orders: string | null;
  /** Changes of sheets; null if there are none, or if an older version created the commit. */
  structure: StructureText | null;
  /** The engine's inverse, which undoes the commit; null if an older version created the commit. */
  inverse: Uint8Array | null;
  /** The revision that this commit undoes, and the revision that undoes this one. */
  undoes: Generated<number | null>;
  undone_by: Generated<number | null>;
  /** Name of the revision. Named revisions are retained at any age. */
  name: Generated<string | null>;
  /** Sums of columns (`sum-groups.ts`). */
  facts_sum: number | null;
  changes_sum: number | null;
  undoes_sum: Generated<number | null>;
  undone_sum: Generated<number | null>;
  name_sum: Generated<number | null>;
}

/** A retained checkpoint. Together with the commits after it, revisions up to `until` can be read. */
export interface BasesTable {
  document_id: string;
  revision: number;
  /** Null if it can be used up to the newest revision. */
  until: Generated<number | null>;
  /** 0 while the chunks of the checkpoint are being copied; then 1. */
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
  /** Number of the block; its rows begin at `block * 256`. */
  block: number;
  bytes: Uint8Array;
}

/** A part of the imported file, which exports write unchanged. */
export interface FilePartsTable {
  document_id: string;
  /** Path from the root of the file's package. */
  name: string;
  content_type: string;
  /** JSON array of the part's relationships. */
  relationships: string;
  /** Content of the part, compressed (raw deflate). */
  bytes: Uint8Array;
}

export interface AuditTable {
  document_id: string;
  /** Number of the entry: 1, 2, … by document. */
  id: number;
  action: string;
  origin: string;
  user_id: number;
  user_name: string;
  token_id: number | null;
  token_name: string | null;
  /** Id of the request, as in `commits`. */
  request_id: string | null;
  range: string;
  cells: number;
  at: number;
  /**
   * Number of the entry among the entries that the API lists: 1, 2, … without gaps. Null for other entries, for example
   * those of the console.
   */
  api_number: Generated<number | null>;
  /**
   * Null if the entry continues a run: it and the previous entry of the document are listed by the API, by the same user
   * and with the same token name. 1 in all other entries; entries of older versions have 1, too.
   */
  run_start: Generated<number | null>;
  /** The subscription that the entry concerns, and its target address; null if the entry concerns none. */
  subject_id: number | null;
  subject_address: string | null;
  /** JSON `AuditedProposal`; null if the entry concerns no proposal. */
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
  /** Body of the reply, JSON text. */
  reply: string;
  at: number;
  /** The revision that the request created; null if it created none, or if an older version stored the reply. */
  revision: number | null;
}

/** Replies to requests that created documents. They are in a separate table because the document did not exist yet. */
export interface MakingsTable {
  user_id: number;
  path: string;
  key: string;
  body_hash: string;
  reply: string;
  at: number;
}

/** When maintenance last checked a document, and when the next check is due. */
export interface RetentionTable {
  document_id: string;
  looked_at: number;
  /** The earliest time at which data found by the check expires. */
  due_at: number;
  /** The document's revision from which on it has more commits than are retained. */
  due_revision: number;
  /** The document's `revision` and `audited` at the time of the check. */
  revision: number;
  audited: number;
  /** JSON of the settings from which `due_at` and `due_revision` were computed. */
  settings: string;
}
