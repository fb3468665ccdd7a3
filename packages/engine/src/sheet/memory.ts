import { runToEnd } from '../grid/steps.ts';
import type { Column, Snapshot } from './snapshot.ts';
import { isLazy } from './template.ts';

/** Size of a chunk's objects without its arrays, in bytes. */
const CHUNK_OBJECTS = 400;
/** Size of a run with its tree and compiled code, in bytes; measured with 50,000 different formulas. */
const RUN_OBJECTS = 2_100;
/** Size of a packed run with the text of its tree, in bytes. */
const PACKED_RUN = 350;

/** The memory of a snapshot in bytes: exact for cells, approximate for formulas. */
export function measureMemory(snapshot: Snapshot): number {
  return runToEnd(measureMemoryInSteps(snapshot));
}

/** Number of chunks between two pauses. */
const CHUNKS_PER_STEP = 1_024;

/** Bytes of the chunks of published columns that have all their chunks. Such columns never change. */
const bytesByColumn = new WeakMap<Column, number>();

/** Computes the memory that `measureMemory` returns. Pauses regularly. */
export function* measureMemoryInSteps({ sheets }: Snapshot): Generator<void, number> {
  let bytes = 0;
  let count = 0;
  for (const { columns, spills } of sheets) {
    bytes += spills.size * CHUNK_OBJECTS;
    for (const column of columns) {
      if (column === undefined) continue;
      bytes += column.runList.length * (isLazy(column.runList) ? PACKED_RUN : RUN_OBJECTS);
      const knownBytes = bytesByColumn.get(column);
      if (knownBytes !== undefined) {
        bytes += knownBytes;
        continue;
      }
      const { isWhole } = column.chunks;
      let columnBytes = 0;
      for (const chunk of column.chunks.iterateChunksInMemory()) {
        columnBytes += chunk.bytes + CHUNK_OBJECTS;
        if (++count % CHUNKS_PER_STEP === 0) yield;
      }
      bytes += columnBytes;
      if (isWhole) bytesByColumn.set(column, columnBytes);
    }
  }
  return bytes;
}

/** The number of runs. */
export function countRuns({ sheets }: Snapshot): number {
  let runs = 0;
  for (const { columns } of sheets) for (const column of columns) runs += column?.runList.length ?? 0;
  return runs;
}
