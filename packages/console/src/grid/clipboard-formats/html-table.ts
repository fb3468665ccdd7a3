import { MAX_ROW_CHARACTERS } from './copied-table.ts';
import { disableStyles, findNextTag, type HtmlTag } from './html-tags.ts';
import type { SlicedWork } from './sliced-work.ts';

/** Characters of the rows that are parsed without a pause. A part is longer if one row is. */
const PART_CHARACTERS = 20_000;
/** Tags between two pauses. */
const TAGS_PER_STEP = 500;

/** The first table of clipboard HTML. */
export interface HtmlTableStart {
  /** The HTML before the table; empty if it is longer than `MAX_ROW_CHARACTERS`. */
  readonly head: string;
  readonly tag: string;
  /** Position of the table's content. */
  readonly from: number;
}

/** Null if there is no table. */
export function* findFirstTable(html: string): SlicedWork<HtmlTableStart | null> {
  for (const tag of listTags(html, 0)) {
    if (typeof tag === 'number') yield tag;
    else if (tag.name === 'table' && !tag.isEnd) {
      const head = tag.start > MAX_ROW_CHARACTERS ? '' : html.slice(0, tag.start);
      return { head, tag: html.slice(tag.start, tag.end), from: tag.end };
    }
  }
  return null;
}

/**
 * Splits the content of a table into parts with whole rows, and calls `onPart` for each; it returns false to stop.
 * Tables inside of cells are not split. Returns false if it was stopped or a row is longer than `MAX_ROW_CHARACTERS`.
 * Yields the number of characters read.
 */
export function* readTableParts(html: string, from: number, onPart: (part: string) => boolean): SlicedWork<boolean> {
  let [depth, partStart] = [1, from];
  for (const tag of listTags(html, from)) {
    if (typeof tag === 'number') {
      yield tag;
      continue;
    }
    const { name, isEnd, start, end } = tag;
    if (end - partStart > MAX_ROW_CHARACTERS) return false;
    if (name === 'table') depth += isEnd ? -1 : 1;
    if (depth === 0) return onPart(html.slice(partStart, start));
    if (depth !== 1 || name !== 'tr' || isEnd || start - partStart < PART_CHARACTERS) continue;
    if (!onPart(html.slice(partStart, start))) return false;
    partStart = start;
    yield start;
  }
  return html.length - partStart <= MAX_ROW_CHARACTERS && onPart(html.slice(partStart));
}

/** Tags in order, and sometimes the number of characters read. */
function* listTags(html: string, from: number): Generator<HtmlTag | number> {
  let count = 0;
  for (let tag = findNextTag(html, from); tag !== null; tag = findNextTag(html, tag.contentEnd)) {
    if (++count % TAGS_PER_STEP === 0) yield tag.start;
    yield tag;
  }
}

/** Parses rows of a table. */
export function parseRows(part: string): readonly HTMLTableRowElement[] {
  const page = parseHtml(`<table>${part}</table>`);
  return [...(page.querySelector('table')?.rows ?? [])];
}

export function parseHtml(html: string): Document {
  return new DOMParser().parseFromString(disableStyles(html), 'text/html');
}
