import { type Area, getLocale, type LocaleId, type OpenArea, type Render, type Snapshot } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { DocumentReading, SheetArea } from '../../documents/types.ts';
import { MAX_READ_ROWS } from '../../limits/requests.ts';
import type { ServiceContext } from '../context.ts';
import { isUntouched } from '../history/history.ts';
import { openPastReading } from '../history/revisions.ts';
import { openAreas } from '../open-table.ts';
import { type RangeTarget, resolveRange, type SnapshotSheet } from '../ranges.ts';
import { BUSY, isRefusal, type Refusal, toHttpAnswer, VALUES_HIDDEN } from '../refusal.ts';
import {
  formatDocumentTag,
  formatRangeTag,
  isSameRange,
  parseRangeTag,
  type RangeTag,
  splitTags,
  toCommitPosition,
} from '../tags.ts';
import {
  boundFrameBytes,
  boundPageBytes,
  type CellPage,
  type FilledPage,
  fillPage,
  type ReadForm,
  type RunPageSteps,
} from './fill-page.ts';
import { resolveInputLocale } from './input-locale.ts';

/** A range of a batch that could not be read. */
interface FailedRange {
  readonly kind: 'failed';
  /** The requested range. */
  readonly range: string;
  readonly error: string;
}

export interface PageRequest extends ReadForm {
  readonly range: string;
  readonly offset: number;
  readonly limit: number;
}

/** Renderings of cells; the index is a part of the tag of a rendered page. */
const RENDERINGS: readonly Render[] = ['plain', 'display'];

/** Part of the tag of a page whose formulas use a decimal point and commas. */
const DOTTED = RENDERINGS.length;

/** The part of a page's form that changes its bytes, as text. */
function encodePageForm({ render, input }: CellPage): string {
  if (render !== null) return `.${RENDERINGS.indexOf(render)}`;
  return input !== null && getLocale(input).decimal === '.' ? `.${DOTTED}` : '';
}

/** A page with the content of its ETag. */
interface TaggedPage {
  readonly kind: 'tagged';
  readonly page: CellPage;
  readonly tag: RangeTag;
  readonly reading: DocumentReading;
}

/** A page of the document at a retained revision; the current protection applies. */
export async function readPastRange(
  context: ServiceContext,
  access: DocumentAccess,
  revision: number,
  request: PageRequest,
): Promise<CellPage | Refusal> {
  const snapshot = await openPastReading(context, access, revision);
  if (isRefusal(snapshot)) return snapshot;
  const target = resolveReadableRange(snapshot, access, request.range);
  if (isRefusal(target)) return target;
  const room = { cells: context.config.limits.maxResponseCells, leastRows: 1 } as const;
  return resolvePage(snapshot, target, request, resolveInputLocale(request.inputLocale, access, snapshot), room);
}

export function readRange(
  context: ServiceContext,
  access: DocumentAccess,
  request: PageRequest,
): MaybePromise<TaggedPage | Refusal> {
  const room = { cells: context.config.limits.maxResponseCells, leastRows: 1 } as const;
  const listAreas = (snapshot: Snapshot) => listPageAreas(snapshot, access, request, room);
  return mapMaybe(openAreas(context, access, listAreas), (reading) =>
    isRefusal(reading) ? reading : resolveTaggedPage(reading, access, request, room),
  );
}

function resolveTaggedPage(
  reading: DocumentReading,
  access: DocumentAccess,
  request: PageRequest,
  budget: CellBudget,
): TaggedPage | Refusal {
  const { snapshot } = reading;
  const target = resolveReadableRange(snapshot, access, request.range);
  if (isRefusal(target)) return target;
  const input = resolveInputLocale(request.inputLocale, access, snapshot);
  const page = resolvePage(snapshot, target, request, input, budget);
  const { offset, limit, total, major } = page;
  const shown = `${offset}.${limit}.${total}${encodePageForm(page)}${major === 'ROWS' ? 'r' : 'c'}`;
  const place = { sheet: target.sheet.id, area: target.area };
  return { kind: 'tagged', page, reading, tag: { position: toCommitPosition(reading), target: place, page: shown } };
}

