import {
  type AttachmentData,
  areaText,
  type DateSystem,
  type LocaleId,
  recognise,
  type WorkbookData,
} from '@cellwire/engine';
import type { LeftOut } from '../outcome/left-out.ts';
import {
  argb,
  type Color,
  type ColorStyle,
  fillXml,
  type RuleFormat,
  type RuleFormats,
  ruleFormatXml,
} from './rule-formats.ts';
import { escapeAttribute, escapeText } from './text.ts';

/**
 * Kinds of attachments that Google's API stores. The second text is JSON in its terms; a file gets rules of its own
 * kind. What a file has no rule for is left out and counted.
 */
const VALIDATION = 'google.dataValidation';

const CONDITIONAL_FORMAT = 'google.conditionalFormat';

const BANDING = 'google.banding';

interface Condition {
  readonly type: string;
  readonly values?: readonly { readonly userEnteredValue?: string; readonly relativeDate?: string }[];
}

interface ValidationRule {
  readonly condition: Condition;
  readonly inputMessage?: string;
  readonly strict?: boolean;
  readonly showCustomUi?: boolean;
}

interface GradientPoint {
  readonly color?: Color;
  readonly colorStyle?: ColorStyle;
  readonly type?: string;
  readonly value?: string;
}

interface FormatRule {
  readonly booleanRule?: { readonly condition: Condition; readonly format?: RuleFormat };
  readonly gradientRule?: Readonly<Partial<Record<'minpoint' | 'midpoint' | 'maxpoint', GradientPoint>>>;
}

type Bands = Readonly<Partial<Record<'headerColor' | 'firstBandColor' | 'secondBandColor' | 'footerColor', Color>>>;

interface Banding {
  readonly rowProperties?: Bands;
  readonly columnProperties?: Bands;
}

/** How texts of conditions are read as dates and numbers. */
interface Reading {
  readonly locale: LocaleId;
  readonly system: DateSystem;
}

/** A workbook whose stored rules are elements of a file. */
export function withRuleElements(data: WorkbookData, formats: RuleFormats, leftOut: LeftOut): WorkbookData {
  const reading = { locale: data.settings.locale, system: data.settings.dateSystem };
  const sheets = data.sheets.map((sheet) => {
    const { layout } = sheet;
    const stored = layout?.attachments?.filter(({ kind }) => KINDS.has(kind)) ?? [];
    if (layout === undefined || stored.length === 0) return sheet;
    const others = layout.attachments?.filter(({ kind }) => !KINDS.has(kind)) ?? [];
    let priority = greatestPriority(others);
    const rules: AttachmentData[] = [];
    const inOrder = [...stored].sort((a, b) => Number(a.kind === BANDING) - Number(b.kind === BANDING));
    for (const held of inOrder) {
      const kind = held.kind === VALIDATION ? 'dataValidation' : 'conditionalFormatting';
      const made =
        held.kind === VALIDATION ? validationXml(held, reading) : formatXml(held, formats, reading, priority);
      if (made === null) leftOut.add(held.kind === VALIDATION ? 'validations' : 'conditionalFormats');
      else rules.push({ kind, areas: held.areas, formulas: [], texts: [made] });
      if (held.kind !== VALIDATION) priority += MAX_RULES_OF_ONE;
    }
    return { ...sheet, layout: { ...layout, attachments: [...others, ...rules] } };
  });
  return { ...data, sheets };
}

const KINDS: ReadonlySet<string> = new Set([VALIDATION, CONDITIONAL_FORMAT, BANDING]);

/** Bands of rows and columns are four rules each. */
const MAX_RULES_OF_ONE = 8;

function greatestPriority(attachments: readonly AttachmentData[]): number {
  let greatest = 0;
  for (const { kind, texts } of attachments) {
    if (kind !== 'conditionalFormatting') continue;
    for (const [, number] of texts.join('').matchAll(/ priority="(\d+)"/g))
      greatest = Math.max(greatest, Number(number));
  }
  return greatest;
}

