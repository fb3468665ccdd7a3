import type { Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { Column, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { CHUNKS_PER_STEP } from './shared-change-format.ts';

/**
 * Returns the part of a snapshot from which `encodeCheckpoint` encodes the next checkpoint after revision `since`. It
 * omits unchanged chunks, except for one per column, which shows that the column has contents. Its cells must not be
 * read. Pauses regularly.
 */
export function* changedSince(snapshot: Snapshot, since: number): Generator<void, Snapshot> {
  const sheets: Sheet[] = [];
  for (const sheet of snapshot.sheets) {
    const columns: (Column | undefined)[] = [];
    for (const column of sheet.columns) columns.push(column && (yield* extractChangedColumn(column, since)));
    sheets.push(new Sheet(sheet.revision, sheet, columns));
  }
  const { revision, settings, names, tables, formats, carried, nextSheetId, hasClock } = snapshot;
  return new Snapshot({ revision, settings, sheets, names, tables, formats, carried, nextSheetId, hasClock });
}

function* extractChangedColumn(column: Column, since: number): Generator<void, Column> {
  const { revision, chunks, runList, format } = column;
  yield* chunks.makeInSteps();
  const changed = ChunkTable.empty();
  let unchanged: { readonly block: number; readonly chunk: Chunk } | null = null;
  for (let block = chunks.nextBlockWithChunk(0); block < chunks.length; block = chunks.nextBlockWithChunk(block + 1)) {
    const chunk = chunks.at(block);
    if (chunk === undefined) continue;
    if (chunk.revision > since) changed.set(block, chunk);
    else if (unchanged === null && !chunk.isBlank(format)) unchanged = { block, chunk };
    if (block % (CHUNKS_PER_STEP * READ_PER_SENT) === 0) yield;
  }
  if (unchanged !== null) changed.set(unchanged.block, unchanged.chunk);
  return new Column(revision, changed, runList, format);
}

/** Number of chunks whose revision can be read in the time that sending one chunk takes. */
const READ_PER_SENT = 32;
