import { randomUUID } from 'node:crypto';
import {
  type Area,
  type AttachmentData,
  areaText,
  attachmentFormulas,
  attachmentOrigin,
  cellText,
  contains,
  type Edit,
  intersection,
  intersects,
  listReadSheets,
  MAX_ROWS,
  type Snapshot,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import {
  type FormatRule,
  formatAbsoluteAreas,
  listFormatRules,
  MAX_SCALE_BOUNDS,
  type RuleScale,
  type RuleStyles,
  readPreservedStyleSheet,
  readPreservedTheme,
  type ScaleBound,
  SHOWN_RULES,
  type VisualStyle,
  VisualStyleReader,
} from '@cellwire/files';
import type { DocumentAccess } from '../../access/access.ts';
import type { ReadBlock } from '../../documents/preview.ts';
import type { DryRunProposal, ProposalHead } from '../../documents/types.ts';
import { MAX_RULE_AREAS, MAX_RULE_BLOCKS, MAX_RULE_CHARACTERS, MAX_RULES_OF_CELL } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { toAuthor } from '../write.ts';
import { computeScaleStyle } from './scale-styles.ts';

/** The style that conditional formats give a cell; null: none. */
type ConditionalStyle = (row: number, column: number) => VisualStyle | null;

const returnNoStyle: ConditionalStyle = () => null;

/** Rules of Google's API come after the rules of a file, as in exports. */
const RANK_OF_STORED = 1_000_000;

/** Maximum length of a formula in characters; the engine refuses longer ones. */
const MAX_FORMULA_LENGTH = 8_000;

type SheetAttachment = SnapshotSheet['layout']['attachments'][number];

/** The attachments of sheets by kind. Every range of a request asks for some kinds. */
const BY_KIND = new WeakMap<readonly SheetAttachment[], ReadonlyMap<string, readonly SheetAttachment[]>>();

export function listAttachments({ layout }: SnapshotSheet, kinds: readonly string[]): readonly SheetAttachment[] {
  const { attachments } = layout;
  if (attachments.length === 0) return attachments;
  const byKind = BY_KIND.get(attachments) ?? Map.groupBy(attachments, ({ kind }) => kind);
  BY_KIND.set(attachments, byKind);
  return kinds.flatMap((kind) => byKind.get(kind) ?? []);
}

/** An attachment with its formulas as in the first cell of `areas`, in the grammar of files. */
export function toAttachmentData(
  snapshot: Snapshot,
  attachment: SheetAttachment,
  areas: readonly Area[],
): AttachmentData {
  const formulas = attachmentFormulas(snapshot, attachment, 'en-US', areas);
  return { ...attachment, formulas: formulas.map((text) => text.slice(1)) };
}

/** How texts and dates in the conditions of rules are read. */
export function toConditionLocale({ settings: { locale, dateSystem: system } }: Snapshot) {
  return { locale, system };
}

/** True if the formula reads a sheet that is hidden from the caller. */
export function readsHiddenSheet(snapshot: Snapshot, { hiddenSheets }: DocumentAccess, formula: string): boolean {
  if (hiddenSheets.size === 0) return false;
  return [...listReadSheets(`=${formula}`, 'en-US', snapshot)].some((sheet) => hiddenSheets.has(sheet));
}

/** Cached styles by the preserved data of a document's file. Commits keep the same object. */
const STYLES = new WeakMap<Snapshot['carried'], RuleStyles>();

/** Resolves styles and colours of rules in files. */
export function createRuleStyles({ carried }: Snapshot): RuleStyles {
  const cached = STYLES.get(carried);
  if (cached !== undefined) return cached;
  const reader = new VisualStyleReader(readPreservedTheme(carried));
  const list = /<dxfs\b[^>]*>([\s\S]*)<\/dxfs>/.exec(readPreservedStyleSheet(carried).rest)?.[1] ?? '';
  const formats = list.match(/<dxf\b[^>]*?(?:\/>|>[\s\S]*?<\/dxf>)/g) ?? [];
  const read = new Map<number, VisualStyle>();
  const styles: RuleStyles = {
    resolveDifferential: (index) => {
      const style = read.get(index) ?? reader.parseDifferential(formats[index] ?? '');
      if (index < formats.length) read.set(index, style);
      return style;
    },
    resolveColor: (attributes) => reader.resolveColor(attributes),
  };
  STYLES.set(carried, styles);
  return styles;
}

/** Cells with the same conditional formats. */
interface RuleBlock {
  readonly area: Area;
  readonly rules: readonly FormatRule[];
}

/** A scale and the cells that it belongs to. */
interface PlacedScale {
  readonly areas: readonly Area[];
  readonly scale: RuleScale;
  readonly priority: number;
}

/**
 * Evaluates the conditional formats of a range with the caller's rights. Their formulas are calculated on a temporary
 * sheet at the positions of the cells. A rule that reads a sheet whose values are hidden from the caller is left out.
 */
export async function evaluateRuleStyles(
  context: ServiceContext,
  access: DocumentAccess,
  { snapshot, sheet, area }: { readonly snapshot: Snapshot; readonly sheet: SnapshotSheet; readonly area: Area },
): Promise<ConditionalStyle> {
  const rules = listRulesInArea(sheet, SHOWN_RULES.formats, area);
  if (rules.length === 0) return returnNoStyle;
  const styles = createRuleStyles(snapshot);
  const blocks = await runInSlices(divideIntoBlocks(snapshot, access, rules, styles));
  const scales = locateScales(snapshot, access, rules, styles);
  if (blocks.length === 0 && scales.length === 0) return returnNoStyle;
  const document = await context.documents.open(access.documentId, access.caller.userId);
  if (document === null) return returnNoStyle;
  const outcome = await document.write<never, ReadBlock>(
    (head) => planEvaluation(head, sheet.id, area, blocks, scales, access),
    { user: access.caller.userId, bytes: 0 },
  );
  // If the calculation takes too long, there are no results, and cells keep their own styles.
  if (outcome.kind !== 'declined') return returnNoStyle;
  return createStyleLookup(sheet, area, outcome.reason, blocks, scales);
}

/** A rule with its cells in a range. */
interface RuleInRange {
  readonly attachment: SheetAttachment;
  readonly parts: readonly Area[];
}

/** The first rules of some kinds that have cells in a range. */
export function listRulesInArea(sheet: SnapshotSheet, kinds: readonly string[], area: Area): readonly RuleInRange[] {
  const found: RuleInRange[] = [];
  let areas = 0;
  for (const attachment of listAttachments(sheet, kinds)) {
    const parts = attachment.areas.flatMap((one) => intersection(one, area) ?? []);
    if (parts.length === 0) continue;
    areas += parts.length;
    if (areas > MAX_RULE_AREAS) break;
    found.push({ attachment: attachment, parts });
  }
  return found;
}

/** Length of a rule in UTF-16 units. */
function measureRuleLength({ texts, formulas }: AttachmentData): number {
  return [...texts, ...formulas].reduce((sum, text) => sum + text.length, 0);
}

/** Divides a range where areas of rules begin and end. Pauses regularly. */
function* divideIntoBlocks(
  snapshot: Snapshot,
  access: DocumentAccess,
  rulesInRange: readonly RuleInRange[],
  styles: RuleStyles,
): Generator<void, readonly RuleBlock[]> {
  const reading = toConditionLocale(snapshot);
  const parts = rulesInRange.flatMap((one) => one.parts);
  const columns = splitAtSides(parts, 'left', 'right');
  const blocks: RuleBlock[] = [];
  let characters = 0;
  for (const [top, bottom] of splitAtSides(parts, 'top', 'bottom')) {
    for (const [left, right] of columns) {
      yield;
      const block = { top, left, bottom, right };
      const cell = { top, left, bottom: top, right: left };
      const rules: FormatRule[] = [];
      for (const [i, { attachment, parts: own }] of rulesInRange.entries()) {
        if (rules.length >= MAX_RULES_OF_CELL) break;
        if (!own.some((part) => intersects(part, block))) continue;
        const data = toAttachmentData(snapshot, attachment, [cell]);
        characters += measureRuleLength(data);
        if (characters > MAX_RULE_CHARACTERS) return blocks;
        const ofCell = listFormatRules(data, areaText(cell), RANK_OF_STORED + i, styles, reading);
        rules.push(...ofCell.filter(({ test }) => test !== null && !readsHiddenSheet(snapshot, access, test)));
      }
      if (rules.length === 0) continue;
      if (blocks.length === MAX_RULE_BLOCKS) return blocks;
      blocks.push({ area: block, rules: rules.slice(0, MAX_RULES_OF_CELL) });
    }
  }
  return blocks;
}

/** Consecutive intervals between the sides of areas. */
function splitAtSides(
  areas: readonly Area[],
  start: 'top' | 'left',
  end: 'bottom' | 'right',
): readonly (readonly [first: number, last: number])[] {
  const sides = [...new Set(areas.flatMap((area) => [area[start], area[end] + 1]))].sort((a, b) => a - b);
  return sides.slice(1).map((next, i) => [sides[i] ?? 0, next - 1]);
}

/**
 * The color scales, data bars and icon sets among the rules that may be calculated for the caller, with their areas.
 */
function locateScales(
  snapshot: Snapshot,
  access: DocumentAccess,
  rulesInRange: readonly RuleInRange[],
  styles: RuleStyles,
): readonly PlacedScale[] {
  const reading = toConditionLocale(snapshot);
  const scales = rulesInRange.slice(0, MAX_RULES_OF_CELL).flatMap(({ attachment }, i) => {
    const { row, column } = attachmentOrigin(attachment.areas);
    const data = toAttachmentData(snapshot, attachment, attachment.areas);
    const rules = listFormatRules(data, cellText(row, column), RANK_OF_STORED + i, styles, reading);
    return rules.flatMap(({ scale, priority }) =>
      scale === null ? [] : [{ areas: attachment.areas, scale, priority }],
    );
  });
  return scales.filter((scale) => canEvaluateScale(snapshot, access, scale)).slice(0, MAX_RULES_OF_CELL);
}

/** False for a scale whose bounds are too long, or read a sheet whose values are hidden from the caller. */
function canEvaluateScale(
  snapshot: Snapshot,
  access: DocumentAccess,
  { scale: { bounds }, areas }: PlacedScale,
): boolean {
  return (
    bounds.length >= 2 &&
    bounds.length <= MAX_SCALE_BOUNDS &&
    bounds.every(
      (bound) =>
        formatBoundFormula(bound, areas).length <= MAX_FORMULA_LENGTH &&
        !readsHiddenSheet(snapshot, access, bound.formula),
    )
  );
}

/** Plans a trial with one formula for each cell, and the bounds of the scales below the range. */
function planEvaluation(
  head: ProposalHead,
  standsFor: number,
  { top, left, bottom, right }: Area,
  blocks: readonly RuleBlock[],
  scales: readonly PlacedScale[],
  access: DocumentAccess,
): DryRunProposal<ReadBlock> {
  const sheet = head.nextSheetId;
  const tests = blocks.flatMap(({ area, rules }): readonly Edit[] => {
    const cell = { ...area, bottom: area.top, right: area.left };
    return [
      ...toFormulaEdit(sheet, area.top, area.left, combineTests(rules)),
      { kind: 'fill', sheet, area: cell, to: area },
    ];
  });
  const bounds = scales.flatMap(({ areas, scale }, i) =>
    bottom + 1 + i >= MAX_ROWS
      ? []
      : scale.bounds.flatMap((bound, j) =>
          toFormulaEdit(sheet, bottom + 1 + i, left + j, formatBoundFormula(bound, areas)),
        ),
  );
  const rows = bottom - top + 1 + scales.length;
  return {
    kind: 'trial',
    edits: [{ kind: 'addSheet', name: randomUUID(), standsFor }, ...tests, ...bounds],
    author: toAuthor(access.caller),
    read: {
      sheet,
      top,
      left,
      maxCells: rows * Math.max(right - left + 1, MAX_SCALE_BOUNDS),
      maxCharacters: Number.MAX_SAFE_INTEGER,
    },
    show: ({ block }) => block ?? { rows: 0, columns: 0, cells: [] },
  };
}

/** The edits that enter one formula, written in English. */
function toFormulaEdit(sheet: number, row: number, column: number, formula: string): readonly Edit[] {
  return [{ kind: 'setValues', sheet, row, column, values: [[`=${formula}`]], mode: 'user', locale: 'en-US' }];
}

/** The formula of a number with one bit for each rule that applies; without rules that exceed the maximum length. */
function combineTests(rules: readonly FormatRule[]): string {
  let text = '';
  for (const [i, { test }] of rules.entries()) {
    const next = `${text === '' ? '' : '+'}IFERROR(IF(${test},${2 ** i},0),0)`;
    if (text.length + next.length <= MAX_FORMULA_LENGTH) text += next;
  }
  return text === '' ? '0' : text;
}

/** The formula that computes a bound of a scale over the areas. */
function formatBoundFormula({ kind, formula }: ScaleBound, areas: readonly Area[]): string {
  const list = formatAbsoluteAreas(areas).join(',');
  switch (kind) {
    case 'min':
      return `MIN(${list})`;
    case 'max':
      return `MAX(${list})`;
    case 'percent':
      return `MIN(${list})+(MAX(${list})-MIN(${list}))*(${formula})/100`;
    case 'percentile':
      return `PERCENTILE((${list}),(${formula})/100)`;
    case 'num':
    case 'formula':
      return formula;
  }
}

/** A function that returns the style which the calculated rules give a cell of the area. */
function createStyleLookup(
  sheet: SnapshotSheet,
  area: Area,
  { cells }: ReadBlock,
  blocks: readonly RuleBlock[],
  scales: readonly PlacedScale[],
): ConditionalStyle {
  const getResult = (row: number, column: number) => cells[row - area.top]?.[column - area.left] ?? null;
  const bounds = scales.map(({ scale }, i) =>
    readScaleBounds(scale, (j) => getResult(area.bottom + 1 + i, area.left + j)),
  );
  const findBlock = (row: number, column: number) => blocks.find((block) => contains(block.area, row, column));
  return (row, column) => {
    const bits = getResult(row, column);
    const rules = typeof bits === 'number' && bits > 0 ? (findBlock(row, column)?.rules ?? []) : [];
    const applied = rules
      .filter((_, i) => Math.floor(Number(bits) / 2 ** i) % 2 === 1)
      .map(({ priority, style }) => ({ priority, style }));
    const value = sheet.value(row, column);
    for (const [i, { areas, scale, priority }] of scales.entries()) {
      const numbers = bounds[i];
      if (numbers == null || typeof value !== 'number' || !areas.some((one) => contains(one, row, column))) continue;
      applied.push({ priority, style: computeScaleStyle(scale, numbers, value) });
    }
    if (applied.length === 0) return null;
    applied.sort((a, b) => b.priority - a.priority);
    return Object.assign({}, ...applied.map(({ style }) => style)) as VisualStyle;
  };
}

/** The bounds of a scale; null if one of them is not a number. */
function readScaleBounds({ bounds }: RuleScale, resultAt: (bound: number) => unknown): readonly number[] | null {
  const numbers = bounds.map((_, i) => resultAt(i)).filter((result) => typeof result === 'number');
  return numbers.length === bounds.length ? numbers : null;
}
