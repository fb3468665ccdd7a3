import { type AttachmentData, areaText, type WorkbookData } from '@cellwire/engine';
import type { LeftOut } from '../../outcome/left-out.ts';
import { escapeAttribute, escapeText } from '../text.ts';
import {
  formatArgbColor,
  formatFillXml,
  formatRuleFormatXml,
  type RuleColor,
  type RuleColorStyle,
  type RuleFormat,
  type RuleFormats,
} from './rule-formats.ts';
import {
  type ConditionLocale,
  parseOperand,
  type StoredCondition,
  toFormatTest,
  toValidationTest,
} from './stored-conditions.ts';
import { mapStoredFormulas } from './stored-formulas.ts';

/**
 * Kinds of attachments that Google's API stores, with JSON in its form as the second text. An export converts them to
 * rules of the file. Rules that files cannot store are left out and counted.
 */
const VALIDATION = 'google.dataValidation';

const CONDITIONAL_FORMAT = 'google.conditionalFormat';

const BANDING = 'google.banding';

interface ValidationRule {
  readonly condition: StoredCondition;
  readonly inputMessage?: string;
  readonly strict?: boolean;
  readonly showCustomUi?: boolean;
}

interface GradientPoint {
  readonly color?: RuleColor;
  readonly colorStyle?: RuleColorStyle;
  readonly type?: string;
  readonly value?: string;
}

interface StoredRuleFormat {
  readonly booleanRule?: { readonly condition: StoredCondition; readonly format?: RuleFormat };
  readonly gradientRule?: Readonly<Partial<Record<'minpoint' | 'midpoint' | 'maxpoint', GradientPoint>>>;
}

type StoredBandColors = Readonly<
  Partial<Record<'headerColor' | 'firstBandColor' | 'secondBandColor' | 'footerColor', RuleColor>>
>;

interface Banding {
  readonly rowProperties?: StoredBandColors;
  readonly columnProperties?: StoredBandColors;
}

/** Converts stored rules to elements of a file. */
export function convertStoredRules(data: WorkbookData, formats: RuleFormats, leftOut: LeftOut): WorkbookData {
  const reading = { locale: data.settings.locale, system: data.settings.dateSystem };
  const sheets = data.sheets.map((sheet) => {
    const { layout } = sheet;
    const stored = layout?.attachments?.filter(({ kind }) => KINDS.has(kind)) ?? [];
    if (layout === undefined || stored.length === 0) return sheet;
    const others = layout.attachments?.filter(({ kind }) => !KINDS.has(kind)) ?? [];
    let priority = findGreatestPriority(others);
    const rules: AttachmentData[] = [];
    const inOrder = [...stored].sort((a, b) => Number(a.kind === BANDING) - Number(b.kind === BANDING));
    for (const attachment of inOrder) {
      const kind = attachment.kind === VALIDATION ? 'dataValidation' : 'conditionalFormatting';
      const xml =
        attachment.kind === VALIDATION
          ? formatValidationXml(attachment, reading)
          : formatConditionalFormatXml(attachment, formats, reading, priority);
      if (xml === null) leftOut.addItem(attachment.kind === VALIDATION ? 'validations' : 'conditionalFormats');
      else rules.push({ kind, areas: attachment.areas, formulas: [], texts: [xml] });
      if (attachment.kind !== VALIDATION) priority += MAX_RULES_OF_ONE;
    }
    return { ...sheet, layout: { ...layout, attachments: [...others, ...rules] } };
  });
  return { ...data, sheets };
}

const KINDS: ReadonlySet<string> = new Set([VALIDATION, CONDITIONAL_FORMAT, BANDING]);

/** Maximum number of rules for a range with bands: at most four each for rows and columns. */
const MAX_RULES_OF_ONE = 8;

/** The greatest priority among conditional formats; 0 if there are none. */
function findGreatestPriority(attachments: readonly AttachmentData[]): number {
  let greatest = 0;
  for (const { kind, texts } of attachments) {
    if (kind !== 'conditionalFormatting') continue;
    for (const [, number] of texts.join('').matchAll(/ priority="(\d+)"/g))
      greatest = Math.max(greatest, Number(number));
  }
  return greatest;
}

/** Parses a stored object and inserts its formulas in the grammar of files, with current references. */
function parseStoredValue<T extends object>({ texts: [, json = '{}'], formulas }: AttachmentData): T {
  return mapStoredFormulas(JSON.parse(json) as T, (text, i) => (formulas[i] === undefined ? text : `=${formulas[i]}`));
}

/** Returns the top left cell, to which formulas of rules are relative. */
function formatFirstCell({ areas }: AttachmentData): string {
  const top = Math.min(...areas.map((area) => area.top));
  const left = Math.min(...areas.map((area) => area.left));
  return areaText({ top, left, bottom: top, right: left });
}

