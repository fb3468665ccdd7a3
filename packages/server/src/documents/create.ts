import { randomUUID } from 'node:crypto';
import { type Refusal, type StoredChunk, Workbook } from '@cellwire/engine';
import { type Database, type Statement, StoreError, type UnitOutcome } from '@cellwire/store';
import {
  beginCreation,
  continueCreation,
  endCreation,
  insertCheckpoint,
  insertDocument,
  insertFilePart,
} from '@cellwire/store/documents';
import { CHUNK_OVERHEAD_BYTES, CREATE_TRANSACTION_BYTES } from '../limits/open-documents.ts';
import { chunkStatement } from './checkpointer.ts';
import { chunksIn } from './chunk-file.ts';
import { type DocumentsEnvironment, newHead } from './environment.ts';
import { sum } from './load-state.ts';
import { calculateState, type NewState, stateOf } from './new-state.ts';
import { abandon } from './remove.ts';
import type { CreateOutcome, NewContent, NewDocument } from './types.ts';

/** Calculates and stores a new document. Its row is written last, so that no reader sees a partial document. */
export async function createDocument(document: NewDocument, environment: DocumentsEnvironment): Promise<CreateOutcome> {
  const now = environment.clock();
  const state = stateFor(document.content, now);
  if ('kind' in state) return state;
  const id = randomUUID();
  const { revision, settings, stored, chunkFile } = state;
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
    head: newHead(),
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
    ...stored.chunks.map((chunk) => chunkRow(id, chunk)),
    ...files.map((file) => ({ bytes: file.bytes.length, statement: () => insertFilePart({ id, ...file }) })),
  ];
  const isSmall = chunkFile === null && sum(rows.map(({ bytes }) => bytes)) <= CREATE_TRANSACTION_BYTES;
  const outcome = isSmall
    ? await environment.database.write({
        document: id,
        statements: [...rows.map(({ statement }) => statement()), ...last],
      })
    : await writeInParts(id, rowsWith(rows, id, chunkFile), last, environment);
  return outcome.kind === 'conflict' ? outcome : { kind: 'created', id, state };
}

function stateFor(content: NewContent, now: number): NewState | Refusal {
  switch (content.kind) {
    case 'state':
      return content.state;
    case 'data': {
      const snapshot = calculateState(content.data, now);
      return 'kind' in snapshot ? snapshot : stateOf(snapshot, now);
    }
    case 'empty': {
      const { locale, dateSystem, timeZone, firstSheet } = content;
      return stateOf(Workbook.create({ locale, dateSystem, timeZone }, firstSheet).head, now);
    }
  }
}

/** A row to write, and its size in bytes. */
interface SizedRow {
  readonly bytes: number;
  readonly statement: () => Statement;
}

function chunkRow(id: string, chunk: StoredChunk): SizedRow {
  return { bytes: chunk.bytes.length + CHUNK_OVERHEAD_BYTES, statement: () => chunkStatement(id, chunk) };
}

/** The given rows, followed by rows of the chunks in the file. */
async function* rowsWith(rows: readonly SizedRow[], id: string, chunkFile: string | null): AsyncGenerator<SizedRow> {
  yield* rows;
  if (chunkFile === null) return;
  for await (const chunk of chunksIn(chunkFile)) yield chunkRow(id, chunk);
}

/** Writes a large document's rows in bounded transactions. A marker records their owner until the document exists. */
async function writeInParts(
  id: string,
  rows: AsyncIterable<SizedRow>,
  last: readonly Statement[],
  { database, clock }: DocumentsEnvironment,
): Promise<UnitOutcome> {
  let now = clock();
  await commit(database, id, [beginCreation({ id, now })]);
  for await (const part of parts(rows)) {
    now = clock();
    await commit(database, id, [continueCreation({ id, now }), ...part.map(({ statement }) => statement())]);
  }
  const outcome = await database.write({ document: id, statements: [endCreation({ id }), ...last] });
  if (outcome.kind === 'conflict') await abandon(database, id, now);
  return outcome;
}

async function* parts(rows: AsyncIterable<SizedRow>): AsyncGenerator<readonly SizedRow[]> {
  let part: SizedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    part.push(row);
    bytes += row.bytes;
    if (bytes < CREATE_TRANSACTION_BYTES) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

async function commit(database: Database, document: string, statements: readonly Statement[]): Promise<void> {
  const outcome = await database.write({ document, statements });
  if (outcome.kind === 'conflict') throw new StoreError(`A new document was refused: ${outcome.conflict}`, 'CONFLICT');
}
