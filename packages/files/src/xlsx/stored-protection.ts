import {
  type Area,
  type AttachmentData,
  PLAIN_LAYOUT,
  type SheetData,
  subtract,
  WHOLE_SHEET,
  type WorkbookData,
} from '@cellwire/engine';
import type { LeftOut } from '../outcome/left-out.ts';
import { listAttachmentsOfKind } from './attachments-xml.ts';

/** Kinds of attachments that Google's API stores; see `stored-formulas.ts`. */
const PROTECTED_RANGE = 'google.protectedRange';
const UNPROTECTED_RANGE = 'google.unprotectedRange';
const FILTER_VIEW = 'google.filterView';

/** Maximum ranges of one sheet that a file lists as editable. */
const MAX_EDITABLE_AREAS = 1_000;

/**
 * A file protects a whole sheet and lists the ranges that can still be edited. This element allows all actions that it
 * can allow, because a protected range restricts only its cells.
 */
const PROTECTION = `<sheetProtection sheet="1" ${[
  'formatCells',
  'formatColumns',
  'formatRows',
  'insertColumns',
  'insertRows',
  'insertHyperlinks',
  'deleteColumns',
  'deleteRows',
  'sort',
  'autoFilter',
  'pivotTables',
]
  .map((name) => `${name}="0"`)
  .join(' ')}/>`;

/**
 * Converts protected ranges to the protection of their sheets. These are left out and counted: ranges that only warn,
 * ranges of a sheet that its file protects, and filter views.
 */
export function convertProtectedRanges(data: WorkbookData, leftOut: LeftOut): WorkbookData {
  return { ...data, sheets: data.sheets.map((sheet) => protectSheet(sheet, leftOut)) };
}

/** The sheet with its protected ranges as Excel's protection. Counts as left out what Excel cannot express. */
function protectSheet(sheet: SheetData, leftOut: LeftOut): SheetData {
  leftOut.addItem('filterViews', listAttachmentsOfKind(sheet, FILTER_VIEW).length);
  const ranges = listAttachmentsOfKind(sheet, PROTECTED_RANGE);
  if (ranges.length === 0) return sheet;
  const strict = ranges.filter(({ texts: [, json = '{}'] }) => !(JSON.parse(json) as ProtectedRange).warningOnly);
  const editable = listEditableAreas(strict, listAttachmentsOfKind(sheet, UNPROTECTED_RANGE));
  const isPossible = editable.length <= MAX_EDITABLE_AREAS && sheet.layout?.carried['sheetProtection'] === undefined;
  leftOut.addItem('protectedRanges', isPossible ? ranges.length - strict.length : ranges.length);
  if (!isPossible || strict.length === 0) return sheet;
  const { layout = PLAIN_LAYOUT } = sheet;
  const list: AttachmentData = {
    kind: 'protectedRange',
    areas: editable,
    formulas: [],
    texts: ['<protectedRange name="Unprotected"/>'],
  };
  return {
    ...sheet,
    layout: {
      ...layout,
      attachments: [...(layout.attachments ?? []), ...(editable.length === 0 ? [] : [list])],
      carried: { ...layout.carried, sheetProtection: PROTECTION },
    },
  };
}

interface ProtectedRange {
  readonly warningOnly?: boolean;
}

/**
 * Returns the cells that no range protects. `unprotected`: areas inside the ranges that can be edited, by the key of
 * their range.
 */
function listEditableAreas(ranges: readonly AttachmentData[], unprotected: readonly AttachmentData[]): readonly Area[] {
  let editable: readonly Area[] = [WHOLE_SHEET];
  for (const range of ranges) {
    const holes = unprotected.filter(({ texts }) => texts[0] === range.texts[0]).flatMap(({ areas }) => areas);
    const locked = holes.reduce(subtractArea, range.areas);
    editable = locked.reduce(subtractArea, editable);
    if (editable.length > MAX_EDITABLE_AREAS) return editable;
  }
  return editable;
}

function subtractArea(areas: readonly Area[], removedArea: Area): readonly Area[] {
  return areas.flatMap((area) => subtract(area, removedArea));
}
