import { findRangeStatus, type TargetRange } from '../documents/recent-commits.ts';
import type { OpenDocument, ProposalHead } from '../documents/types.ts';
import type { ServiceContext } from './context.ts';
import { type Expectation, parseExpectations } from './expectations.ts';
import { isUntouched } from './history/history.ts';
import { invalidRequest, isRefusal, type Refusal } from './refusal.ts';
import { isSameRange, parseDocumentTag, parseRangeTag, type RangeTag, splitTags, toCommitPosition } from './tags.ts';

/** Conditions on the state that a write is applied to; one of them must hold. */
export interface Preconditions {
  /** `*`: every state of the document fulfils the condition. */
  readonly any: boolean;
  /** Condition: one of these ranges is unchanged since its tag. */
  readonly ranges: readonly RangeTag[];
  /** Condition: the document is at one of these commits. */
  readonly commits: readonly string[];
}

/** All conditions that a request places on the state it is applied to. */
export interface RequestedPreconditions {
  /** Conditions from the `If-Match` header; null: none. */
  readonly preconditions: Preconditions | null;
  /** Condition: the document has this revision; null: every revision is accepted. */
  readonly ifRevision: number | null;
  readonly expected: readonly Expectation[];
}

export const NO_PRECONDITIONS: RequestedPreconditions = { preconditions: null, ifRevision: null, expected: [] };

const REVISION = /^\d{1,15}$/;

/** Parses the conditions of a write from its header and its unparsed members. */
export function parsePreconditions(
  ifMatch: string | undefined,
  revision: unknown,
  expect: unknown,
): RequestedPreconditions | Refusal {
  const isRevision = typeof revision === 'number' || typeof revision === 'string';
  if (revision !== undefined && !(isRevision && REVISION.test(String(revision)))) {
    return invalidRequest('ifRevision', 'ifRevision must be a revision, such as "41"');
  }
  const expected = expect === undefined ? [] : parseExpectations(expect);
  if (isRefusal(expected)) return expected;
  return {
    preconditions: ifMatch === undefined ? null : parseIfMatch(ifMatch),
    ifRevision: revision === undefined ? null : Number(revision),
    expected,
  };
}

/** Parses an `If-Match` header. Weak tags and foreign tags never hold. */
function parseIfMatch(header: string): Preconditions {
  const tags = splitTags(header);
  return {
    any: tags.includes('*'),
    ranges: tags.flatMap((tag) => parseRangeTag(tag) ?? []),
    commits: tags.flatMap((tag) => parseDocumentTag(tag) ?? []),
  };
}

/** `unknown`: the commits in memory do not reach back far enough; `lookUpInLog` decides. */
type PreconditionVerdict = 'holds' | 'fails' | 'unknown';

/**
 * Checks the conditions on the state that the write is applied to. `target` null: the write changes more than one
 * range.
 */
export function checkPreconditions(
  { any, ranges, commits }: Preconditions,
  head: ProposalHead,
  target: TargetRange | null,
): PreconditionVerdict {
  if (any) return 'holds';
  if (target === null) return commits.includes(head.head) ? 'holds' : 'fails';
  const current = { revision: head.revision, commit: head.head };
  const verdicts = ranges
    .filter((tag) => isSameRange(tag.target, target))
    .map(({ position }) => findRangeStatus(position, target, head.recent, current));
  if (verdicts.includes('untouched')) return 'holds';
  return verdicts.includes('unknown') ? 'unknown' : 'fails';
}

/**
 * Renews the preconditions from the log for the newest state on disk; conditions that do not hold there are dropped.
 */
export async function lookUpInLog(
  context: ServiceContext,
  document: OpenDocument,
  preconditions: Preconditions,
): Promise<Preconditions> {
  const latest = await document.readLatest();
  if (latest === null) return preconditions;
  const ranges: RangeTag[] = [];
  for (const tag of preconditions.ranges) {
    const holds = await isUntouched(context, document.id, tag.position, tag.target, latest);
    if (holds) ranges.push({ ...tag, position: toCommitPosition(latest) });
  }
  return { ...preconditions, ranges };
}
