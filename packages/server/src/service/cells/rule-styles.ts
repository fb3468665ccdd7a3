import { type Area, areaText, cellCount, contains, intersects, type Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import {
  type BandFill,
  createBandFill,
  type InputRule,
  readInputRule,
  readNoteText,
  SHOWN_RULES,
  type VisualStyle,
} from '@cellwire/files';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_RULE_CELLS } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import type { SnapshotSheet } from '../ranges.ts';
import {
  evaluateRuleStyles,
  listAttachments,
  listRulesInArea,
  toAttachmentData,
  toConditionLocale,
} from './format-rules.ts';

/** What the validation rule of a cell shows. */
interface ShownInputRule extends Pick<InputRule, 'kind' | 'hasArrow' | 'hint'> {
  /** Texts of a checkbox that is on and off. */
  readonly states?: InputRule['states'];
  /** The service checks input into the cell. */
  readonly isChecked: boolean;
}

/** The style of a cell, its number format unless it is General, its note and its validation rule. */
export interface CellAppearance extends VisualStyle {
  readonly format?: string;
  readonly note?: string;
  readonly rule?: ShownInputRule;
}

/** The distinct styles of a range's cells, and the style's index for each cell; -1: no style. */
export interface RangeAppearance {
  readonly styles: readonly CellAppearance[];
  readonly cells: readonly (readonly number[])[];
}

const SHOWN_KINDS: readonly string[] = [
  ...SHOWN_RULES.formats,
  ...SHOWN_RULES.validations,
  SHOWN_RULES.bands,
  SHOWN_RULES.note,
];

/** True if the sheet has notes, rules or bands. */
export function hasShownRules(sheet: SnapshotSheet): boolean {
  return listAttachments(sheet, SHOWN_KINDS).length > 0;
}

/** True if the style of a cell can change with the value of another one. */
export function hasFormatRules(sheet: SnapshotSheet): boolean {
  return listAttachments(sheet, SHOWN_RULES.formats).length > 0;
}

/** The rules of a range for its cells. */
interface CellRuleLookups {
  readonly band: BandFill;
  readonly style: (row: number, column: number) => VisualStyle | null;
  readonly note: (row: number, column: number) => string | undefined;
  readonly rule: (row: number, column: number) => ShownInputRule | undefined;
}

/** Adds notes, validation rules, bands and conditional formats to the styles of a range. */
export async function addRuleStyles(
  context: ServiceContext,
  access: DocumentAccess,
  target: { readonly snapshot: Snapshot; readonly sheet: SnapshotSheet; readonly area: Area },
  appearance: RangeAppearance,
): Promise<RangeAppearance> {
  const { snapshot, sheet, area } = target;
  if (cellCount(area) > MAX_RULE_CELLS) return appearance;
  const inRange = listAttachments(sheet, SHOWN_KINDS).some(({ areas }) => areas.some((one) => intersects(one, area)));
  if (!inRange) return appearance;
  const bands = listRulesInArea(sheet, [SHOWN_RULES.bands], area).map(({ attachment }) =>
    createBandFill({ ...attachment, formulas: [] }),
  );
  const rules: CellRuleLookups = {
    band: (row, column) => bands.map((fill) => fill(row, column)).find((fill) => fill !== null) ?? null,
    style: await evaluateRuleStyles(context, access, target),
    note: createNoteLookup(sheet, area),
    rule: createRuleLookup(snapshot, sheet, area),
  };
  return runInSlices(mergeStyles(area, appearance, rules));
}

/** Merges the cells' own styles with the styles of banding, notes and rules. Pauses before each row. */
function* mergeStyles(
  area: Area,
  { styles: ownStyles, cells: ownIndexes }: RangeAppearance,
  rules: CellRuleLookups,
): Generator<void, RangeAppearance> {
  const numbers = new Map<string, number>();
  const styles: CellAppearance[] = [];
  const cells: number[][] = [];
  for (let row = area.top; row <= area.bottom; row++) {
    yield;
    const line: number[] = [];
    for (let column = area.left; column <= area.right; column++) {
      const look = ownStyles[ownIndexes[row - area.top]?.[column - area.left] ?? -1];
      const fill = rules.band(row, column);
      const note = rules.note(row, column);
      const rule = rules.rule(row, column);
      const merged: CellAppearance = {
        ...(fill !== null && { fill }),
        ...look,
        ...rules.style(row, column),
        ...(note !== undefined && { note }),
        ...(rule !== undefined && { rule }),
      };
      const key = JSON.stringify(merged);
      let number = key === '{}' ? -1 : numbers.get(key);
      if (number === undefined) {
        number = styles.push(merged) - 1;
        numbers.set(key, number);
      }
      line.push(number);
    }
    cells.push(line);
  }
  return styles.length === 0 ? { styles: [], cells: [] } : { styles, cells };
}

/** A function that returns the note of a cell in the area; undefined if it has none. */
function createNoteLookup(sheet: SnapshotSheet, area: Area): CellRuleLookups['note'] {
  const notes = new Map<string, string>();
  for (const attachment of listAttachments(sheet, [SHOWN_RULES.note])) {
    const [cell] = attachment.areas;
    if (cell === undefined || !contains(area, cell.top, cell.left)) continue;
    notes.set(`${cell.top}:${cell.left}`, readNoteText({ ...attachment, formulas: [] }));
  }
  return (row, column) => (notes.size === 0 ? undefined : notes.get(`${row}:${column}`));
}

/** A function that returns the input rule of a cell in the area; undefined if it has none. */
function createRuleLookup(snapshot: Snapshot, sheet: SnapshotSheet, area: Area): CellRuleLookups['rule'] {
  const reading = toConditionLocale(snapshot);
  const found = listRulesInArea(sheet, SHOWN_RULES.validations, area).flatMap(({ attachment, parts }) => {
    const [first] = parts;
    if (first === undefined) return [];
    const cell = { ...first, bottom: first.top, right: first.left };
    const rule = readInputRule(toAttachmentData(snapshot, attachment, [cell]), areaText(cell), reading);
    return rule === null ? [] : [{ parts, rule: toShownInputRule(rule) }];
  });
  return (row, column) => found.findLast(({ parts }) => parts.some((part) => contains(part, row, column)))?.rule;
}

function toShownInputRule({ kind, hasArrow, hint, states, test, onWrong }: InputRule): ShownInputRule {
  const isChecked = test !== null && onWrong !== 'accept';
  return { kind, hasArrow, hint, isChecked, ...(kind === 'checkbox' && { states }) };
}
