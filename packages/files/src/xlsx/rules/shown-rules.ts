import type { AttachmentData } from '@cellwire/engine';
import { parseXmlBoolean } from '../../archive/xml.ts';
import { parseNoteText } from '../note-text.ts';
import { NOTE } from '../notes-handler.ts';
import type { VisualStyle } from '../styles/visual-style.ts';
import { parseFormatElements, parseTagAttributes, parseValidation } from './rule-elements.ts';
import { formatHexColor, type RuleColor, type RuleColorStyle, type RuleFormat } from './rule-formats.ts';
import { type RuleScale, type RuleStyles, type ScaleBound, toRuleScale } from './rule-scales.ts';
import { formatComparison, formatRuleTest, formatValidationTest, toListFormula } from './rule-tests.ts';
import {
  type ConditionLocale,
  parseOperand,
  type StoredCondition,
  toFormatTest,
  toValidationTest,
} from './stored-conditions.ts';
import { mapStoredFormulas } from './stored-formulas.ts';

/**
 * Rules of cells for display, both from files and from Google's API. Formulas have no `=` and are in the grammar of
 * files.
 */

/** Kinds of attachments with rules that are displayed. */
export const SHOWN_RULES = {
  formats: ['google.conditionalFormat', 'conditionalFormatting'],
  bands: 'google.banding',
  validations: ['google.dataValidation', 'dataValidation', 'x14:dataValidation'],
  note: NOTE,
} as const;

/** A conditional format for one cell. */
export interface FormatRule {
  /** Null for a rule with a scale. */
  readonly test: string | null;
  /** What the rule shows for numbers, by their size; null for a rule with a test. */
  readonly scale: RuleScale | null;
  readonly style: VisualStyle;
  /** Rules with smaller numbers come first. */
  readonly priority: number;
}

/**
 * Returns the conditional formats of an attachment, with formulas relative to a cell. `order`: position of the
 * attachment in the sheet.
 */
export function listFormatRules(
  attachmentData: AttachmentData,
  cell: string,
  order: number,
  styles: RuleStyles,
  reading: ConditionLocale,
): readonly FormatRule[] {
  if (attachmentData.kind === 'google.conditionalFormat')
    return readStoredFormatRules(attachmentData, cell, order, reading);
  return parseFormatElements(attachmentData).flatMap((element) => {
    const { attributes, formulas } = element;
    const scale = toRuleScale(element, styles);
    const test = formatRuleTest(attributes, formulas, cell, attachmentData.areas);
    if (test === null && scale === null) return [];
    const { dxfId, priority = '0' } = attributes;
    const style = dxfId === undefined ? {} : styles.resolveDifferential(Number(dxfId));
    return [{ test, scale, priority: Number(priority), style }];
  });
}

interface StoredPoint {
  readonly color?: RuleColor;
  readonly colorStyle?: RuleColorStyle;
  readonly type?: string;
  readonly value?: string;
}

interface StoredFormatRule {
  readonly booleanRule?: { readonly condition: StoredCondition; readonly format?: RuleFormat };
  readonly gradientRule?: Readonly<Partial<Record<'minpoint' | 'midpoint' | 'maxpoint', StoredPoint>>>;
}

/**
 * The rules of a conditional format that is stored in Google's form. `cell` is the one its formulas are written for.
 */
function readStoredFormatRules(
  attachmentData: AttachmentData,
  cell: string,
  priority: number,
  reading: ConditionLocale,
): readonly FormatRule[] {
  const { booleanRule, gradientRule } = parseStoredObject<StoredFormatRule>(attachmentData);
  if (gradientRule !== undefined)
    return [{ test: null, scale: toStoredScale(gradientRule, reading), priority, style: {} }];
  const formatRule = booleanRule && toFormatTest(booleanRule.condition, cell, reading);
  if (!booleanRule || !formatRule) return [];
  const { type } = booleanRule.condition;
  const operator = / operator="(\w+)"/.exec(formatRule.attributes)?.[1] ?? '';
  const isComparison = formatRule.attributes.includes('type="cellIs"');
  const plain = isComparison ? formatComparison(cell, operator, formatRule.formulas) : (formatRule.formulas[0] ?? null);
  if (plain === null) return [];
  // Google compares numbers and dates only with numbers and dates.
  const test = /^(NUMBER|DATE)_/.test(type) ? `AND(ISNUMBER(${cell}),${plain})` : plain;
  return [{ test, scale: null, priority, style: toVisualStyle(booleanRule.format ?? {}) }];
}

