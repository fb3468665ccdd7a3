import { randomUUID } from 'node:crypto';
import { encodeCheckpoint, type Refusal, Workbook } from '@cellwire/engine';
import { CREATE_TRANSACTION_BYTES, IMPORT_CALCULATION_CELLS, IMPORT_CALCULATION_MS } from '../limits/limits.ts';
import { insertCheckpoint } from '../store/checkpoints.ts';
import { type Database, type Statement, StoreError, type UnitOutcome } from '../store/database.ts';
import { insertDocument } from '../store/documents.ts';
import { insertFilePart } from '../store/file-parts.ts';
import { beginCreation, continueCreation, endCreation } from '../store/unfinished.ts';
import { chunkStatement } from './checkpointer.ts';
import { calculationContext, type DocumentsEnvironment, newHead } from './environment.ts';
import { abandon } from './remove.ts';
import { sum } from './state.ts';
import type { Created, NewContent, NewDocument } from './types.ts';

const IMPORT_LIMITS = { calculationMs: IMPORT_CALCULATION_MS, calculationCells: IMPORT_CALCULATION_CELLS };

/** Calculates and stores a new document. Its row comes last, so that nobody ever sees a part of it. */
export async function createDocument(document: NewDocument, environment: DocumentsEnvironment): Promise<Created> {
  const now = environment.clock();
  const workbook = build(document.content, now);
  if (!(workbook instanceof Workbook)) return workbook;
  const snapshot = workbook.head;
  const id = randomUUID();
  const { locale, dateSystem, timeZone } = snapshot.settings;
  const row = insertDocument({
    id,
    owner_id: document.ownerId,
    title: document.title,
    type: document.type,
    format: document.format,
    locale,
    date_system: dateSystem,
    time_zone: timeZone,
    revision: snapshot.revision,
    head: newHead(),
    calculated_at: now,
    created_at: now,
    updated_at: now,
    committed_at: now,
  });
  const { meta, chunks } = encodeCheckpoint(snapshot, -1);
  const checkpoint = insertCheckpoint({ id, revision: snapshot.revision, meta });
  const last = [checkpoint, row, ...(document.also?.({ id, snapshot, at: now }) ?? [])];
  const files = document.content.kind === 'data' ? (document.content.parts ?? []) : [];
  const rows = [
    ...chunks.map((chunk) => ({ bytes: chunk.bytes.length, statement: () => chunkStatement(id, chunk) })),
    ...files.map((file) => ({ bytes: file.bytes.length, statement: () => insertFilePart({ id, ...file }) })),
  ];
  const isSmall = sum(rows.map(({ bytes }) => bytes)) <= CREATE_TRANSACTION_BYTES;
  const outcome = isSmall
    ? await environment.database.write({
        document: id,
        statements: [...rows.map(({ statement }) => statement()), ...last],
      })
    : await writeInParts(id, rows, last, environment);
  return outcome.kind === 'conflict' ? outcome : { kind: 'created', id, snapshot };
}

function build(content: NewContent, now: number): Workbook | Refusal {
  if (content.kind === 'data') {
    const context = calculationContext(now, IMPORT_LIMITS);
    return Workbook.import(content.data, {
      ...context,
      budget: { ...context.budget, clock: () => performance.now() },
    });
  }
  const { locale, dateSystem, timeZone, firstSheet } = content;
  return Workbook.create({ locale, dateSystem, timeZone }, firstSheet);
}

/** A row to be written, and the bytes in it. */
interface Row {
  readonly bytes: number;
  readonly statement: () => Statement;
}

/** A large document's rows in bounded transactions; a mark says whose they are until the document exists. */
async function writeInParts(
  id: string,
  rows: readonly Row[],
  last: readonly Statement[],
  { database, clock }: DocumentsEnvironment,
): Promise<UnitOutcome> {
  let now = clock();
  await commit(database, id, [beginCreation({ id, now })]);
  for (const part of parts(rows)) {
    now = clock();
    await commit(database, id, [continueCreation({ id, now }), ...part.map(({ statement }) => statement())]);
  }
  const outcome = await database.write({ document: id, statements: [endCreation({ id }), ...last] });
  if (outcome.kind === 'conflict') await abandon(database, id, now);
  return outcome;
}

function* parts(rows: readonly Row[]): Iterable<readonly Row[]> {
  let part: Row[] = [];
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

async function commit(database: Database, document: string, statements: readonly Statement[]): Promise<void> {
  const outcome = await database.write({ document, statements });
  if (outcome.kind === 'conflict') throw new StoreError(`A new document was refused: ${outcome.conflict}`, 'CONFLICT');
}