/**
 * The caller's tag that is valid for the current page; null: none. A tag names the commit that the page was read at,
 * and is valid until a commit touches the range.
 */
export async function findMatchingTag(
  context: ServiceContext,
  { documentId }: DocumentAccess,
  { tag, reading }: TaggedPage,
  header: string,
): Promise<string | null> {
  const current = formatRangeTag(tag);
  for (const listed of splitTags(header)) {
    const strong = listed.startsWith('W/') ? listed.slice(2) : listed;
    if (strong === current || strong === '*') return current;
    const one = parseRangeTag(strong);
    if (one === null || one.page !== tag.page || !isSameRange(one.target, tag.target)) continue;
    if (await isUntouched(context, documentId, one.position, one.target, reading)) return strong;
  }
  return null;
}

/**
 * Identifies what a caller sees in a state of a document: equal keys and equal requests get the same bytes,
 * permanently. The key is unique across documents.
 */
export function createViewerKey(access: DocumentAccess, { head }: DocumentReading): string {
  return `${head} ${sortHiddenSheets(access).join()} ${access.caller.inputLocale ?? access.inputLocale}`;
}

function sortHiddenSheets({ hiddenSheets }: DocumentAccess): readonly number[] {
  return hiddenSheets.size === 0 ? [] : [...hiddenSheets].sort((a, b) => a - b);
}

/** Ranges of one state of a document, with the ETag of the response. */
interface TaggedRanges {
  readonly tag: () => string;
  readonly reading: DocumentReading;
  readonly entries: (make: RunPageSteps) => Promise<readonly RangeEntry[] | Refusal>;
}

/** Reads all ranges at one revision; an invalid range is reported in its entry (contract, write rule 8). */
export function readRanges(
  context: ServiceContext,
  access: DocumentAccess,
  ranges: readonly string[],
  form: ReadForm,
): MaybePromise<TaggedRanges | Refusal> {
  const room = { cells: context.config.limits.maxResponseCells, leastRows: 1 } as const;
  const listAreas = (snapshot: Snapshot) =>
    ranges.flatMap((range) =>
      listPageAreas(snapshot, access, { range, offset: 0, limit: MAX_READ_ROWS, ...form }, room),
    );
  return mapMaybe(openAreas(context, access, listAreas), (reading) => {
    if (isRefusal(reading)) return reading;
    const { snapshot, head } = reading;
    const hidden = sortHiddenSheets(access);
    const input = resolveInputLocale(form.inputLocale, access, snapshot);
    return {
      tag: () => formatDocumentTag(head, JSON.stringify([ranges, form, hidden, input])),
      reading,
      entries: (make) =>
        readRangesInOrder(
          context,
          ranges.map((range) => ({ snapshot, access, range, echo: range })),
          form,
          make,
        ),
    };
  });
}

/** The entry of one range in a batch. */
export type RangeEntry = FilledPage | FailedRange;

interface EntryRequest {
  readonly snapshot: Snapshot;
  readonly access: DocumentAccess;
  readonly range: string;
  /** The range's text in a failed entry. */
  readonly echo: string;
}

/**
 * Reads first pages until the response's cells or bytes are used up; later ranges are then empty with `hasMore`.
 * Refuses the whole batch if the memory for such a response is not available now.
 */
