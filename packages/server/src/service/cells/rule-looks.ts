import { type Area, areaText, cellCount, contains, intersects, type Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import {
  type BandFill,
  bandFill,
  type InputRule,
  inputRule,
  SHOWN_RULES,
  shownNote,
  type VisualStyle,
} from '@cellwire/files';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_RULE_CELLS } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { attachmentAt, attachmentsOfKinds, conditionalStyles, conditionLocale, rulesIn } from './format-rules.ts';

/** What the validation rule of a cell shows. */
interface ShownInputRule extends Pick<InputRule, 'kind' | 'hasArrow' | 'hint'> {
  /** Texts of a checkbox that is on and off. */
  readonly states?: InputRule['states'];
  /** The service checks input into the cell. */
  readonly isChecked: boolean;
}

/** The style of a cell, its number format unless it is General, its note and its validation rule. */
export interface CellLook extends VisualStyle {
  readonly format?: string;
  readonly note?: string;
  readonly rule?: ShownInputRule;
}

/** The distinct styles of a range's cells, and the style's index for each cell; -1: no style. */
export interface RangeLooks {
  readonly styles: readonly CellLook[];
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
  return attachmentsOfKinds(sheet, SHOWN_KINDS).length > 0;
}

/** True if the style of a cell can change with the value of another one. */
export function hasFormatRules(sheet: SnapshotSheet): boolean {
  return attachmentsOfKinds(sheet, SHOWN_RULES.formats).length > 0;
}

/** The rules of a range for its cells. */
interface CellRules {
  readonly band: BandFill;
  readonly style: (row: number, column: number) => VisualStyle | null;
  readonly note: (row: number, column: number) => string | undefined;
  readonly rule: (row: number, column: number) => ShownInputRule | undefined;
}

/** Adds notes, validation rules, bands and conditional formats to the styles of a range. */
export async function withRules(
  context: ServiceContext,
  access: DocumentAccess,
  place: { readonly snapshot: Snapshot; readonly sheet: SnapshotSheet; readonly area: Area },
  looks: RangeLooks,
): Promise<RangeLooks> {
  const { snapshot, sheet, area } = place;
  if (cellCount(area) > MAX_RULE_CELLS) return looks;
  const inRange = attachmentsOfKinds(sheet, SHOWN_KINDS).some(({ areas }) =>
    areas.some((one) => intersects(one, area)),
  );
  if (!inRange) return looks;
  const bands = rulesIn(sheet, [SHOWN_RULES.bands], area).map(({ attachment }) =>
    bandFill({ ...attachment, formulas: [] }),
  );
  const rules: CellRules = {
    band: (row, column) => bands.map((fill) => fill(row, column)).find((fill) => fill !== null) ?? null,
    style: await conditionalStyles(context, access, place),
    note: notesIn(sheet, area),
    rule: inputRulesIn(snapshot, sheet, area),
  };
  return runInSlices(mergedLooks(area, looks, rules));
}

/** Pauses regularly. */
function* mergedLooks(
  area: Area,
  { styles: own, cells: ownIndexes }: RangeLooks,
  rules: CellRules,
): Generator<void, RangeLooks> {
  const numbers = new Map<string, number>();
  const styles: CellLook[] = [];
  const cells: number[][] = [];
  for (let row = area.top; row <= area.bottom; row++) {
    yield;
    const line: number[] = [];
    for (let column = area.left; column <= area.right; column++) {
      const look = own[ownIndexes[row - area.top]?.[column - area.left] ?? -1];
      const fill = rules.band(row, column);
      const note = rules.note(row, column);
      const rule = rules.rule(row, column);
      const merged: CellLook = {
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

function notesIn(sheet: SnapshotSheet, area: Area): CellRules['note'] {
  const notes = new Map<string, string>();
  for (const attachment of attachmentsOfKinds(sheet, [SHOWN_RULES.note])) {
    const [cell] = attachment.areas;
    if (cell === undefined || !contains(area, cell.top, cell.left)) continue;
    notes.set(`${cell.top}:${cell.left}`, shownNote({ ...attachment, formulas: [] }));
  }
  return (row, column) => (notes.size === 0 ? undefined : notes.get(`${row}:${column}`));
}

function inputRulesIn(snapshot: Snapshot, sheet: SnapshotSheet, area: Area): CellRules['rule'] {
  const reading = conditionLocale(snapshot);
  const found = rulesIn(sheet, SHOWN_RULES.validations, area).flatMap(({ attachment, parts }) => {
    const [first] = parts;
    if (first === undefined) return [];
    const cell = { ...first, bottom: first.top, right: first.left };
    const rule = inputRule(attachmentAt(snapshot, attachment, [cell]), areaText(cell), reading);
    return rule === null ? [] : [{ parts, rule: shownInputRule(rule) }];
  });
  return (row, column) => found.findLast(({ parts }) => parts.some((part) => contains(part, row, column)))?.rule;
}

function shownInputRule({ kind, hasArrow, hint, states, test, onWrong }: InputRule): ShownInputRule {
  const isChecked = test !== null && onWrong !== 'accept';
  return { kind, hasArrow, hint, isChecked, ...(kind === 'checkbox' && { states }) };
}
