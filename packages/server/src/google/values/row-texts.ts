import { CHUNK_ROWS, type Sheet } from '@cellwire/engine';
import { ROW_CACHE_CHARACTERS } from '../../limits/google.ts';
import type { CellRenderer, DateRender, ValueRender } from './render.ts';

type RowChunk = ReturnType<Sheet['chunk']>;

/** The rows of one block of a range as JSON text, each trimmed at its end. */
interface RowBlock extends RowList {
  /** The chunks from which it was built. A published chunk never changes. */
  readonly chunks: readonly (WeakRef<object> | null)[];
  /** Characters of the rows and of their text. */
  readonly characters: number;
}

/** Cache of row texts. The oldest entries are removed first. */
const cachedBlocks = new Map<string, RowBlock>();
let characters = 0;

interface RowTexts {
  readonly renderer: CellRenderer;
  readonly render: ValueRender;
  readonly dates: DateRender;
  /** Identifies the document and how its cells are rendered. */
  readonly key: string;
}

interface RowBounds {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Rows as JSON text, `[]` for an empty one. */
interface RowList {
  readonly rows: readonly string[];
  /** All rows, separated by commas. */
  readonly text: string;
}

/** The rows of a range as JSON text without the empty ones at its end; empty if none is left. Yields after every block. */
export function* writeRowTexts({ top, bottom, left, right }: RowBounds, texts: RowTexts): Generator<void, string> {
  const blocks: RowList[] = [];
  for (let row = top; row <= bottom; ) {
    const block = Math.floor(row / CHUNK_ROWS);
    const first = Math.max(top, block * CHUNK_ROWS);
    const last = Math.min(bottom, (block + 1) * CHUNK_ROWS - 1);
    blocks.push(renderBlockRows(block, { top: first, bottom: last, left, right }, texts));
    row = last + 1;
    yield;
  }
  return joinBlocks(blocks);
}

/** Joins the JSON of blocks of rows, without empty rows at the end. */
function joinBlocks(blocks: readonly RowList[]): string {
  const last = blocks.findLastIndex(({ rows }) => rows.some((row) => row !== '[]'));
  const { rows = [], text = '' } = blocks[last] ?? {};
  const filled = rows.findLastIndex((row) => row !== '[]') + 1;
  const end = filled === rows.length ? text : rows.slice(0, filled).join(',');
  return [...blocks.slice(0, Math.max(last, 0)).map((block) => block.text), end].join(',');
}

/**
 * The JSON texts of the rows of a block. Except for formulas, renders only rows that changed since the last call for
 * the same area, if its texts are still in the cache.
 */
function renderBlockRows(block: number, bounds: RowBounds, texts: RowTexts): RowList {
  const { renderer, render, key: prefix } = texts;
  const { top, bottom, left, right } = bounds;
  // The text of a formula also depends on names of sheets and its original text.
  if (render === 'FORMULA') return toRowList(buildRows(bounds, texts));
  const key = `${prefix} ${renderer.sheet.id} ${top}:${bottom}:${left}:${right}`;
  const chunks: RowChunk[] = [];
  for (let column = left; column <= right; column++) chunks.push(renderer.sheet.chunk(column, block));
  const cached = cachedBlocks.get(key);
  const changedRowSet = cached === undefined ? null : findChangedRows(cached, chunks, bounds);
  if (cached !== undefined && changedRowSet?.size === 0) return cached;
  const rows =
    cached === undefined || changedRowSet === null
      ? buildRows(bounds, texts)
      : cached.rows.map((text, i) => (changedRowSet.has(i) ? buildRow(top + i, bounds, texts) : text));
  const list = toRowList(rows);
  cacheBlock(key, {
    ...list,
    chunks: chunks.map((chunk) => (chunk === undefined ? null : new WeakRef<object>(chunk))),
    characters: 2 * list.text.length,
  });
  return list;
}

/** The JSON texts of rows with their joined text. */
function toRowList(rows: readonly string[]): RowList {
  return { rows, text: rows.join(',') };
}

/** Blocks with more columns are not compared, because building the rows takes no longer. */
const MAX_COMPARED_COLUMNS = 8;

/** Rows of a block (from 0) whose cells have changed since its texts were built; null: unknown. */
function findChangedRows(
  { chunks: formerChunks }: RowBlock,
  chunks: readonly RowChunk[],
  { top, bottom }: RowBounds,
): ReadonlySet<number> | null {
  const changed = new Set<number>();
  let compared = 0;
  for (const [i, chunk] of chunks.entries()) {
    const before = formerChunks[i]?.deref() as RowChunk;
    if (before === chunk) continue;
    if (before === undefined || chunk === undefined || ++compared > MAX_COMPARED_COLUMNS) return null;
    for (let row = top; row <= bottom; row++) {
      const at = row % CHUNK_ROWS;
      if (before.value(at) !== chunk.value(at) || before.format(at) !== chunk.format(at)) changed.add(row - top);
    }
  }
  return changed;
}

function cacheBlock(key: string, block: RowBlock): void {
  dropBlock(key);
  if (block.characters > ROW_CACHE_CHARACTERS / 8) return;
  cachedBlocks.set(key, block);
  characters += block.characters;
  for (const oldest of cachedBlocks.keys()) {
    if (characters <= ROW_CACHE_CHARACTERS) return;
    dropBlock(oldest);
  }
}

/** Removes a block from the cache. */
function dropBlock(key: string): void {
  const block = cachedBlocks.get(key);
  if (block === undefined) return;
  cachedBlocks.delete(key);
  characters -= block.characters;
}

/** The JSON text of each row within the bounds. */
function buildRows(bounds: RowBounds, texts: RowTexts): readonly string[] {
  const rows: string[] = [];
  for (let row = bounds.top; row <= bounds.bottom; row++) rows.push(buildRow(row, bounds, texts));
  return rows;
}

/** The JSON text of a row, without empty cells at its end. */
function buildRow(row: number, { left, right }: RowBounds, { renderer, render, dates }: RowTexts): string {
  let text = '[';
  let end = 1;
  for (let column = left; column <= right; column++) {
    const value = renderer.renderValue(row, column, render, dates);
    if (column > left) text += ',';
    if (value === null || value === '') text += '""';
    else {
      text += JSON.stringify(value);
      end = text.length;
    }
  }
  return `${text.slice(0, end)}]`;
}