export async function readRangesInOrder(
  context: ServiceContext,
  requests: readonly EntryRequest[],
  form: ReadForm,
  make: RunPageSteps,
): Promise<readonly RangeEntry[] | Refusal> {
  const { maxResponseCells, maxResponseBytes } = context.config.limits;
  let cellsLeft = maxResponseCells;
  let bytesLeft = maxResponseBytes;
  const entries: RangeEntry[] = [];
  const addFailure = (echo: string, refusal: Refusal): void => {
    bytesLeft -= boundFrameBytes(echo);
    entries.push(toFailedRange(echo, refusal));
  };
  let isFirst = true;
  for (const { snapshot, access, range, echo } of requests) {
    const target = resolveReadableRange(snapshot, access, range);
    if (isRefusal(target)) {
      addFailure(echo, target);
      continue;
    }
    const room: CellBudget = { cells: cellsLeft, leastRows: isFirst ? 1 : 0 };
    const input = resolveInputLocale(form.inputLocale, access, snapshot);
    const request = { range, offset: 0, limit: MAX_READ_ROWS, ...form };
    const planned = resolvePage(snapshot, target, request, input, room);
    const filled = await fillPage(make, planned, bytesLeft, !isFirst);
    if (filled === BUSY) return BUSY;
    if (isRefusal(filled)) {
      addFailure(echo, filled);
      continue;
    }
    isFirst = false;
    if (planned.area !== null) cellsLeft -= filled.pagination.returned * (planned.area.right - planned.area.left + 1);
    bytesLeft -= boundPageBytes(filled);
    entries.push(filled);
  }
  return entries;
}

export function toFailedRange(range: string, refusal: Refusal): FailedRange {
  const { message } = toHttpAnswer(refusal);
  return { kind: 'failed', range, error: message ?? 'Access denied' };
}

export function resolveReadableRange(snapshot: Snapshot, access: DocumentAccess, range: string): RangeTarget | Refusal {
  const target = resolveRange(snapshot, range);
  if (isRefusal(target)) return target;
  return access.hiddenSheets.has(target.sheet.id) ? VALUES_HIDDEN : target;
}

/**
 * Remaining cells of the response. `leastRows`: number of rows that are returned regardless, so that paging makes
 * progress.
 */
interface CellBudget {
  readonly cells: number;
  readonly leastRows: 0 | 1;
}

/** Which rows of a range a page has, within the limits of the request and of the cells. */
function resolvePage(
  snapshot: Snapshot,
  { sheet, area: range }: RangeTarget,
  { range: rangeText, offset, limit: requested, major, render, inputLocale }: PageRequest,
  input: LocaleId | null,
  budget: CellBudget,
): CellPage {
  const area = closeOpenArea(sheet, range);
  const total = area === null ? 0 : area.bottom - area.top + 1;
  const limit = Math.min(requested, MAX_READ_ROWS);
  const rowsInCells = area === null ? 0 : Math.floor(budget.cells / (area.right - area.left + 1));
  const returned = Math.max(0, Math.min(limit, total - offset, Math.max(budget.leastRows, rowsInCells)));
  const top = range.top + offset;
  const read = area === null || returned === 0 ? null : { ...area, top, bottom: top + returned - 1 };
  return {
    kind: 'page',
    snapshot,
    sheet,
    area: read,
    range,
    rangeText,
    major,
    render,
    inputLocale,
    input,
    total,
    offset,
    limit,
  };
}

/** The cells of a page as areas; none if the page is refused. */
function listPageAreas(
  snapshot: Snapshot,
  access: DocumentAccess,
  request: PageRequest,
  budget: CellBudget,
): readonly SheetArea[] {
  const target = resolveReadableRange(snapshot, access, request.range);
  if (isRefusal(target)) return [];
  const { area } = resolvePage(snapshot, target, request, null, budget);
  return area === null ? [] : [{ sheet: target.sheet.id, area }];
}

/** Closes an area's open sides at the sheet's used extent; null if the area starts beyond it. */
export function closeOpenArea(sheet: SnapshotSheet, area: OpenArea): Area | null {
  const extent = sheet.extent();
  const bottom = area.openRows ? extent.rows - 1 : area.bottom;
  const right = area.openColumns ? extent.columns - 1 : area.right;
  if (bottom < area.top || right < area.left) return null;
  return { top: area.top, left: area.left, bottom, right };
}
