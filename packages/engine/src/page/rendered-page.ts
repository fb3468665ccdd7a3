import type { Area } from '../grid/area.ts';
import { formatMomentText } from '../records/dates.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { jsonText } from '../value/json-text.ts';
import { isError } from '../value/scalar.ts';
import { cellView } from './cell-view.ts';
import { encodeJson } from './json-writer.ts';
import type { BoundedPage } from './page-bytes.ts';
import type { Major, PageBounds } from './page-lines.ts';

/**
 * How cells are written as one JSON value each: `plain`: values, with dates and times in plain form; `display`:
 * displayed texts.
 */
export type Render = 'plain' | 'display';

/** Returns a cell as one JSON value: null for an empty cell, the code for an error. */
export function renderCell(
  snapshot: Snapshot,
  sheet: Sheet,
  row: number,
  column: number,
  render: Render,
): number | string | boolean | null {
  if (render === 'display') return cellView(snapshot, sheet.id, row, column)?.m ?? null;
  const value = sheet.value(row, column);
  if (isError(value)) return value.code;
  return typeof value === 'number' ? (formatMomentText(snapshot, value, sheet.format(row, column)) ?? value) : value;
}

/** The area and form of a page, and its maximum length. */
interface RenderedPage {
  readonly area: Area;
  readonly major: Major;
  readonly render: Render;
  readonly bounds: PageBounds;
}

/**
 * Writes the cells of an area as JSON text, each as one value, with as many of the first rows as fit. Pauses regularly.
 */
export function* renderPageInSteps(
  snapshot: Snapshot,
  sheetId: number,
  { area, major, render, bounds }: RenderedPage,
): Generator<void, BoundedPage> {
  const sheet = snapshot.sheetById(sheetId)!;
  const rows: (readonly string[])[] = [];
  const width = area.right - area.left + 1;
  let bytes = LIST_BYTES + (major === 'ROWS' ? 0 : LIST_BYTES * width);
  let pause = bounds.sliceBytes;
  for (let row = area.top; row <= area.bottom; row++) {
    const cells: string[] = [];
    bytes += LIST_BYTES;
    for (let column = area.left; column <= area.right && bytes <= bounds.maxBytes; column++) {
      const cell = jsonText(renderCell(snapshot, sheet, row, column, render));
      bytes += measureUtf8(cell) + 1;
      cells.push(cell);
      if (bytes < pause) continue;
      pause = bytes + bounds.sliceBytes;
      yield;
    }
    if (bytes > bounds.maxBytes) break;
    rows.push(cells);
  }
  const columns = Array.from({ length: rows.length === 0 ? 0 : width }, (_, i) =>
    rows.map((cells) => cells[i] ?? 'null'),
  );
  const lines = (major === 'ROWS' ? rows : columns).map((cells) => `[${cells.join(',')}]`);
  return { bytes: encodeJson(`[${lines.join(',')}]`), rows: rows.length };
}

/** Bytes of a list in addition to its elements: two brackets and a comma. */
const LIST_BYTES = 3;

/** The length of a text in UTF-8, in bytes. */
function measureUtf8(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1;
  }
  return bytes;
}
