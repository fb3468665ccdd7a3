import type { FilledPage, RangeEntry } from '../../service/cells/read-values.ts';
import type { JsonPart } from '../answer.ts';

/**
 * Answers with cells are joined from the engine's ready bytes; making objects of them and a text of those would cost
 * many times more than everything else that a read does.
 */
export function rangeBody(page: FilledPage): readonly JsonPart[] {
  return [...rangeParts('{"values":', page), '}'];
}

interface BatchEntry {
  readonly entry: RangeEntry;
  /** Of a reading across documents; absent within one. */
  readonly document?: string | null;
}

export function batchBody(entries: readonly BatchEntry[]): readonly JsonPart[] {
  const parts: JsonPart[] = ['{"valueRanges":['];
  entries.forEach(({ entry, document }, index) => {
    const before = index === 0 ? '' : ',';
    const owner = document === undefined ? {} : { document };
    if (entry.kind === 'failed')
      parts.push(before + JSON.stringify({ ...owner, range: entry.range, error: entry.error }));
    else parts.push(...rangeParts(before, entry, owner));
  });
  parts.push(']}');
  return parts;
}

function rangeParts(before: string, page: FilledPage, owner: object = {}): JsonPart[] {
  const { sheet, range, major, pagination, cells } = page;
  const head = JSON.stringify({ ...owner, sheet, range, majorDimension: major });
  return [`${before}${head.slice(0, -1)},"cells":`, cells, `,"pagination":${JSON.stringify(pagination)}}`];
}