function storedValue<T>({ texts: [, json = '{}'] }: AttachmentData): T {
  return JSON.parse(json) as T;
}

/** The first cell, to which formulas of rules are relative. */
function firstCell({ areas }: AttachmentData): string {
  const top = Math.min(...areas.map((area) => area.top));
  const left = Math.min(...areas.map((area) => area.left));
  return areaText({ top, left, bottom: top, right: left });
}

const ORDERS: Readonly<Record<string, string>> = {
  GREATER: 'greaterThan',
  AFTER: 'greaterThan',
  GREATER_THAN_EQ: 'greaterThanOrEqual',
  ON_OR_AFTER: 'greaterThanOrEqual',
  LESS: 'lessThan',
  BEFORE: 'lessThan',
  LESS_THAN_EQ: 'lessThanOrEqual',
  ON_OR_BEFORE: 'lessThanOrEqual',
  EQ: 'equal',
  NOT_EQ: 'notEqual',
  BETWEEN: 'between',
  NOT_BETWEEN: 'notBetween',
};

const RELATIVE_DATES: Readonly<Record<string, string>> = {
  YESTERDAY: 'TODAY()-1',
  TODAY: 'TODAY()',
  TOMORROW: 'TODAY()+1',
};

interface Comparison {
  readonly kind: 'decimal' | 'date';
  readonly operator: string;
  readonly formulas: readonly string[];
}

/** A comparison of numbers or dates; null: the condition is none, or has a value that a file cannot hold. */
function comparisonOf({ type, values = [] }: Condition, reading: Reading): Comparison | null {
  const [, kind, order = ''] = /^(NUMBER|DATE)_(.+)$/.exec(type) ?? [];
  const operator = ORDERS[order];
  if (kind === undefined || operator === undefined) return null;
  const formulas = values.map(({ userEnteredValue = '', relativeDate }) =>
    relativeDate === undefined ? operandOf(userEnteredValue, reading) : (RELATIVE_DATES[relativeDate] ?? null),
  );
  if (formulas.length !== (order.endsWith('BETWEEN') ? 2 : 1)) return null;
  if (!formulas.every((formula) => formula !== null)) return null;
  return { kind: kind === 'NUMBER' ? 'decimal' : 'date', operator, formulas };
}

