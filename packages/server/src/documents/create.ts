import { randomUUID } from 'node:crypto';
import { type Refusal, type StoredChunk, Workbook } from '@cellwire/engine';
import type { Statement, UnitOutcome } from '@cellwire/store';
import {
  beginCreation,
  continueCreation,
  endCreation,
  insertCheckpoint,
  insertDocument,
  insertFilePart,
} from '@cellwire/store/documents';
import { markSealable } from '@cellwire/store/stored-forms';
import { CHUNK_OVERHEAD_BYTES, CREATE_TRANSACTION_BYTES } from '../limits/open-documents.ts';
import { buildChunkStatement } from './checkpointer.ts';
import { commitCreation } from './commit-creation.ts';
import { createCommitName, type DocumentsEnvironment } from './environment.ts';
import { sumNumbers } from './load-state.ts';
import { readChunkBatches } from './new-chunks/chunk-file.ts';
import { calculateState, encodeNewState, type NewState } from './new-state.ts';
import { removeUnfinishedDocument } from './remove.ts';
import type { CreateOutcome, NewContent, NewDocument } from './types.ts';

/** Calculates and stores a new document. Its row is written last, so that no reader sees a partial document. */
export async function createDocument(document: NewDocument, environment: DocumentsEnvironment): Promise<CreateOutcome> {
  const now = environment.clock();
  const state = buildFirstState(document.content, now);
  if ('kind' in state) return state;
  const { revision, settings, stored, chunkFile, uploaded } = state;
  const id = uploaded?.id ?? randomUUID();
  const row = insertDocument({
    id,
    owner_id: document.ownerId,
    title: document.title,
    type: document.type,
    format: document.format,
    locale: settings.locale,
    date_system: settings.dateSystem,
    time_zone: settings.timeZone,
    revision,
    head: createCommitName(),
    calculated_at: state.calculatedAt,
    created_at: now,
    updated_at: now,
    committed_at: now,
    input_locale: document.inputLocale ?? null,
  });
  const checkpoint = insertCheckpoint({ id, revision, meta: stored.meta });
  const last = [checkpoint, row, ...(document.extraStatements?.({ id, state, at: now }) ?? [])];
  const files = document.content.kind === 'empty' ? [] : (document.content.parts ?? []);
  const rows = [
    ...stored.chunks.map((chunk) => toChunkRow(id, chunk)),
    ...files.map((file) => ({ bytes: file.bytes.length, statement: () => insertFilePart({ id, ...file }) })),
  ];
  const isSmall =
    chunkFile === null && uploaded === null && sumNumbers(rows.map(({ bytes }) => bytes)) <= CREATE_TRANSACTION_BYTES;
  const outcome = isSmall
    ? await environment.database.write({
        document: id,
        statements: [...rows.map(({ statement }) => statement()), ...last],
      })
    : await writeInParts(id, { rows, chunkFile, uploaded }, last, environment);
  return outcome.kind === 'conflict' ? outcome : { kind: 'created', id, state };
}

/** The first state of a new document: empty, calculated from data, or prepared by a document job. */
function buildFirstState(content: NewContent, now: number): NewState | Refusal {
  switch (content.kind) {
    case 'state':
      return content.state;
    case 'data': {
      const snapshot = calculateState(content.data, now);
      return 'kind' in snapshot ? snapshot : encodeNewState(snapshot, now);
    }
    case 'empty': {
      const { locale, dateSystem, timeZone, firstSheet } = content;
      return encodeNewState(Workbook.create({ locale, dateSystem, timeZone }, firstSheet).head, now);
    }
  }
}

/** A row to write, and its size in bytes. */
interface SizedRow {
  readonly bytes: number;
  readonly statement: () => Statement;
}

/** The insert statement of a chunk with its approximate size in bytes. */
function toChunkRow(id: string, chunk: StoredChunk): SizedRow {
  return { bytes: chunk.bytes.length + CHUNK_OVERHEAD_BYTES, statement: () => buildChunkStatement(id, chunk) };
}

/** The insert statement of a chunk that is followed by memory for its checksums. */
function buildSealedInMemory(id: string, chunk: StoredChunk): Statement {
  markSealable(chunk.bytes);
  return buildChunkStatement(id, chunk);
}

/** Writes a large document's rows in bounded transactions. A marker records their owner until the document exists. */
async function writeInParts(
  id: string,
  { rows, chunkFile, uploaded }: { readonly rows: readonly SizedRow[] } & Pick<NewState, 'chunkFile' | 'uploaded'>,
  lastStatements: readonly Statement[],
  { database, clock }: DocumentsEnvironment,
): Promise<UnitOutcome> {
  let now = uploaded?.touchedAt ?? clock();
  const commitPart = (statements: readonly Statement[]): Promise<void> => {
    now = clock();
    return commitCreation(database, id, [continueCreation({ id, now }), ...statements]);
  };
  if (uploaded === null) await commitCreation(database, id, [beginCreation({ id, now })]);
  for (const part of splitIntoTransactions(rows)) await commitPart(part.map(({ statement }) => statement()));
  if (chunkFile !== null) {
    for await (const batch of readChunkBatches(chunkFile, CREATE_TRANSACTION_BYTES))
      await commitPart(batch.map((chunk) => buildSealedInMemory(id, chunk)));
  }
  const outcome = await database.write({ document: id, statements: [endCreation({ id }), ...lastStatements] });
  if (outcome.kind === 'conflict') await removeUnfinishedDocument(database, id, now);
  return outcome;
}

/** Groups rows into transactions of about `CREATE_TRANSACTION_BYTES` each. */
function* splitIntoTransactions(rows: readonly SizedRow[]): Generator<readonly SizedRow[]> {
  let part: SizedRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    part.push(row);
    bytes += row.bytes;
    if (bytes < CREATE_TRANSACTION_BYTES) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}