const BOUND_KINDS: Readonly<Record<string, ScaleBound['kind']>> = {
  MIN: 'min',
  MAX: 'max',
  NUMBER: 'num',
  PERCENT: 'percent',
  PERCENTILE: 'percentile',
};

/** A gradient in Google's form as a color scale. */
function toStoredScale(
  { minpoint, midpoint, maxpoint }: NonNullable<StoredFormatRule['gradientRule']>,
  reading: ConditionLocale,
): RuleScale {
  const points = [minpoint, midpoint, maxpoint].filter((point) => point !== undefined);
  const shown = points.flatMap(({ color = {}, colorStyle, type = '', value = '' }) => {
    const kind = BOUND_KINDS[type];
    const formula = kind === 'min' || kind === 'max' ? '' : parseOperand(value, reading);
    if (kind === undefined || formula === null) return [];
    return [{ bound: { kind, formula }, color: formatHexColor(colorStyle?.rgbColor ?? color) }];
  });
  return { kind: 'colors', bounds: shown.map(({ bound }) => bound), colors: shown.map(({ color }) => color) };
}

/** A format in Google's form as a visual style. */
function toVisualStyle({ backgroundColor, backgroundColorStyle, textFormat = {} }: RuleFormat): VisualStyle {
  const { bold, italic, underline, strikethrough, foregroundColor, foregroundColorStyle } = textFormat;
  const fill = backgroundColorStyle?.rgbColor ?? backgroundColor;
  const color = foregroundColorStyle?.rgbColor ?? foregroundColor;
  return {
    ...(bold && { bold: true }),
    ...(italic && { italic: true }),
    ...(underline && { underline: true }),
    ...(strikethrough && { strike: true }),
    ...(fill && { fill: formatHexColor(fill) }),
    ...(color && { color: formatHexColor(color) }),
  };
}

type BandColors = Readonly<
  Partial<Record<'headerColor' | 'firstBandColor' | 'secondBandColor' | 'footerColor', RuleColor>>
>;

/** Returns the fill of a cell in a banded range; null if it has none. */
export type BandFill = (row: number, column: number) => string | null;

/** A function that returns the color which alternating bands give a cell; null outside them. */
export function createBandFill(attachmentData: AttachmentData): BandFill {
  const { rowProperties, columnProperties } = parseStoredObject<{
    readonly rowProperties?: BandColors;
    readonly columnProperties?: BandColors;
  }>(attachmentData);
  const [area] = attachmentData.areas;
  if (area === undefined) return () => null;
  const { top, left, bottom, right } = area;
  return (row, column) => {
    if (row < top || row > bottom || column < left || column > right) return null;
    const color =
      chooseBandColor(rowProperties, row, top, bottom) ?? chooseBandColor(columnProperties, column, left, right);
    return color === undefined ? null : formatHexColor(color);
  };
}

/** Returns the color of a row or column in bands that extend from `first` to `last`, inclusive. */
function chooseBandColor(
  bands: BandColors | undefined,
  line: number,
  first: number,
  last: number,
): RuleColor | undefined {
  if (bands === undefined) return undefined;
  const { headerColor, firstBandColor, secondBandColor, footerColor } = bands;
  if (line === first && headerColor !== undefined) return headerColor;
  if (line === last && footerColor !== undefined) return footerColor;
  const start = headerColor === undefined ? first : first + 1;
  return (line - start) % 2 === 0 ? firstBandColor : secondBandColor;
}

/** A validation rule for one cell. */
export interface InputRule {
  readonly kind: 'list' | 'checkbox' | 'other';
  /** True if the cell shows an arrow for its list. */
  readonly hasArrow: boolean;
  /** What happens with wrong input: it is refused, entered with a warning, or accepted. */
  readonly onWrong: 'refuse' | 'warn' | 'accept';
  /** Text that is shown at the cell; empty for none. */
  readonly hint: string;
  /** Text that is shown for wrong input; empty for none. */
  readonly message: string;
  /** The test for valid input; null if all input is valid. */
  readonly test: string | null;
  /** The values of the list as a formula; null if it is not a list. */
  readonly list: string | null;
  /** Texts of a checkbox in its two states. */
  readonly states: readonly [on: string, off: string];
}

const PLAIN_STATES = ['TRUE', 'FALSE'] as const;

/** Returns the validation rule of an attachment, with formulas relative to the cell; null if it has no effect. */
export function readInputRule(
  attachmentData: AttachmentData,
  cell: string,
  reading: ConditionLocale,
): InputRule | null {
  return attachmentData.kind === 'google.dataValidation'
    ? readStoredInputRule(attachmentData, cell, reading)
    : readFileInputRule(attachmentData, cell);
}

