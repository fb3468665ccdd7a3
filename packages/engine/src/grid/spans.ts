import type { Span } from './move.ts';

/**
 * Returns the parts of `spans` that lie outside all `others`. Each list must be sorted, and the spans of one list must
 * not overlap.
 */
export function subtractSpans<S extends Span>(spans: readonly S[], others: readonly Span[]): readonly S[] {
  const parts: S[] = [];
  let next = 0;
  for (const span of spans) {
    let { first } = span;
    while ((others[next]?.last ?? first) < first) next++;
    for (let i = next; ; i++) {
      const other = others[i];
      if (other === undefined || other.first > span.last) break;
      if (other.first > first) parts.push({ ...span, first, last: other.first - 1 });
      first = other.last + 1;
    }
    if (first <= span.last) parts.push({ ...span, first });
  }
  return parts;
}
