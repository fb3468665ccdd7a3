import type { Entry, FilledPage } from '../../service/cells/read-values.ts';
import type { JsonPart } from '../answer.ts';

/**
 * Joins serialized cells of the engine to an answer. Converting cells to objects and serializing them would take many
 * times longer than the rest of a read.
 */
export function rangeBody(page: FilledPage): readonly JsonPart[] {
  return [...rangeParts('{"values":', page), '}'];
}

interface BatchEntry {
  readonly entry: Entry;
  /** Set in a read across documents; absent within one document. */
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