/** The input rule of a validation that came from a workbook. */
function readFileInputRule(attachmentData: AttachmentData, cell: string): InputRule | null {
  const { attributes, formulas } = parseValidation(attachmentData);
  const { type, errorStyle = 'stop', error = '', prompt = '', showDropDown } = attributes;
  return {
    kind: type === 'list' ? 'list' : 'other',
    hasArrow: type === 'list' && !parseXmlBoolean(showDropDown),
    onWrong: !parseXmlBoolean(attributes['showErrorMessage']) ? 'accept' : errorStyle === 'stop' ? 'refuse' : 'warn',
    hint: parseXmlBoolean(attributes['showInputMessage']) ? prompt : '',
    message: error,
    test: formatValidationTest(attributes, formulas, cell),
    list: type === 'list' && formulas[0] !== undefined ? toListFormula(formulas[0]) : null,
    states: PLAIN_STATES,
  };
}

interface StoredInputRule {
  readonly condition: StoredCondition;
  readonly inputMessage?: string;
  readonly strict?: boolean;
  readonly showCustomUi?: boolean;
}

/** The input rule of a validation that is stored in Google's form. */
function readStoredInputRule(attachmentData: AttachmentData, cell: string, reading: ConditionLocale): InputRule | null {
  const {
    condition,
    inputMessage = '',
    strict = false,
    showCustomUi = false,
  } = parseStoredObject<StoredInputRule>(attachmentData);
  const texts = (condition.values ?? []).map(({ userEnteredValue = '' }) => userEnteredValue);
  const isCheckbox = condition.type === 'BOOLEAN';
  const isList = condition.type === 'ONE_OF_LIST' || condition.type === 'ONE_OF_RANGE';
  const [on, off] = texts;
  const states = [on ?? 'TRUE', on === undefined ? 'FALSE' : (off ?? '')] as const;
  const listed = isCheckbox ? states : condition.type === 'ONE_OF_LIST' ? texts : null;
  const values = listed?.map((text) => `"${text.replaceAll('"', '""')}"`);
  const test = values === undefined ? toValidationTest(condition, cell, reading) : null;
  const list = values === undefined ? formatValidationList(condition, test?.formulas) : `{${values.join(',')}}`;
  return {
    kind: isCheckbox ? 'checkbox' : isList ? 'list' : 'other',
    hasArrow: isList && showCustomUi,
    onWrong: strict ? 'refuse' : 'warn',
    hint: inputMessage,
    message: inputMessage,
    test: list === null ? formatInputTest(condition, test, cell) : `ISNUMBER(MATCH(${cell}&"",${list}&"",0))`,
    list,
    states,
  };
}

/** The formula of the range of choices; null if the choices are no range. */
function formatValidationList({ type }: StoredCondition, formulas: readonly string[] | undefined): string | null {
  const [formula] = formulas ?? [];
  return type === 'ONE_OF_RANGE' && formula !== undefined ? `(${formula})` : null;
}

const ADDRESS_TESTS: Readonly<Record<string, (cell: string) => string>> = {
  TEXT_IS_EMAIL: (cell) => `ISNUMBER(SEARCH("?*@?*.?*",${cell}))`,
  TEXT_IS_URL: (cell) => `ISNUMBER(SEARCH("?*.?*",${cell}))`,
  BLANK: (cell) => `ISBLANK(${cell})`,
  NOT_BLANK: (cell) => `LEN(${cell})>0`,
};

/** The formula that is true if the cell's value is valid; null if Excel has none for the condition. */
function formatInputTest(
  condition: StoredCondition,
  test: ReturnType<typeof toValidationTest>,
  cell: string,
): string | null {
  const formatTest = ADDRESS_TESTS[condition.type];
  if (formatTest !== undefined) return formatTest(cell);
  return test && formatValidationTest(parseTagAttributes(test.attributes), test.formulas, cell);
}

/** The note of an attachment. */
export function readNoteText({ texts: [, xml = ''] }: AttachmentData): string {
  return parseNoteText(xml);
}

/** The stored JSON object, with the current formulas in place of the stored ones. */
function parseStoredObject<T extends object>({ texts: [, json = '{}'], formulas }: AttachmentData): T {
  return mapStoredFormulas(JSON.parse(json) as T, (text, i) => (formulas[i] === undefined ? text : `=${formulas[i]}`));
}
