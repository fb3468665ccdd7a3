import { type Area, areaText } from '@cellwire/engine';
import { isTrue } from '../../archive/xml.ts';

/*
 * Translates rules of a file into formulas that are TRUE where the rule applies. The formulas are in the grammar of
 * files, without `=`.
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

/** Compares a value with one or two operands; null if an operand is missing. */
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

/** Maximum areas of such a rule. A formula with more would be too long. */
const MAX_COMPARED_AREAS = 1_000;

/** The test of a conditional format (`cfRule`); null if the rule is drawn otherwise or is unknown. */
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
      const share = isTrue(percent) ? `MAX(1,INT(COUNT(${list})*${rank}/100))` : `MIN(COUNT(${list}),${rank})`;
      const bound = isTrue(bottom) ? `<=SMALL(${list},${share})` : `>=LARGE(${list},${share})`;
      return `AND(ISNUMBER(${cell}),${cell}${bound})`;
    }
    case 'aboveAverage': {
      const sign = (aboveAverage === undefined || isTrue(aboveAverage) ? '>' : '<') + (isTrue(equalAverage) ? '=' : '');
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

/** The test of a validation rule. `formulas`: of the rule's element. Null: every input is valid. */
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
      return first === undefined ? null : `ISNUMBER(MATCH(${cell}&"",${listFormula(first)}&"",0))`;
    case 'custom':
      return first ?? null;
    default:
      return null;
  }
}

/** The values of a list as a formula: a text between quotes contains them separated by commas. */
export function listFormula(formula: string): string {
  const [, text] = /^"((?:[^"]|"")*)"$/.exec(formula.trim()) ?? [];
  if (text === undefined) return `(${formula})`;
  const items = text.split(',').map((item) => `"${item.trim()}"`);
  return `{${items.join(',')}}`;
}

function formatCellUnion(areas: readonly Area[]): string {
  const cells = formatAbsoluteAreas(areas);
  return cells.length > 1 ? `(${cells.join(',')})` : cells.join();
}

/** Cached texts, because many rules and cells share the same areas. */
const TEXTS = new WeakMap<readonly Area[], readonly string[]>();

/** Ranges that do not change when their formula is copied. */
export function formatAbsoluteAreas(areas: readonly Area[]): readonly string[] {
  const texts = TEXTS.get(areas) ?? areas.map(formatAbsoluteArea);
  TEXTS.set(areas, texts);
  return texts;
}

function formatAbsoluteArea(area: Area): string {
  return areaText(area).replaceAll(/([A-Z]+)(\d+)/g, '$$$1$$$2');
}
