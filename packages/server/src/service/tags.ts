import { hash } from 'node:crypto';
import type { OpenArea } from '@cellwire/engine';
import type { CommitPosition, TargetRange } from '../documents/recent-commits.ts';
import type { DocumentReading } from '../documents/types.ts';

/** Increment when a version renders the same state of a document in other bytes. */
const RENDERING = 1;

/** The content of a range's ETag: the state it was read from, the range, and the page with its form. */
export interface RangeTag {
  readonly position: CommitPosition;
  readonly target: TargetRange;
  readonly page: string;
}

const RANGE_TAG =
  /^"r1_(\d{1,15})_([0-9a-f-]{36})_(\d{1,15})\.(\d{1,7})\.(\d{1,5})\.(\d{0,7})\.(\d{0,5})_([0-9.]{1,60}[rc])"$/;
const DOCUMENT_TAG = /^"d1_([0-9a-f-]{36})_[0-9a-f]{16}"$/;

/** The ETag of a page of a range, in the form of `RANGE_TAG`; an open side of the range is empty. */
export function formatRangeTag({ position, target, page }: RangeTag): string {
  const { sheet, area } = target;
  const bottom = area.openRows ? '' : area.bottom;
  const right = area.openColumns ? '' : area.right;
  const place = `${sheet}.${area.top}.${area.left}.${bottom}.${right}`;
  return `"r${RENDERING}_${position.revision}_${position.commit}_${place}_${page}"`;
}

/** The ETag of a document as a whole: `head` is its commit, `text` is everything in the response except the cells. */
export function formatDocumentTag(head: string, text: string): string {
  return `"d${RENDERING}_${head}_${hash('sha256', text, 'hex').slice(0, 16)}"`;
}

/** The revision and the commit that it was read at. */
export function toCommitPosition({ snapshot, head }: DocumentReading): CommitPosition {
  return { revision: snapshot.revision, commit: head };
}

/** The revision, commit and area that an `ETag` of a range contains; null if it is none. */
export function parseRangeTag(tag: string): RangeTag | null {
  const match = RANGE_TAG.exec(tag);
  if (match === null) return null;
  const [, revision, commit = '', sheet, top, left, bottom, right, page = ''] = match;
  const area: OpenArea = {
    top: Number(top),
    left: Number(left),
    bottom: Number(bottom),
    right: Number(right),
    openRows: bottom === '',
    openColumns: right === '',
  };
  return { position: { revision: Number(revision), commit }, target: { sheet: Number(sheet), area }, page };
}

/** The commit that a document's ETag names; null if the tag is not one. */
export function parseDocumentTag(tag: string): string | null {
  return DOCUMENT_TAG.exec(tag)?.[1] ?? null;
}

/** True if two tags name the same range; pages may differ. */
export function isSameRange(a: TargetRange, b: TargetRange): boolean {
  return (
    a.sheet === b.sheet &&
    a.area.top === b.area.top &&
    a.area.left === b.area.left &&
    a.area.openRows === b.area.openRows &&
    a.area.openColumns === b.area.openColumns &&
    (a.area.openRows || a.area.bottom === b.area.bottom) &&
    (a.area.openColumns || a.area.right === b.area.right)
  );
}

/** The unparsed tags of an `If-Match` or `If-None-Match` header, `*` included. */
export function splitTags(header: string): readonly string[] {
  return header.split(',').map((one) => one.trim());
}

/** True if an `If-None-Match` header contains a tag, by the weak comparison of RFC 9110 §13.1.2. */
export function includesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => {
    const listed = one.trim();
    return listed === '*' || (listed.startsWith('W/') ? listed.slice(2) : listed) === tag;
  });
}