/** A number, a date as its number, or a formula. */
function operandOf(text: string, { locale, system }: Reading): string | null {
  if (text.startsWith('=')) return text.slice(1);
  const { value } = recognise(text, locale, system);
  return typeof value === 'number' ? String(value) : null;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const textOf = ({ values = [] }: Condition): string => values[0]?.userEnteredValue ?? '';

/** Excel's bound of a list that stands in the rule itself, in characters. */
const MAX_LIST_LENGTH = 255;

interface ValidationTest {
  readonly attributes: string;
  readonly formulas: readonly string[];
}

function validationTest(condition: Condition, cell: string, reading: Reading): ValidationTest | null {
  const compared = comparisonOf(condition, reading);
  if (compared !== null) {
    const { kind, operator, formulas } = compared;
    return { attributes: ` type="${kind}" operator="${operator}"`, formulas };
  }
  const custom = (formula: string) => ({ attributes: ' type="custom"', formulas: [formula] });
  const listed = (formula: string) => ({ attributes: ' type="list"', formulas: [formula] });
  const text = textOf(condition);
  const isFormula = text.startsWith('=');
  const operand = isFormula ? text.slice(1) : quoted(text);
  switch (condition.type) {
    case 'ONE_OF_LIST': {
      const items = (condition.values ?? []).map(({ userEnteredValue = '' }) => userEnteredValue);
      const list = items.join(',');
      const isHeld = !items.some((item) => item.includes(',')) && list.length <= MAX_LIST_LENGTH;
      return isHeld ? listed(quoted(list)) : null;
    }
    case 'ONE_OF_RANGE':
      return listed(isFormula ? text.slice(1) : text);
    case 'BOOLEAN':
      return (condition.values ?? []).length === 0 ? listed('"TRUE,FALSE"') : null;
    case 'CUSTOM_FORMULA':
      return isFormula ? custom(text.slice(1)) : null;
    case 'DATE_IS_VALID':
      return { attributes: ' type="date" operator="greaterThanOrEqual"', formulas: ['0'] };
    case 'TEXT_CONTAINS':
      return custom(`ISNUMBER(SEARCH(${operand},${cell}))`);
    case 'TEXT_NOT_CONTAINS':
      return custom(`ISERROR(SEARCH(${operand},${cell}))`);
    case 'TEXT_EQ':
      return custom(`${cell}=${operand}`);
    default:
      return null;
  }
}

function validationXml(held: AttachmentData, reading: Reading): string | null {
  const { condition, inputMessage = '', strict = false, showCustomUi = false } = storedValue<ValidationRule>(held);
  const test = validationTest(condition, firstCell(held), reading);
  if (test === null) return null;
  // The attribute hides the arrow.
  const arrow = test.attributes.includes('"list"') && !showCustomUi ? ' showDropDown="1"' : '';
  const message =
    inputMessage === '' ? '' : ` showInputMessage="1" prompt="${escapeAttribute(inputMessage.slice(0, 255))}"`;
  const style = strict ? '' : ' errorStyle="warning"';
  const formulas = test.formulas.map((formula, i) => `<formula${i + 1}>${escapeText(formula)}</formula${i + 1}>`);
  const attributes = `${test.attributes}${style} allowBlank="1"${arrow} showErrorMessage="1"${message}`;
  return `<dataValidation${attributes}>${formulas.join('')}</dataValidation>`;
}

function formatXml(held: AttachmentData, formats: RuleFormats, reading: Reading, priority: number): string | null {
  const rules =
    held.kind === BANDING
      ? bandRules(held, formats, priority)
      : [formatRule(storedValue<FormatRule>(held), firstCell(held), formats, reading, priority + 1)];
  const made = rules.filter((rule) => rule !== null);
  return made.length === 0 ? null : `<conditionalFormatting>${made.join('')}</conditionalFormatting>`;
}

function formatRule(
  { booleanRule, gradientRule }: FormatRule,
  cell: string,
  formats: RuleFormats,
  reading: Reading,
  priority: number,
): string | null {
  if (gradientRule !== undefined) return scaleXml(gradientRule, reading, priority);
  if (booleanRule === undefined) return null;
  const test = formatTest(booleanRule.condition, cell, reading);
  if (test === null) return null;
  const format = formats.placeOf(ruleFormatXml(booleanRule.format ?? {}));
  return ruleXml(test.attributes, test.formulas, format, priority);
}

function ruleXml(attributes: string, formulas: readonly string[], format: number, priority: number): string {
  const content = formulas.map((formula) => `<formula>${escapeText(formula)}</formula>`).join('');
  return `<cfRule${attributes} dxfId="${format}" priority="${priority}">${content}</cfRule>`;
}

function formatTest(condition: Condition, cell: string, reading: Reading): ValidationTest | null {
  const compared = comparisonOf(condition, reading);
  if (compared !== null) {
    return { attributes: ` type="cellIs" operator="${compared.operator}"`, formulas: compared.formulas };
  }
  const text = textOf(condition);
  const isFormula = text.startsWith('=');
  const operand = isFormula ? text.slice(1) : quoted(text);
  const ofText = (type: string, formula: string): ValidationTest => ({
    attributes: ` type="${type}" operator="${type === 'notContainsText' ? 'notContains' : type}" text="${escapeAttribute(text)}"`,
    formulas: [formula],
  });
  const expression = (formula: string): ValidationTest => ({ attributes: ' type="expression"', formulas: [formula] });
  switch (condition.type) {
    case 'TEXT_CONTAINS':
      return isFormula
        ? expression(`NOT(ISERROR(SEARCH(${operand},${cell})))`)
        : ofText('containsText', `NOT(ISERROR(SEARCH(${operand},${cell})))`);
    case 'TEXT_NOT_CONTAINS':
      return isFormula
        ? expression(`ISERROR(SEARCH(${operand},${cell}))`)
        : ofText('notContainsText', `ISERROR(SEARCH(${operand},${cell}))`);
    case 'TEXT_STARTS_WITH':
      return expression(`LEFT(${cell},LEN(${operand}))=${operand}`);
    case 'TEXT_ENDS_WITH':
      return expression(`RIGHT(${cell},LEN(${operand}))=${operand}`);
    case 'TEXT_EQ':
      return { attributes: ' type="cellIs" operator="equal"', formulas: [operand] };
    case 'TEXT_NOT_EQ':
      return { attributes: ' type="cellIs" operator="notEqual"', formulas: [operand] };
    case 'BLANK':
      return { attributes: ' type="containsBlanks"', formulas: [`LEN(TRIM(${cell}))=0`] };
    case 'NOT_BLANK':
      return { attributes: ' type="notContainsBlanks"', formulas: [`LEN(TRIM(${cell}))>0`] };
    case 'CUSTOM_FORMULA':
      return isFormula ? expression(text.slice(1)) : null;
    default:
      return null;
  }
}

const POINTS = ['minpoint', 'midpoint', 'maxpoint'] as const;

const POINT_TYPES: Readonly<Record<string, string>> = {
  MIN: 'min',
  MAX: 'max',
  NUMBER: 'num',
  PERCENT: 'percent',
  PERCENTILE: 'percentile',
};

function scaleXml(
  gradient: NonNullable<FormatRule['gradientRule']>,
  reading: Reading,
  priority: number,
): string | null {
  const points = POINTS.flatMap((name) => gradient[name] ?? []);
  const values = points.map(({ type = '', value = '' }) => {
    const kind = POINT_TYPES[type];
    const operand = kind === 'min' || kind === 'max' ? '' : operandOf(value, reading);
    if (kind === undefined || operand === null) return null;
    return operand === '' ? `<cfvo type="${kind}"/>` : `<cfvo type="${kind}" val="${escapeAttribute(operand)}"/>`;
  });
  if (points.length < 2 || values.includes(null)) return null;
  const colors = points.map(({ color = {}, colorStyle }) => `<color rgb="${argb(colorStyle?.rgbColor ?? color)}"/>`);
  return `<cfRule type="colorScale" priority="${priority}"><colorScale>${values.join('')}${colors.join('')}</colorScale></cfRule>`;
}

/** Bands as rules that count rows or columns from the first cell on. */
function bandRules(held: AttachmentData, formats: RuleFormats, priority: number): readonly string[] {
  const { rowProperties, columnProperties } = storedValue<Banding>(held);
  const [area] = held.areas;
  if (area === undefined) return [];
  const rows = bandsOf(rowProperties, 'ROW()', area.top + 1, area.bottom + 1);
  const columns = bandsOf(columnProperties, 'COLUMN()', area.left + 1, area.right + 1);
  return [...rows, ...columns].map(({ formula, color }, i) =>
    ruleXml(' type="expression"', [formula], formats.placeOf(fillXml(color)), priority + 1 + i),
  );
}

interface Band {
  readonly formula: string;
  readonly color: Color;
}

/** `first`, `last`: numbers of lines from 1 on. */
function bandsOf(bands: Bands | undefined, line: string, first: number, last: number): readonly Band[] {
  if (bands === undefined) return [];
  const { headerColor, firstBandColor, secondBandColor, footerColor } = bands;
  const start = headerColor === undefined ? first : first + 1;
  const band = (formula: string, color: Color | undefined): readonly Band[] =>
    color === undefined ? [] : [{ formula, color }];
  return [
    ...band(`${line}=${first}`, headerColor),
    ...band(`${line}=${last}`, footerColor),
    ...band(`MOD(${line}-${start},2)=0`, firstBandColor),
    ...band(`MOD(${line}-${start},2)=1`, secondBandColor),
  ];
}
