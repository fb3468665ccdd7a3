import { type Area, attachmentOrigin, canonicalFormula, cellText, isoText, type Snapshot } from '@cellwire/engine';
import {
  type FormatElement,
  formatElements,
  formatRuleTest,
  isTrue,
  mapStoredFormulas,
  type RuleStyles,
  type VisualStyle,
  validationElement,
  validationRuleTest,
} from '@cellwire/files';
import { attachmentAt, ruleStyles } from '../../service/cells/format-rules.ts';
import { colorForms } from '../format/color.ts';
import type { attachmentsOf } from './state.ts';

/** Rules of imported files in Google's form. */

type HeldRule = ReturnType<typeof attachmentsOf>[number];

/** Kinds of attachments with rules of files. */
export const FILE_KINDS = { validation: 'dataValidation', conditionalFormat: 'conditionalFormatting' } as const;

const BACKGROUND = { color: 'backgroundColor', style: 'backgroundColorStyle' };
const FOREGROUND = { color: 'foregroundColor', style: 'foregroundColorStyle' };
const COLOR = { color: 'color', style: 'colorStyle' };

const ORDERS: Readonly<Record<string, string>> = {
  greaterThan: 'GREATER',
  greaterThanOrEqual: 'GREATER_THAN_EQ',
  lessThan: 'LESS',
  lessThanOrEqual: 'LESS_THAN_EQ',
  equal: 'EQ',
  notEqual: 'NOT_EQ',
  between: 'BETWEEN',
  notBetween: 'NOT_BETWEEN',
};
const DATE_ORDERS: Readonly<Record<string, string>> = {
  ...ORDERS,
  greaterThan: 'AFTER',
  greaterThanOrEqual: 'ON_OR_AFTER',
  lessThan: 'BEFORE',
  lessThanOrEqual: 'ON_OR_BEFORE',
};

/** Where the formulas of a rule are read. */
interface RulePlace {
  readonly snapshot: Snapshot;
  /** Formulas are relative to the first row and column. */
  readonly areas: readonly Area[];
}

/** A validation rule of a file as `DataValidationRule`; null if it has no effect. */
export function validationOfFile(snapshot: Snapshot, heldRule: HeldRule, areas = heldRule.areas): object | null {
  const place = { snapshot, areas };
  const { attributes, formulas } = validationElement(attachmentAt(snapshot, heldRule, areas));
  const { type = 'none', errorStyle = 'stop', prompt, showDropDown } = attributes;
  const condition = validationCondition(place, attributes, formulas);
  if (condition === null) return null;
  return toDocumentLocale(place, {
    condition,
    ...(isTrue(attributes['showInputMessage']) && prompt && { inputMessage: prompt }),
    ...(errorStyle === 'stop' && isTrue(attributes['showErrorMessage']) && { strict: true }),
    ...(type === 'list' && !isTrue(showDropDown) && { showCustomUi: true }),
  });
}

function validationCondition(
  place: RulePlace,
  attributes: FormatElement['attributes'],
  formulas: readonly string[],
): object | null {
  const { type, operator = 'between' } = attributes;
  const [first = ''] = formulas;
  const order = (type === 'date' ? DATE_ORDERS : ORDERS)[operator];
  if ((type === 'decimal' || type === 'whole') && order !== undefined) return condition(`NUMBER_${order}`, formulas);
  if (type === 'date' && order !== undefined)
    return condition(`DATE_${order}`, formulas, (text) => dateOperand(place, text));
  if (type === 'list') return listCondition(first);
  const test = validationRuleTest(attributes, formulas, firstCell(place));
  return test === null ? null : condition('CUSTOM_FORMULA', [test], formulaOperand);
}

function listCondition(formula: string): object {
  const text = textConstant(formula);
  if (text === null) return condition('ONE_OF_RANGE', [formula], formulaOperand);
  const values = text.split(',');
  if (values.join() === 'TRUE,FALSE') return { type: 'BOOLEAN' };
  return condition('ONE_OF_LIST', values, (value) => value.trim());
}

/** The conditional formats of an attachment as rules without ranges; null if one of them has no equivalent. */
export function formatRulesOfFile(snapshot: Snapshot, heldRule: HeldRule): readonly RankedRule[] | null {
  const place = { snapshot, areas: heldRule.areas };
  const styles = ruleStyles(snapshot);
  const rules: RankedRule[] = [];
  for (const element of formatElements(attachmentAt(snapshot, heldRule, heldRule.areas))) {
    const value = formatRuleOfFile(place, element, styles);
    if (value === null) return null;
    rules.push({ value: toDocumentLocale(place, value), priority: Number(element.attributes['priority'] ?? 0) });
  }
  return rules;
}

