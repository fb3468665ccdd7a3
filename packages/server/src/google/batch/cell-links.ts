import type { Area } from '@cellwire/engine';
import { HYPERLINK } from '@cellwire/files';
import { MAX_LINK_LENGTH } from '../../limits/google.ts';
import type { PlanSteps } from '../call.ts';
import { type FieldMask, includesPath } from '../field-mask.ts';
import { FOREGROUND, type GoogleFormat, readCellFormat } from '../format/cell-format.ts';
import { LINK_COLOR, toColorForms } from '../format/color.ts';
import { joinPath, type RequestObject, readObject, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { type AreaLink, CellLinks, hasLinks, toLinkTexts } from '../sheets/links.ts';
import { restyleCells } from './cell-edits.ts';
import type { RequestBatch, WorkingSheet } from './state.ts';

/** Sets the members of a format that a mask names in an area. The document stores a link apart from the cell's style. */
export function* writeCellFormat(
  batch: RequestBatch,
  sheet: WorkingSheet,
  area: Area,
  sent: RequestObject,
  mask: FieldMask,
  path: string,
): PlanSteps<void> {
  const address = yield* styleWithLink(batch, sheet, area, sent, mask, path);
  if (address !== undefined) setLinks(batch, sheet, area, address === null ? [] : [{ area, address }]);
}

/**
 * Like `writeCellFormat`, but the caller must set the link that it returns; null: no link. Undefined: the mask does not
 * include links.
 */
export function* styleWithLink(
  batch: RequestBatch,
  sheet: WorkingSheet,
  area: Area,
  sent: RequestObject,
  mask: FieldMask,
  path: string,
): PlanSteps<string | null | undefined> {
  const format = readCellFormat(sent, path);
  const includesLink = includesPath(mask, 'textFormat', 'link');
  const link = includesLink ? readLink(sent, path) : undefined;
  if (typeof link !== 'string') yield* restyleCells(batch, sheet, area, format, mask);
  else yield* writeLinkStyle(batch, sheet, area, { format, mask, sent: readObject(sent, 'textFormat', path) ?? {} });
  return link;
}

const LINK_SCHEME = /^(?:https?|ftp|mailto|tel):/i;
const SCHEME = /^\s*[a-z][a-z\d+.-]*:/i;
/** Browsers ignore some control characters, which could therefore hide a scheme. */
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The address of a format's link; null: none. Throws a `Problem` if it is too long or not allowed. */
function readLink(format: RequestObject, path: string): string | null {
  const textFormat = readObject(format, 'textFormat', path);
  const at = joinPath(path, 'textFormat');
  const link = textFormat && readObject(textFormat, 'link', at);
  if (link === undefined) return null;
  refuseUnknownMembers(link, ['uri'], joinPath(at, 'link'));
  const uri = readText(link, 'uri', joinPath(at, 'link')) ?? '';
  if (uri.length > MAX_LINK_LENGTH)
    throw createInvalidProblem(`A link can have ${MAX_LINK_LENGTH} characters at most.`);
  if (CONTROL.test(uri) || (SCHEME.test(uri) && !LINK_SCHEME.test(uri)))
    throw createInvalidProblem(`Invalid link: ${uri.slice(0, 100)}`);
  return uri === '' ? null : uri;
}

interface LinkedFormat {
  readonly format: GoogleFormat;
  readonly mask: FieldMask;
  /** `textFormat` as it was sent. */
  readonly sent: RequestObject;
}

/**
 * Sets the style of cells with a link. They are underlined and have the colour of links, unless the request sets these
 * members: https://developers.google.com/sheets/api/reference/rest/v4/spreadsheets/other#textformat
 */
function* writeLinkStyle(
  batch: RequestBatch,
  sheet: WorkingSheet,
  area: Area,
  { format, mask, sent }: LinkedFormat,
): PlanSteps<void> {
  const isSet = (name: string) => sent[name] !== undefined && includesPath(mask, 'textFormat', name);
  const hasColor = isSet(FOREGROUND.color) || isSet(FOREGROUND.style);
  const defaults = {
    ...(hasColor ? {} : toColorForms(LINK_COLOR, FOREGROUND)),
    ...(isSet('underline') ? {} : { underline: true }),
  };
  yield* restyleCells(batch, sheet, area, format, mask);
  const names = Object.keys(defaults);
  if (names.length === 0) return;
  const defaultMask: FieldMask = new Map([['textFormat', new Map(names.map((name) => [name, null]))]]);
  yield* restyleCells(batch, sheet, area, { textFormat: defaults }, defaultMask);
}

/** The batches in which cells may have links: before the batch, or set by an earlier request. */
const LINKED = new WeakMap<RequestBatch, boolean>();

/** True if a sheet had cells with links when the batch began, or if an earlier request set links. */
function mayHaveLinks(batch: RequestBatch): boolean {
  const known = LINKED.get(batch);
  if (known !== undefined) return known;
  const found = batch.snapshot.sheets.some(hasLinks);
  LINKED.set(batch, found);
  return found;
}

/** The links of an area of a sheet after the previous requests. */
export function* listLinks(batch: RequestBatch, sheet: WorkingSheet, area: Area): PlanSteps<readonly AreaLink[]> {
  if (!mayHaveLinks(batch)) return [];
  return new CellLinks(yield* batch.readSheetStructure(sheet)).listWithin(area);
}

/** Replaces the links of an area, with one edit: each edit of links examines all links of the sheet. */
export function setLinks(batch: RequestBatch, sheet: WorkingSheet, within: Area, links: readonly AreaLink[]): void {
  if (links.length === 0 && !mayHaveLinks(batch)) return;
  if (links.length > 0) LINKED.set(batch, true);
  batch.addEdits({
    kind: 'attach',
    sheet: sheet.id,
    attachment: HYPERLINK,
    key: null,
    within,
    splits: true,
    attachments: links.map(({ area, address }) => ({ areas: [area], texts: toLinkTexts(address) })),
  });
}
