import { type Area, areaText } from '@cellwire/engine';
import { parseXmlBoolean } from '../../archive/xml.ts';

/*
 * Translates rules of a file to formulas that are TRUE for cells to which the rule applies. The formulas are in the
 * grammar of files, without `=`.
 */

type ElementAttributes = Readonly<Record<string, string>>;

const COMPARISONS: Readonly<Record<string, string>> = {
  greaterThan: '>',
  greaterThanOrEqual: '>=',
  lessThan: '<',
  lessThanOrEqual: '<=',
  equal: '=',
  notEqual: '<>',
};

/** Returns a formula that compares a value with one or two operands; null if an operand is missing. */
export function formatComparison(value: string, operator: string, formulas: readonly string[]): string | null {
  const [first, second] = formulas;
  if (first === undefined) return null;
  const sign = COMPARISONS[operator];
  if (sign !== undefined) return `${value}${sign}(${first})`;
  if (second === undefined) return null;
  const isBetween = `AND(${value}>=(${first}),${value}<=(${second}))`;
  if (operator === 'between') return isBetween;
  return operator === 'notBetween' ? `NOT(${isBetween})` : null;
}

/** Types of rules that compare a cell with all cells of the rule. */
const COMPARES_CELLS: ReadonlySet<string> = new Set(['top10', 'aboveAverage', 'duplicateValues', 'uniqueValues']);

/** Maximum number of areas of such a rule, because the formula would otherwise be too long. */
const MAX_COMPARED_AREAS = 1_000;

/** Returns the test of a conditional format (`cfRule`); null if the rule has a scale or is unknown. */
export function formatRuleTest(
  attributes: ElementAttributes,
  formulas: readonly string[],
  cell: string,
  areas: readonly Area[],
): string | null {
  const { type = '', operator = '', rank = '10', bottom, percent, aboveAverage, equalAverage } = attributes;
  if (COMPARES_CELLS.has(type) && areas.length > MAX_COMPARED_AREAS) return null;
  switch (type) {
    case 'cellIs':
      return formatComparison(cell, operator, formulas);
    case 'top10': {
      if (!/^\d{1,6}$/.test(rank)) return null;
      const list = formatCellUnion(areas);
      const share = parseXmlBoolean(percent) ? `MAX(1,INT(COUNT(${list})*${rank}/100))` : `MIN(COUNT(${list}),${rank})`;
      const bound = parseXmlBoolean(bottom) ? `<=SMALL(${list},${share})` : `>=LARGE(${list},${share})`;
      return `AND(ISNUMBER(${cell}),${cell}${bound})`;
    }
    case 'aboveAverage': {
      const sign =
        (aboveAverage === undefined || parseXmlBoolean(aboveAverage) ? '>' : '<') +
        (parseXmlBoolean(equalAverage) ? '=' : '');
      return `AND(ISNUMBER(${cell}),${cell}${sign}AVERAGE(${formatCellUnion(areas)}))`;
    }
    case 'duplicateValues':
    case 'uniqueValues': {
      const sign = type === 'uniqueValues' ? '=1' : '>1';
      const count = formatAbsoluteAreas(areas)
        .map((area) => `COUNTIF(${area},${cell})`)
        .join('+');
      return `AND(NOT(ISBLANK(${cell})),${count}${sign})`;
    }
    case 'colorScale':
    case 'dataBar':
    case 'iconSet':
      return null;
    default:
      return formulas[0] ?? null;
  }
}

/**
 * Returns the test of a validation rule; null if every input is valid. `formulas`: the formulas of the rule's element.
 */
export function formatValidationTest(
  { type = 'none', operator = 'between' }: ElementAttributes,
  formulas: readonly string[],
  cell: string,
): string | null {
  const [first] = formulas;
  switch (type) {
    case 'whole':
    case 'decimal':
    case 'date':
    case 'time': {
      const compared = formatComparison(cell, operator, formulas);
      const isWhole = type === 'whole' ? `,INT(${cell})=${cell}` : '';
      return compared && `AND(ISNUMBER(${cell})${isWhole},${compared})`;
    }
    case 'textLength':
      return formatComparison(`LEN(${cell})`, operator, formulas);
    case 'list':
      return first === undefined ? null : `ISNUMBER(MATCH(${cell}&"",${toListFormula(first)}&"",0))`;
    case 'custom':
      return first ?? null;
    default:
      return null;
  }
}

/** Converts the values of a list to a formula. In a quoted text they are separated by commas. */
export function toListFormula(formula: string): string {
  const [, text] = /^"((?:[^"]|"")*)"$/.exec(formula.trim()) ?? [];
  if (text === undefined) return `(${formula})`;
  const items = text.split(',').map((item) => `"${item.trim()}"`);
  return `{${items.join(',')}}`;
}

/** The areas as a reference in a formula, in parentheses if there are several. */
function formatCellUnion(areas: readonly Area[]): string {
  const cells = formatAbsoluteAreas(areas);
  return cells.length > 1 ? `(${cells.join(',')})` : cells.join();
}

/** Cached texts, because many rules and cells have the same areas. */
const TEXTS = new WeakMap<readonly Area[], readonly string[]>();

/** Returns the areas as absolute references, which do not change when their formula is copied. */
export function formatAbsoluteAreas(areas: readonly Area[]): readonly string[] {
  const texts = TEXTS.get(areas) ?? areas.map(formatAbsoluteArea);
  TEXTS.set(areas, texts);
  return texts;
}

function formatAbsoluteArea(area: Area): string {
  return areaText(area).replaceAll(/([A-Z]+)(\d+)/g, '$$$1$$$2');
}