/** The XML of a validation that is stored in Google's form; null if Excel has none for it. */
function formatValidationXml(attachmentData: AttachmentData, reading: ConditionLocale): string | null {
  const {
    condition,
    inputMessage = '',
    strict = false,
    showCustomUi = false,
  } = parseStoredValue<ValidationRule>(attachmentData);
  const test = toValidationTest(condition, formatFirstCell(attachmentData), reading);
  if (test === null) return null;
  // This attribute hides the arrow.
  const arrow = test.attributes.includes('"list"') && !showCustomUi ? ' showDropDown="1"' : '';
  const message =
    inputMessage === '' ? '' : ` showInputMessage="1" prompt="${escapeAttribute(inputMessage.slice(0, 255))}"`;
  const style = strict ? '' : ' errorStyle="warning"';
  const formulas = test.formulas.map((formula, i) => `<formula${i + 1}>${escapeText(formula)}</formula${i + 1}>`);
  const attributes = `${test.attributes}${style} allowBlank="1"${arrow} showErrorMessage="1"${message}`;
  return `<dataValidation${attributes}>${formulas.join('')}</dataValidation>`;
}

/** The XML of a conditional format that is stored in Google's form; null if Excel has none for it. */
function formatConditionalFormatXml(
  attachmentData: AttachmentData,
  formats: RuleFormats,
  reading: ConditionLocale,
  priority: number,
): string | null {
  const rules =
    attachmentData.kind === BANDING
      ? toBandRules(attachmentData, formats, priority)
      : [
          formatStoredRuleXml(
            parseStoredValue<StoredRuleFormat>(attachmentData),
            formatFirstCell(attachmentData),
            formats,
            reading,
            priority + 1,
          ),
        ];
  const elements = rules.filter((rule) => rule !== null);
  return elements.length === 0 ? null : `<conditionalFormatting>${elements.join('')}</conditionalFormatting>`;
}

function formatStoredRuleXml(
  { booleanRule, gradientRule }: StoredRuleFormat,
  cell: string,
  formats: RuleFormats,
  reading: ConditionLocale,
  priority: number,
): string | null {
  if (gradientRule !== undefined) return formatScaleXml(gradientRule, reading, priority);
  if (booleanRule === undefined) return null;
  const test = toFormatTest(booleanRule.condition, cell, reading);
  if (test === null) return null;
  const format = formats.findOrAddFormat(formatRuleFormatXml(booleanRule.format ?? {}));
  return formatRuleXml(test.attributes, test.formulas, format, priority);
}

function formatRuleXml(attributes: string, formulas: readonly string[], format: number, priority: number): string {
  const content = formulas.map((formula) => `<formula>${escapeText(formula)}</formula>`).join('');
  return `<cfRule${attributes} dxfId="${format}" priority="${priority}">${content}</cfRule>`;
}

const POINTS = ['minpoint', 'midpoint', 'maxpoint'] as const;

const POINT_TYPES: Readonly<Record<string, string>> = {
  MIN: 'min',
  MAX: 'max',
  NUMBER: 'num',
  PERCENT: 'percent',
  PERCENTILE: 'percentile',
};

/** The XML of a color scale; null if Excel has none for it. */
function formatScaleXml(
  gradient: NonNullable<StoredRuleFormat['gradientRule']>,
  reading: ConditionLocale,
  priority: number,
): string | null {
  const points = POINTS.flatMap((name) => gradient[name] ?? []);
  const values = points.map(({ type = '', value = '' }) => {
    const kind = POINT_TYPES[type];
    const operand = kind === 'min' || kind === 'max' ? '' : parseOperand(value, reading);
    if (kind === undefined || operand === null) return null;
    return operand === '' ? `<cfvo type="${kind}"/>` : `<cfvo type="${kind}" val="${escapeAttribute(operand)}"/>`;
  });
  if (points.length < 2 || values.includes(null)) return null;
  const colors = points.map(
    ({ color = {}, colorStyle }) => `<color rgb="${formatArgbColor(colorStyle?.rgbColor ?? color)}"/>`,
  );
  return `<cfRule type="colorScale" priority="${priority}"><colorScale>${values.join('')}${colors.join('')}</colorScale></cfRule>`;
}

/** Converts bands to rules that count rows or columns from the first cell. */
function toBandRules(attachmentData: AttachmentData, formats: RuleFormats, priority: number): readonly string[] {
  const { rowProperties, columnProperties } = parseStoredValue<Banding>(attachmentData);
  const [area] = attachmentData.areas;
  if (area === undefined) return [];
  const rows = createBandRules(rowProperties, 'ROW()', area.top + 1, area.bottom + 1);
  const columns = createBandRules(columnProperties, 'COLUMN()', area.left + 1, area.right + 1);
  return [...rows, ...columns].map(({ formula, color }, i) =>
    formatRuleXml(' type="expression"', [formula], formats.findOrAddFormat(formatFillXml(color)), priority + 1 + i),
  );
}

interface BandRule {
  readonly formula: string;
  readonly color: RuleColor;
}

/** The rules that color alternating rows or columns. `first` and `last` are row or column numbers, counted from 1. */
function createBandRules(
  bands: StoredBandColors | undefined,
  line: string,
  first: number,
  last: number,
): readonly BandRule[] {
  if (bands === undefined) return [];
  const { headerColor, firstBandColor, secondBandColor, footerColor } = bands;
  const start = headerColor === undefined ? first : first + 1;
  const createBandRule = (formula: string, color: RuleColor | undefined): readonly BandRule[] =>
    color === undefined ? [] : [{ formula, color }];
  return [
    ...createBandRule(`${line}=${first}`, headerColor),
    ...createBandRule(`${line}=${last}`, footerColor),
    ...createBandRule(`MOD(${line}-${start},2)=0`, firstBandColor),
    ...createBandRule(`MOD(${line}-${start},2)=1`, secondBandColor),
  ];
}