/** A rule, and its position among the rules of its sheet. */
interface RankedRule {
  readonly value: Readonly<Record<string, unknown>>;
  readonly priority: number;
}

function formatRuleOfFile(
  place: RulePlace,
  element: FormatElement,
  styles: RuleStyles,
): Readonly<Record<string, unknown>> | null {
  const { attributes } = element;
  if (attributes['type'] === 'colorScale') return gradientOfFile(element, styles);
  const found = formatCondition(place, element);
  if (found === null) return null;
  const style = attributes['dxfId'] === undefined ? {} : styles.differential(Number(attributes['dxfId']));
  return { booleanRule: { condition: found, format: googleFormat(style) } };
}

const TEXT_TYPES: Readonly<Record<string, string>> = {
  containsText: 'TEXT_CONTAINS',
  notContainsText: 'TEXT_NOT_CONTAINS',
  beginsWith: 'TEXT_STARTS_WITH',
  endsWith: 'TEXT_ENDS_WITH',
};

function formatCondition(place: RulePlace, { attributes, formulas }: FormatElement): object | null {
  const { type = '', operator = '', text } = attributes;
  const textType = TEXT_TYPES[type];
  if (textType !== undefined && text !== undefined) return condition(textType, [text], (value) => value);
  if (type === 'containsBlanks') return { type: 'BLANK' };
  if (type === 'notContainsBlanks') return { type: 'NOT_BLANK' };
  if (type === 'cellIs') {
    const constant = textConstant(formulas[0] ?? '');
    const order = ORDERS[operator];
    if (constant !== null && (operator === 'equal' || operator === 'notEqual')) {
      return condition(`TEXT_${order}`, [constant], (value) => value);
    }
    return order === undefined ? null : condition(`NUMBER_${order}`, formulas);
  }
  const test = formatRuleTest(attributes, formulas, firstCell(place), place.areas);
  return test === null ? null : condition('CUSTOM_FORMULA', [test], formulaOperand);
}

const POINT_TYPES: Readonly<Record<string, string>> = {
  min: 'MIN',
  max: 'MAX',
  num: 'NUMBER',
  formula: 'NUMBER',
  percent: 'PERCENT',
  percentile: 'PERCENTILE',
};

function gradientOfFile({ points }: FormatElement, styles: RuleStyles): Readonly<Record<string, unknown>> | null {
  const shown = points.map(({ bound: { type = '', val = '' }, color }) => {
    const hex = styles.color(color);
    const kind = POINT_TYPES[type];
    if (hex === null || kind === undefined) return null;
    const isBound = type === 'min' || type === 'max';
    return { ...colorForms(hex, COLOR), type: kind, ...(!isBound && { value: numberOperand(val) }) };
  });
  const [minpoint, second, third] = shown;
  if (minpoint == null || second == null || third === null) return null;
  const rest = third === undefined ? { maxpoint: second } : { midpoint: second, maxpoint: third };
  return { gradientRule: { minpoint, ...rest } };
}

function googleFormat({ fill, color, bold, italic, underline, strike }: VisualStyle): object {
  const textFormat = {
    ...(color !== undefined && colorForms(color.toLowerCase(), FOREGROUND)),
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(strike && { strikethrough: true }),
    ...(underline && { underline }),
  };
  return {
    ...(fill !== undefined && colorForms(fill.toLowerCase(), BACKGROUND)),
    ...(Object.keys(textFormat).length > 0 && { textFormat }),
  };
}

function condition(type: string, formulas: readonly string[], operand = numberOperand): object {
  return { type, values: formulas.map((formula) => ({ userEnteredValue: operand(formula) })) };
}

function numberOperand(formula: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(formula) ? formula : `=${formula}`;
}

function formulaOperand(formula: string): string {
  return `=${formula}`;
}

function dateOperand({ snapshot }: RulePlace, formula: string): string {
  if (!/^\d+$/.test(formula)) return `=${formula}`;
  return isoText(Number(formula), snapshot.settings.dateSystem) ?? formula;
}

/** The text of a formula that is a text in quotation marks; null: it is another formula. */
function textConstant(formula: string): string | null {
  const [, text] = /^"((?:[^"]|"")*)"$/.exec(formula) ?? [];
  return text === undefined ? null : text.replaceAll('""', '"');
}

function firstCell({ areas }: RulePlace): string {
  const { row, column } = attachmentOrigin(areas);
  return cellText(row, column);
}

/** Formulas and numbers of a rule in the document's locale. */
function toDocumentLocale<T extends object>({ snapshot, areas }: RulePlace, value: T): T {
  return mapStoredFormulas(value, (text) => canonicalFormula(snapshot, text, areas, 'en-US', snapshot.settings.locale));
}
