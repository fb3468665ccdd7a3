import { jsonText, type Snapshot } from '@cellwire/engine';
import type { NotificationsTable } from '@cellwire/store';
import { parseStoredJson, parseStoredList, type StructureOperation } from '@cellwire/store/stored-forms';
import type { ChangedSheet, StoredAuthor, StoredRecords } from '@cellwire/store/webhooks';
import { type PublishedPart, publishOperations, publishRecords, publishSheets } from '../service/changes/publishing.ts';
import { buildCellsPart, type CellsPart } from './cells-part.ts';

export const EVENT = 'document.updated';
const SCHEMA_VERSION = '1.0';

/** The facts about a document in its notifications. */
export interface DocumentFacts {
  readonly id: string;
  readonly title: string;
  /** Link to the document in the console; null: this service's address is not known. */
  readonly url: string | null;
  readonly workspace: { readonly id: number; readonly name: string };
}

/** The changed cells at their positions in a snapshot. */
interface ShownCells {
  readonly snapshot: Snapshot;
  readonly sheets: readonly ChangedSheet[];
}

/** The facts about an attempt in the payload. */
export interface AttemptFacts {
  readonly deliveryId: string;
  readonly attempt: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

export interface PayloadLimits {
  readonly maxCells: number;
  readonly maxBytes: number;
}

/** Maximum bytes of the members about the attempt. */
const ATTEMPT_BYTES = 160;

/** The payload of a notification, with values of one snapshot, for a reader who may not see the `hidden` sheets. */
export class Payload {
  readonly event: string = EVENT;
  readonly authors: readonly StoredAuthor[];
  /** Operations on whole sheets. */
  readonly structure: PublishedPart<readonly StructureOperation[]>;
  readonly part: CellsPart;
  /** Changed records; null: no records are followed, or they are hidden. */
  private readonly records: PublishedPart<StoredRecords> | null;
  private readonly isTest: boolean;
  private readonly head: string;

  constructor(
    notification: NotificationsTable,
    document: DocumentFacts,
    { snapshot, sheets }: ShownCells,
    hidden: ReadonlySet<number>,
    { maxCells, maxBytes }: PayloadLimits,
  ) {
    this.authors = parseStoredList<StoredAuthor>(notification.authors, 'The authors of a notification');
    const reader = { hiddenSheets: hidden };
    const touched = sheets.map(({ id }) => id);
    this.structure = publishOperations(notification.structure, reader, { sheets: snapshot.sheets, touched });
    this.isTest = notification.kind === 'test';
    this.records = publishRecords(parseStoredRecords(notification), reader);
    const facts = { authors: this.authors, structure: this.structure, records: this.records };
    this.head = jsonText(buildHead(notification, document, facts)).slice(0, -1);
    const bytes = maxBytes - Buffer.byteLength(this.head) - ATTEMPT_BYTES;
    const isCut = this.records?.isCut ?? false;
    this.part = buildCellsPart(publishSheets(sheets, reader), snapshot, { cells: maxCells, bytes, isCut });
  }

  /** Whether there is nothing to notify. Tests are never empty. */
  get isEmpty(): boolean {
    return !this.isTest && this.structure.length === 0 && this.part.count === 0 && this.records === null;
  }

  /** The body in the contract's format, as the bytes that are signed and sent. */
  buildBody({ deliveryId, attempt, at }: AttemptFacts): Buffer {
    const tail = JSON.stringify({ deliveryId, attempt, deliveredAt: new Date(at).toISOString() });
    return Buffer.from(`${this.head},${this.part.json},${tail.slice(1)}`);
  }
}

interface PayloadContent {
  readonly authors: readonly StoredAuthor[];
  readonly structure: PublishedPart<readonly StructureOperation[]>;
  readonly records: PublishedPart<StoredRecords> | null;
}

/** The records of a notification; null if its subscription watches none. */
function parseStoredRecords({ records }: NotificationsTable): StoredRecords | null {
  return records === null ? null : parseStoredJson<StoredRecords>(records, 'The records of a notification');
}

/** The members of a payload before its cells. */
function buildHead(
  notification: NotificationsTable,
  document: DocumentFacts,
  { authors, structure, records }: PayloadContent,
) {
  return {
    ...buildCommonHead(EVENT, notification, document, authors),
    ...(structure.length > 0 ? { structure } : {}),
    ...(records === null ? {} : { records: records.list }),
    ...(notification.kind === 'test' ? { test: true } : {}),
  };
}

/** Builds the first members of every notification's body. */
export function buildCommonHead(
  event: string,
  { origin, token_name, from_revision, to_revision, changed_at }: NotificationsTable,
  document: DocumentFacts,
  authors: readonly StoredAuthor[],
) {
  return {
    schemaVersion: SCHEMA_VERSION,
    event,
    source: origin,
    sourceToken: token_name,
    documentId: document.id,
    documentTitle: document.title,
    documentUrl: document.url,
    workspace: document.workspace,
    revision: { from: from_revision, to: to_revision },
    changedAt: changed_at === null ? null : new Date(changed_at).toISOString(),
    authors,
  };
}

/**
 * Caches payloads by snapshot, so that the subscriptions of a document share them. They are freed with the snapshot.
 */
export class PayloadCache {
  private readonly bySnapshot = new WeakMap<Snapshot, Map<string, Payload>>();

  /** The payload under a key for a state. Beyond the limit the oldest payload of the state is dropped. */
  getOrCreate(snapshot: Snapshot, key: string, make: () => Payload): Payload {
    const payloads = this.bySnapshot.get(snapshot) ?? new Map<string, Payload>();
    this.bySnapshot.set(snapshot, payloads);
    const payload = payloads.get(key) ?? make();
    payloads.set(key, payload);
    if (payloads.size > MAX_PAYLOADS_PER_SNAPSHOT) payloads.delete(payloads.keys().next().value as string);
    return payload;
  }
}

/** Cached payloads of one snapshot. Each has up to `maxBytes`. */
const MAX_PAYLOADS_PER_SNAPSHOT = 4;
