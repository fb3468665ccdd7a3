import type { FilledPage } from '../../service/cells/fill-page.ts';
import type { RangeEntry } from '../../service/cells/read-values.ts';
import type { AnswerContent, JsonPart } from '../answer.ts';

/**
 * Joins serialized cells of the engine to an answer. Converting cells to objects and serializing them would take many
 * times longer than the rest of a read.
 */
export function toRangeContent(page: FilledPage): AnswerContent {
  const isAscii = hasAsciiCells(page) && isAsciiText(page.sheet);
  return { kind: 'parts', parts: toRangeParts('{"values":', page, '}'), isAscii };
}

function hasAsciiCells({ cells, isAscii }: FilledPage): boolean {
  const [first] = cells;
  return isAscii || (cells.length === 1 && typeof first === 'string' && isAsciiText(first));
}

/** True if each character is one byte in UTF-8. */
function isAsciiText(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > MAX_ASCII) return false;
  return true;
}

const MAX_ASCII = 0x7f;

const NO_OWNER = {};

interface BatchEntry {
  readonly entry: RangeEntry;
  /** Set in a read across documents; absent within one document. */
  readonly document?: string | null;
}

/** The JSON body that lists the pages and the failed ranges of a batch, in parts. */
export function createBatchBody(entries: readonly BatchEntry[]): readonly JsonPart[] {
  const parts: JsonPart[] = ['{"valueRanges":['];
  entries.forEach(({ entry, document }, index) => {
    const before = index === 0 ? '' : ',';
    const owner = document === undefined ? NO_OWNER : { document };
    if (entry.kind === 'failed')
      parts.push(before + JSON.stringify({ ...owner, range: entry.range, error: entry.error }));
    else parts.push(...toRangeParts(before, entry, '', owner));
  });
  parts.push(']}');
  return parts;
}

/**
 * The JSON object of a page of cells, in parts. `before` and `after` are the texts around it, `owner` holds members that
 * come first.
 */
function toRangeParts(before: string, page: FilledPage, after: string, owner: object = NO_OWNER): JsonPart[] {
  const { sheet, range, major, pagination, cells } = page;
  // Texts written here take a fraction of the time of `JSON.stringify`. A range in A1 form needs no escapes.
  const owned = owner === NO_OWNER ? '' : `${JSON.stringify(owner).slice(1, -1)},`;
  const place = `"sheet":${JSON.stringify(sheet)},"range":"${range}","majorDimension":"${major}"`;
  const { offset, limit, total, returned, hasMore, nextOffset } = pagination;
  const rows = `"offset":${offset},"limit":${limit},"total":${total},"returned":${returned}`;
  const rest = `"hasMore":${hasMore},"nextOffset":${nextOffset}`;
  const start = `${before}{${owned}${place},"cells":`;
  const end = `,"pagination":{${rows},${rest}}}${after}`;
  const [first] = cells;
  return cells.length === 1 && typeof first === 'string' ? [start + first + end] : [start, ...cells, end];
}
