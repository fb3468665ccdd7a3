import { rangeStatusSince, type TargetRange } from '../documents/recent-commits.ts';
import type { Head, OpenDocument } from '../documents/types.ts';
import type { ServiceContext } from './context.ts';
import { type Expectation, parseExpectations } from './expectations.ts';
import { isUntouched } from './history/history.ts';
import { invalidRequest, isRefusal, type Refusal } from './refusal.ts';
import { isSameRange, parseDocumentTag, parseRangeTag, positionOf, type RangeTag, tagsOf } from './tags.ts';

/** What must hold of the state that a write is applied to. */
export interface Preconditions {
  /** Some state, whichever it is (`*`). */
  readonly any: boolean;
  /** One of these ranges is as it was. */
  readonly ranges: readonly RangeTag[];
  /** The document is at one of these commits. */
  readonly commits: readonly string[];
}

/** What a request asks of the state that it is applied to, all of which must hold. */
export interface Asked {
  /** Of an `If-Match` header; null: none. */
  readonly preconditions: Preconditions | null;
  /** The document is at this revision; null: at whichever. */
  readonly ifRevision: number | null;
  readonly expected: readonly Expectation[];
}

export const NOTHING_ASKED: Asked = { preconditions: null, ifRevision: null, expected: [] };

const REVISION = /^\d{1,15}$/;

/** What a write asks of the state that it is applied to: in its header, and in members as they were sent. */
export function parsePreconditions(ifMatch: string | undefined, revision: unknown, expect: unknown): Asked | Refusal {
  const isRevision = typeof revision === 'number' || typeof revision === 'string';
  if (revision !== undefined && !(isRevision && REVISION.test(String(revision)))) {
    return invalidRequest('ifRevision', 'ifRevision must be a revision, such as "41"');
  }
  const expected = expect === undefined ? [] : parseExpectations(expect);
  if (isRefusal(expected)) return expected;
  return {
    preconditions: ifMatch === undefined ? null : preconditionsOf(ifMatch),
    ifRevision: revision === undefined ? null : Number(revision),
    expected,
  };
}

/** The preconditions of an `If-Match` header; weak tags and what is no tag of this service never hold. */
function preconditionsOf(header: string): Preconditions {
  const tags = tagsOf(header);
  return {
    any: tags.includes('*'),
    ranges: tags.flatMap((tag) => parseRangeTag(tag) ?? []),
    commits: tags.flatMap((tag) => parseDocumentTag(tag) ?? []),
  };
}

/** `unknown`: what is remembered of the last commits does not reach back; `lookUp` tells more. */
type Verdict = 'holds' | 'fails' | 'unknown';

/** Judges on the very state that the write is applied to. `target` null: the write is not about one range. */
export function judge({ any, ranges, commits }: Preconditions, head: Head, target: TargetRange | null): Verdict {
  if (any) return 'holds';
  if (target === null) return commits.includes(head.head) ? 'holds' : 'fails';
  const here = { revision: head.revision, commit: head.head };
  const verdicts = ranges
    .filter((tag) => isSameRange(tag.target, target))
    .map(({ position }) => rangeStatusSince(position, target, head.recent, here));
  if (verdicts.includes('untouched')) return 'holds';
  return verdicts.includes('unknown') ? 'unknown' : 'fails';
}

/** The same preconditions as of the newest state on the disk, from the log; those that do not hold there are left out. */
export async function lookUp(
  context: ServiceContext,
  document: OpenDocument,
  preconditions: Preconditions,
): Promise<Preconditions> {
  const latest = await document.latest();
  if (latest === null) return preconditions;
  const ranges: RangeTag[] = [];
  for (const tag of preconditions.ranges) {
    const holds = await isUntouched(context, document.id, tag.position, tag.target, latest);
    if (holds) ranges.push({ ...tag, position: positionOf(latest) });
  }
  return { ...preconditions, ranges };
}
