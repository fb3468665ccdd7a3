import { type DateSystem, type LocaleId, parseNumberText } from '@cellwire/engine';
import { escapeAttribute } from '../text.ts';

/** A condition in the form of Google's API. */
export interface StoredCondition {
  readonly type: string;
  readonly values?: readonly { readonly userEnteredValue?: string; readonly relativeDate?: string }[];
}

/** Settings for parsing dates and numbers in conditions. */
export interface ConditionLocale {
  readonly locale: LocaleId;
  readonly system: DateSystem;
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

interface RuleComparison {
  readonly kind: 'decimal' | 'date';
  readonly operator: string;
  readonly formulas: readonly string[];
}

/**
 * Converts a comparison of numbers or dates. Null if the condition is not a comparison, or if it has a value that files
 * cannot store.
 */
function toComparison({ type, values = [] }: StoredCondition, reading: ConditionLocale): RuleComparison | null {
  const [, kind, order = ''] = /^(NUMBER|DATE)_(.+)$/.exec(type) ?? [];
  const operator = ORDERS[order];
  if (kind === undefined || operator === undefined) return null;
  const formulas = values.map(({ userEnteredValue = '', relativeDate }) =>
    relativeDate === undefined ? parseOperand(userEnteredValue, reading) : (RELATIVE_DATES[relativeDate] ?? null),
  );
  if (formulas.length !== (order.endsWith('BETWEEN') ? 2 : 1)) return null;
  if (!formulas.every((formula) => formula !== null)) return null;
  return { kind: kind === 'NUMBER' ? 'decimal' : 'date', operator, formulas };
}

/** Converts the text of an operand to a number, a date's serial number or a formula. */
export function parseOperand(text: string, { locale, system }: ConditionLocale): string | null {
  if (text.startsWith('=')) return text.slice(1);
  const number = parseNumberText(text, locale, system);
  return number === null ? null : String(number);
}

/** A text as a constant in a formula. */
function quoteText(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const getFirstValueText = ({ values = [] }: StoredCondition): string => values[0]?.userEnteredValue ?? '';

/** Excel's maximum length of a list inside a rule, in characters. */
const MAX_LIST_LENGTH = 255;

/** Attributes and formulas of a rule in a file. */
interface RuleTest {
  readonly attributes: string;
  readonly formulas: readonly string[];
}

/** Converts a validation rule; null if files have no such rule. Formulas are relative to `cell`. */
export function toValidationTest(condition: StoredCondition, cell: string, reading: ConditionLocale): RuleTest | null {
  const compared = toComparison(condition, reading);
  if (compared !== null) {
    const { kind, operator, formulas } = compared;
    return { attributes: ` type="${kind}" operator="${operator}"`, formulas };
  }
  const createCustomTest = (formula: string) => ({ attributes: ' type="custom"', formulas: [formula] });
  const createListTest = (formula: string) => ({ attributes: ' type="list"', formulas: [formula] });
  const text = getFirstValueText(condition);
  const isFormula = text.startsWith('=');
  const operand = isFormula ? text.slice(1) : quoteText(text);
  switch (condition.type) {
    case 'ONE_OF_LIST': {
      const items = (condition.values ?? []).map(({ userEnteredValue = '' }) => userEnteredValue);
      const list = items.join(',');
      const isHeld = !items.some((item) => item.includes(',')) && list.length <= MAX_LIST_LENGTH;
      return isHeld ? createListTest(quoteText(list)) : null;
    }
    case 'ONE_OF_RANGE':
      return createListTest(isFormula ? text.slice(1) : text);
    case 'BOOLEAN':
      return (condition.values ?? []).length === 0 ? createListTest('"TRUE,FALSE"') : null;
    case 'CUSTOM_FORMULA':
      return isFormula ? createCustomTest(text.slice(1)) : null;
    case 'DATE_IS_VALID':
      return { attributes: ' type="date" operator="greaterThanOrEqual"', formulas: ['0'] };
    case 'TEXT_CONTAINS':
      return createCustomTest(`ISNUMBER(SEARCH(${operand},${cell}))`);
    case 'TEXT_NOT_CONTAINS':
      return createCustomTest(`ISERROR(SEARCH(${operand},${cell}))`);
    case 'TEXT_EQ':
      return createCustomTest(`${cell}=${operand}`);
    default:
      return null;
  }
}

/** Converts a conditional format; null if files have no such rule. */
export function toFormatTest(condition: StoredCondition, cell: string, reading: ConditionLocale): RuleTest | null {
  const compared = toComparison(condition, reading);
  if (compared !== null) {
    return { attributes: ` type="cellIs" operator="${compared.operator}"`, formulas: compared.formulas };
  }
  const text = getFirstValueText(condition);
  const isFormula = text.startsWith('=');
  const operand = isFormula ? text.slice(1) : quoteText(text);
  const createTextTest = (type: string, formula: string): RuleTest => ({
    attributes: ` type="${type}" operator="${type === 'notContainsText' ? 'notContains' : type}" text="${escapeAttribute(text)}"`,
    formulas: [formula],
  });
  const createExpressionTest = (formula: string): RuleTest => ({
    attributes: ' type="expression"',
    formulas: [formula],
  });
  switch (condition.type) {
    case 'TEXT_CONTAINS':
      return isFormula
        ? createExpressionTest(`NOT(ISERROR(SEARCH(${operand},${cell})))`)
        : createTextTest('containsText', `NOT(ISERROR(SEARCH(${operand},${cell})))`);
    case 'TEXT_NOT_CONTAINS':
      return isFormula
        ? createExpressionTest(`ISERROR(SEARCH(${operand},${cell}))`)
        : createTextTest('notContainsText', `ISERROR(SEARCH(${operand},${cell}))`);
    case 'TEXT_STARTS_WITH':
      return createExpressionTest(`LEFT(${cell},LEN(${operand}))=${operand}`);
    case 'TEXT_ENDS_WITH':
      return createExpressionTest(`RIGHT(${cell},LEN(${operand}))=${operand}`);
    case 'TEXT_EQ':
      return { attributes: ' type="cellIs" operator="equal"', formulas: [operand] };
    case 'TEXT_NOT_EQ':
      return { attributes: ' type="cellIs" operator="notEqual"', formulas: [operand] };
    case 'BLANK':
      return { attributes: ' type="containsBlanks"', formulas: [`LEN(TRIM(${cell}))=0`] };
    case 'NOT_BLANK':
      return { attributes: ' type="notContainsBlanks"', formulas: [`LEN(TRIM(${cell}))>0`] };
    case 'CUSTOM_FORMULA':
      return isFormula ? createExpressionTest(text.slice(1)) : null;
    default:
      return null;
  }
}
