import type { Node } from '../formula/ast.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { CHUNK_ROWS } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { FormatTable, GENERAL } from '../sheet/formats.ts';
import { NumberArena } from '../sheet/number-arena.ts';
import type { SharedMemory } from '../sheet/shared-memory.ts';
import { Column, createAnchorKey, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { TransientChunks } from '../sheet/transient-chunks.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decodeChunk, encodeChunk } from './chunk-codec.ts';
import {
  createFormatMapper,
  createRunRestorer,
  FormatNumbers,
  restoreLayout,
  type StoredFormat,
  type StoredHead,
  type StoredRun,
  type StoredSettings,
  type StoredSheetFields,
  TemplateList,
  toStoredHead,
  toStoredSheetFields,
} from './document-codec.ts';
import { createStoredTable, type StoredColumnSource } from './stored-column.ts';

/** A chunk of a checkpoint. If `bytes` is empty, the chunk was removed. */
export interface StoredChunk {
  readonly sheet: number;
  readonly column: number;
  /** Number of the block; its rows begin at `block * 256`. */
  readonly block: number;
  readonly bytes: Uint8Array;
}

/** The stored form of a document: one part without cells, and its cells by chunk. */
export interface Checkpoint {
  /** Everything except the cells' values. */
  readonly meta: Uint8Array;
  /** The chunks that changed since the previous checkpoint. */
  readonly chunks: readonly StoredChunk[];
  /** The formats listed in `meta`. The next checkpoint keeps their numbers and adds new ones. */
  readonly formats: readonly StoredFormat[];
}

/**
 * The formats that already have a number in the stored document: as a list, or as the `meta` of its last checkpoint.
 */
export type KnownFormats = readonly StoredFormat[] | Uint8Array;

interface StoredColumn {
  readonly column: number;
  readonly format: number;
  readonly runs: readonly StoredRun[];
}

/**
 * Versions that can be read; the last one is written. Since version 3 chunks may have the compact form, and since
 * version 4 their decimals a scale.
 */
const VERSIONS = [1, 2, 3, 4] as const;
const VERSION = 4;

export interface StoredMeta {
  readonly version: (typeof VERSIONS)[number];
  readonly settings: StoredSettings;
  /** Absent in version 1, which also has no styles and layouts. */
  readonly carried?: Snapshot['carried'];
  readonly head: StoredHead;
  readonly formats: readonly StoredFormat[];
  readonly templates: readonly Node[];
  readonly sheets: readonly (StoredSheetFields & { readonly columns: readonly StoredColumn[] })[];
}

/**
 * Encodes a snapshot: all of `meta`, and the chunks that changed after revision `since` (-1: every chunk).
 * `knownFormats`: the formats of the checkpoint at revision `since`. Equal states after the same checkpoint give equal
 * bytes in every process. The result does not mention removed sheets: the store deletes the rows of sheets whose ids
 * are not in `meta`.
 */
export function encodeCheckpoint(snapshot: Snapshot, since: number, knownFormats: KnownFormats = []): Checkpoint {
  const chunks: StoredChunk[] = [];
  const head = encodeSnapshot(snapshot, since, knownFormats, (chunk) => chunks.push(chunk));
  return { ...head, chunks };
}

/**
 * Encodes a snapshot that no other code reads. Releases each chunk after `takeChunk` received it, because cells and
 * their stored form need equal amounts of memory. `knownFormats`: formats of chunks that were stored before.
 */
export function drainCheckpoint(
  snapshot: Snapshot,
  knownFormats: KnownFormats,
  takeChunk: (chunk: StoredChunk) => void,
): Omit<Checkpoint, 'chunks'> {
  return encodeSnapshot(snapshot, -1, knownFormats, (chunk, { chunks }) => {
    takeChunk(chunk);
    chunks.set(chunk.block, undefined);
  });
}

/**
 * Encodes a snapshot. `takeChunk` receives each chunk that changed after the revision `since`; a blank one has no bytes
 * and is left out if `since` is negative.
 */
function encodeSnapshot(
  snapshot: Snapshot,
  since: number,
  knownFormats: KnownFormats,
  takeChunk: (chunk: StoredChunk, owner: Column) => void,
): Omit<Checkpoint, 'chunks'> {
  const templates = new TemplateList('tree');
  const numbers = new FormatNumbers(
    snapshot.formats,
    knownFormats instanceof Uint8Array ? readStoredFormats(knownFormats) : knownFormats,
  );
  const formatNumber = (id: number) => numbers.toStoredNumber(id);
  const sheets = snapshot.sheets.map((sheet) => {
    const columns: StoredColumn[] = [];
    sheet.columns.forEach((existingColumn, column) => {
      if (!existingColumn) return;
      const { format, runs } = existingColumn;
      let isThere = runs.length > 0 || format !== GENERAL;
      if (isThere) numbers.toStoredNumber(format);
      const { chunks } = existingColumn;
      // The chunks are read one by one, because the receiver releases chunks meanwhile.
      for (let block = 0; block < chunks.length; block++) {
        const chunk = chunks.at(block);
        if (!chunk) continue;
        const isNothing = chunk.isBlank(format);
        isThere ||= !isNothing;
        if (chunk.revision <= since) continue;
        // Each array has its own memory because it may be sent to another thread.
        const bytes = isNothing ? new Uint8Array() : encodeChunk(chunk, formatNumber);
        if (!isNothing || since >= 0) takeChunk({ sheet: sheet.id, column, block, bytes }, existingColumn);
      }
      if (!isThere) return;
      columns.push({
        column,
        format: numbers.toStoredNumber(format),
        runs: runs.map((run) => templates.storeRun(run)),
      });
    });
    return { ...toStoredSheetFields(sheet), columns };
  });
  const meta: StoredMeta = {
    version: VERSION,
    settings: snapshot.settings,
    carried: snapshot.carried,
    head: toStoredHead(snapshot),
    formats: numbers.stored,
    templates: templates.nodes,
    sheets,
  };
  return { meta: encodeJson(meta), formats: numbers.stored };
}

/** The document was stored by a later version. This version can neither read nor continue it. */
class NewerFormatError extends Error {
  readonly code = 'LATER_FORM';
}

/**
 * The formats listed in a checkpoint's `meta`. Throws `NewerFormatError` for a document of a later version: writing to
 * it would overwrite what this version cannot read.
 */
function readStoredFormats(meta: Uint8Array): readonly StoredFormat[] {
  return readMeta(meta).formats;
}

function readMeta(bytes: Uint8Array): StoredMeta {
  const meta = readJson(bytes) as StoredMeta;
  const { version } = meta;
  if (VERSIONS.includes(version)) return meta;
  throw new NewerFormatError(`stored document has version ${version}, this engine reads ${VERSIONS.join(', ')}`);
}

/** A restored state, and the formats that have numbers in its checkpoint. */
interface RestoredCheckpoint {
  readonly snapshot: Snapshot;
  readonly formats: readonly StoredFormat[];
}

/**
 * Restores a snapshot without calculating anything. Throws if the input is damaged; the store verifies the rows that it
 * reads. `formats`: the format table of another state of the document; missing formats are added to it.
 */
export function restoreCheckpoint(
  meta: Uint8Array,
  stored: Iterable<StoredChunk>,
  formats: FormatTable = new FormatTable(),
): Snapshot {
  return readCheckpoint(meta, stored, formats).snapshot;
}

/**
 * Restores a snapshot as `restoreCheckpoint` does. Also returns the formats that have numbers in the checkpoint; the
 * next checkpoint needs them.
 */
export function readCheckpoint(
  meta: Uint8Array,
  stored: Iterable<StoredChunk>,
  formats: FormatTable = new FormatTable(),
): RestoredCheckpoint {
  const reader = new CheckpointReader(meta, formats);
  for (const chunk of stored) reader.add(chunk);
  return reader.finish();
}

export type ChunkPosition = Omit<StoredChunk, 'bytes'>;

/** Stored chunks that are loaded on demand. */
export interface ChunkShelf {
  put(chunk: StoredChunk): void;
  /**
   * The bytes of a chunk, valid until the next call; null if there is none. Its errors reach the reader of the cell.
   */
  get(position: ChunkPosition): Uint8Array | null;
}

/**
 * The memory for the chunks of a checkpoint. If both members are absent, the chunks stay in the memory of the reader.
 */
interface ReaderMemory {
  /**
   * Memory for a state that is sent to another thread. Each chunk is moved there when it arrives, so that it does not
   * need memory twice.
   */
  readonly shared?: SharedMemory;
  /** Storage for the chunks of a state that is read only once. Chunks are loaded when they are read. */
  readonly shelf?: ChunkShelf;
}

/** Number of chunks from a shelf that share memory. */
const SHELF_ARENA_CHUNKS = 16;

/** Reads a checkpoint whose chunks arrive in parts. Throws in the same cases as `readCheckpoint`. */
export class CheckpointReader {
  /** Memory for the numbers of chunks from the shelf. Chunks of all columns share it, because they are read by row. */
  private readonly shelfArena = new NumberArena(SHELF_ARENA_CHUNKS);
  private readonly meta: StoredMeta;
  private readonly formats: FormatTable;
  private readonly formatId: (stored: number) => number;
  /** Chunks by sheet and column. */
  private readonly columns = new Map<string, ChunkTable>();
  private readonly memory: ReaderMemory;
  private readonly arena = new NumberArena();

  constructor(meta: Uint8Array, formats: FormatTable = new FormatTable(), memory: ReaderMemory = {}) {
    this.memory = memory;
    this.meta = readMeta(meta);
    this.formats = formats;
    this.formatId = createFormatMapper(formats, this.meta.formats);
  }

  add(stored: StoredChunk): void {
    const { sheet, column, block, bytes } = stored;
    const { shared, shelf } = this.memory;
    checkPosition(column, block);
    const chunks = this.ensureChunkTable(sheet, column);
    if (shelf !== undefined && chunks instanceof TransientChunks) {
      shelf.put(stored);
      return chunks.declareBlock(block);
    }
    const chunk = decodeChunk(bytes, this.formatId, this.arena);
    if (shared !== undefined) chunk.share(shared);
    chunks.set(block, chunk);
  }

  /** The columns that may have chunks. */
  listColumns(): readonly Omit<ChunkPosition, 'block'>[] {
    return this.meta.sheets.flatMap(({ id, columns }) => columns.map(({ column }) => ({ sheet: id, column })));
  }

  /** Declares that the shelf may have chunks of the first blocks of a column. Call it once per column, with a shelf. */
  declareFirstBlocks(sheet: number, column: number, blocks: number): void {
    checkPosition(column, blocks - 1);
    const chunks = this.ensureChunkTable(sheet, column);
    if (!(chunks instanceof TransientChunks)) throw new Error('blocks of a state without a shelf');
    chunks.declareFirstBlocks(blocks);
  }

  /** Adds a column whose chunks are read when their cells are read. */
  addStoredColumn({ sheet, column }: Omit<ChunkPosition, 'block'>, source: StoredColumnSource): void {
    checkPosition(column, source.blocks - 1);
    const table = createStoredTable(source, this.formatId);
    this.columns.set(createColumnKey(sheet, column), table);
  }

  /** Reads all chunks of stored columns that were not read yet. Pauses regularly. */
  *readStoredColumns(): Generator<void> {
    for (const table of this.columns.values()) yield* table.makeInSteps();
  }

  private ensureChunkTable(sheet: number, column: number): ChunkTable {
    const key = createColumnKey(sheet, column);
    let chunks = this.columns.get(key);
    if (chunks === undefined) {
      const { shelf } = this.memory;
      chunks = shelf === undefined ? ChunkTable.empty() : this.createShelvedChunks(shelf, sheet, column);
      this.columns.set(key, chunks);
    }
    return chunks;
  }

  private createShelvedChunks(shelf: ChunkShelf, sheet: number, column: number): TransientChunks {
    return new TransientChunks((block) => {
      const bytes = shelf.get({ sheet, column, block });
      return bytes === null ? undefined : decodeChunk(bytes, this.formatId, this.shelfArena);
    });
  }

  /** The restored state. Call it after all chunks were added. */
  finish(): RestoredCheckpoint {
    const { formats, meta } = this;
    const { head, settings, carried = {} } = meta;
    const sheets = this.restoreSheets(head.revision);
    return { snapshot: new Snapshot({ ...head, settings, sheets, formats, carried }), formats: meta.formats };
  }

  private restoreSheets(revision: number): readonly Sheet[] {
    const { meta, formatId } = this;
    const restoreRun = createRunRestorer(meta.templates);
    return meta.sheets.map((fields) => {
      const columns: (Column | undefined)[] = [];
      for (const { column, format, runs } of fields.columns) {
        checkPosition(column, 0);
        while (columns.length < column) columns.push(undefined);
        columns[column] = new Column(
          revision,
          this.columns.get(createColumnKey(fields.id, column)) ?? ChunkTable.empty(),
          runs.map((run) => restoreRun(fields.id, column, run)),
          formatId(format),
        );
      }
      return restoreSheet(revision, fields, columns);
    });
  }
}

function createColumnKey(sheet: number, column: number): string {
  return `${sheet}:${column}`;
}

export function restoreSheet(revision: number, fields: StoredSheetFields, columns: (Column | undefined)[]): Sheet {
  return new Sheet(revision, {
    id: fields.id,
    name: fields.name,
    hidden: fields.hidden,
    color: fields.color,
    columns,
    spills: new Map(fields.spills.map((spill) => [createAnchorKey(spill.area.top, spill.area.left), spill])),
    hiddenRows: new Set(fields.hiddenRows),
    layout: restoreLayout(fields.layout),
  });
}

/** Throws if a position is outside the grid, because memory is allocated for all positions before it. */
export function checkPosition(column: number, block: number): void {
  const isIn = column >= 0 && column < MAX_COLUMNS && block >= 0 && block < MAX_ROWS / CHUNK_ROWS;
  if (!isIn || !Number.isInteger(column) || !Number.isInteger(block))
    throw new RangeError('stored cells outside of the grid');
}

/** A plain value as the bytes of its JSON text. */
export function encodeJson(value: unknown): Uint8Array {
  const out = new ByteWriter();
  out.writeText(JSON.stringify(value));
  return out.finish();
}

export function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(new ByteReader(bytes).readText());
}
