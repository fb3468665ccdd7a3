import {
  type Area,
  attachmentOrigin,
  canonicalFormula,
  cellText,
  formatIsoDate,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import {
  type ConditionalFormatElement,
  formatRuleTest,
  formatValidationTest,
  mapStoredFormulas,
  parseFormatElements,
  parseValidation,
  parseXmlBoolean,
  type RuleStyles,
  type VisualStyle,
} from '@cellwire/files';
import { createRuleStyles, toAttachmentData } from '../../service/cells/format-rules.ts';
import { toColorForms } from '../format/color.ts';
import { listAttachments } from './state.ts';

/** Rules of imported files in Google's form. */

type FileRule = ReturnType<typeof listAttachments>[number];

/** Kinds of attachments with rules of files. */
export const FILE_KINDS = {
  validation: 'dataValidation',
  /** Excel 2010 and later store rules that refer to other sheets in an extension. */
  extendedValidation: 'x14:dataValidation',
  conditionalFormat: 'conditionalFormatting',
} as const;

const VALIDATION_KINDS: readonly string[] = [FILE_KINDS.validation, FILE_KINDS.extendedValidation];

/** The validation rules of a sheet's file. */
export function listFileValidations(sheet: Sheet): readonly FileRule[] {
  return VALIDATION_KINDS.flatMap((kind) => listAttachments(sheet, kind));
}

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
export function toValidationRule(snapshot: Snapshot, fileRule: FileRule, areas = fileRule.areas): object | null {
  const place = { snapshot, areas };
  const { attributes, formulas } = parseValidation(toAttachmentData(snapshot, fileRule, areas));
  const { type = 'none', errorStyle = 'stop', prompt, showDropDown } = attributes;
  const condition = toValidationCondition(place, attributes, formulas);
  if (condition === null) return null;
  return toDocumentLocale(place, {
    condition,
    ...(parseXmlBoolean(attributes['showInputMessage']) && prompt && { inputMessage: prompt }),
    ...(errorStyle === 'stop' && parseXmlBoolean(attributes['showErrorMessage']) && { strict: true }),
    ...(type === 'list' && !parseXmlBoolean(showDropDown) && { showCustomUi: true }),
  });
}

/** Google's condition of a validation rule in a workbook's form; null if Google has none for it. */
function toValidationCondition(
  place: RulePlace,
  attributes: ConditionalFormatElement['attributes'],
  formulas: readonly string[],
): object | null {
  const { type, operator = 'between' } = attributes;
  const [first = ''] = formulas;
  const order = (type === 'date' ? DATE_ORDERS : ORDERS)[operator];
  if ((type === 'decimal' || type === 'whole') && order !== undefined)
    return toBooleanCondition(`NUMBER_${order}`, formulas);
  if (type === 'date' && order !== undefined)
    return toBooleanCondition(`DATE_${order}`, formulas, (text) => formatDateOperand(place, text));
  if (type === 'list') return toListCondition(first);
  const test = formatValidationTest(attributes, formulas, formatFirstCell(place));
  return test === null ? null : toBooleanCondition('CUSTOM_FORMULA', [test], formatFormulaOperand);
}

/** Google's condition for a choice of values, from a text constant or a reference to cells. */
function toListCondition(formula: string): object {
  const text = parseTextConstant(formula);
  if (text === null) return toBooleanCondition('ONE_OF_RANGE', [formula], formatFormulaOperand);
  const values = text.split(',');
  if (values.join() === 'TRUE,FALSE') return { type: 'BOOLEAN' };
  return toBooleanCondition('ONE_OF_LIST', values, (value) => value.trim());
}

/** The conditional formats of an attachment as rules without ranges; null if one of them has no equivalent. */
export function toFormatRules(snapshot: Snapshot, fileRule: FileRule): readonly RankedRule[] | null {
  const place = { snapshot, areas: fileRule.areas };
  const styles = createRuleStyles(snapshot);
  const rules: RankedRule[] = [];
  for (const element of parseFormatElements(toAttachmentData(snapshot, fileRule, fileRule.areas))) {
    const value = toFormatRule(place, element, styles);
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

/** Google's rule for a conditional format in a workbook's form; null if Google has none for it. */
function toFormatRule(
  place: RulePlace,
  element: ConditionalFormatElement,
  styles: RuleStyles,
): Readonly<Record<string, unknown>> | null {
  const { attributes } = element;
  if (attributes['type'] === 'colorScale') return toGradientRule(element, styles);
  const found = toFormatCondition(place, element);
  if (found === null) return null;
  const style = attributes['dxfId'] === undefined ? {} : styles.resolveDifferential(Number(attributes['dxfId']));
  return { booleanRule: { condition: found, format: toRuleFormat(style) } };
}

const TEXT_TYPES: Readonly<Record<string, string>> = {
  containsText: 'TEXT_CONTAINS',
  notContainsText: 'TEXT_NOT_CONTAINS',
  beginsWith: 'TEXT_STARTS_WITH',
  endsWith: 'TEXT_ENDS_WITH',
};

/** Google's condition of a conditional format in a workbook's form; null if Google has none for it. */
function toFormatCondition(place: RulePlace, { attributes, formulas }: ConditionalFormatElement): object | null {
  const { type = '', operator = '', text } = attributes;
  const textType = TEXT_TYPES[type];
  if (textType !== undefined && text !== undefined) return toBooleanCondition(textType, [text], (value) => value);
  if (type === 'containsBlanks') return { type: 'BLANK' };
  if (type === 'notContainsBlanks') return { type: 'NOT_BLANK' };
  if (type === 'cellIs') {
    const constant = parseTextConstant(formulas[0] ?? '');
    const order = ORDERS[operator];
    if (constant !== null && (operator === 'equal' || operator === 'notEqual')) {
      return toBooleanCondition(`TEXT_${order}`, [constant], (value) => value);
    }
    return order === undefined ? null : toBooleanCondition(`NUMBER_${order}`, formulas);
  }
  const test = formatRuleTest(attributes, formulas, formatFirstCell(place), place.areas);
  return test === null ? null : toBooleanCondition('CUSTOM_FORMULA', [test], formatFormulaOperand);
}

const POINT_TYPES: Readonly<Record<string, string>> = {
  min: 'MIN',
  max: 'MAX',
  num: 'NUMBER',
  formula: 'NUMBER',
  percent: 'PERCENT',
  percentile: 'PERCENTILE',
};

/** Google's rule for a color scale in a workbook's form; null if Google has none for it. */
function toGradientRule(
  { points }: ConditionalFormatElement,
  styles: RuleStyles,
): Readonly<Record<string, unknown>> | null {
  const shown = points.map(({ bound: { type = '', val = '' }, color }) => {
    const hex = styles.resolveColor(color);
    const kind = POINT_TYPES[type];
    if (hex === null || kind === undefined) return null;
    const isBound = type === 'min' || type === 'max';
    return { ...toColorForms(hex, COLOR), type: kind, ...(!isBound && { value: formatNumberOperand(val) }) };
  });
  const [minpoint, second, third] = shown;
  if (minpoint == null || second == null || third === null) return null;
  const rest = third === undefined ? { maxpoint: second } : { midpoint: second, maxpoint: third };
  return { gradientRule: { minpoint, ...rest } };
}

function toRuleFormat({ fill, color, bold, italic, underline, strike }: VisualStyle): object {
  const textFormat = {
    ...(color !== undefined && toColorForms(color.toLowerCase(), FOREGROUND)),
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(strike && { strikethrough: true }),
    ...(underline && { underline }),
  };
  return {
    ...(fill !== undefined && toColorForms(fill.toLowerCase(), BACKGROUND)),
    ...(Object.keys(textFormat).length > 0 && { textFormat }),
  };
}

/** A condition whose operands are the formulas, each converted by `operand`. */
function toBooleanCondition(type: string, formulas: readonly string[], operand = formatNumberOperand): object {
  return { type, values: formulas.map((formula) => ({ userEnteredValue: operand(formula) })) };
}

/** A number as it is, any other formula with `=`. */
function formatNumberOperand(formula: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(formula) ? formula : `=${formula}`;
}

/** The formula with `=`. */
function formatFormulaOperand(formula: string): string {
  return `=${formula}`;
}

/** A serial number as a date `YYYY-MM-DD`, any other formula with `=`. */
function formatDateOperand({ snapshot }: RulePlace, formula: string): string {
  if (!/^\d+$/.test(formula)) return `=${formula}`;
  return formatIsoDate(Number(formula), snapshot.settings.dateSystem) ?? formula;
}

/** The text of a formula that is a text in quotation marks; null: it is another formula. */
function parseTextConstant(formula: string): string | null {
  const [, text] = /^"((?:[^"]|"")*)"$/.exec(formula) ?? [];
  return text === undefined ? null : text.replaceAll('""', '"');
}

/** The A1 text of the cell that the relative references of the rule are written for. */
function formatFirstCell({ areas }: RulePlace): string {
  const { row, column } = attachmentOrigin(areas);
  return cellText(row, column);
}

/** Formulas and numbers of a rule in the document's locale. */
function toDocumentLocale<T extends object>({ snapshot, areas }: RulePlace, value: T): T {
  return mapStoredFormulas(value, (text) => canonicalFormula(snapshot, text, areas, 'en-US', snapshot.settings.locale));
}
