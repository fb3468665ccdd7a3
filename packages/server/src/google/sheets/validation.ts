import { omitEmptyMembers } from '../format/cell-format.ts';
import {
  type RequestObject,
  readChoice,
  readFlag,
  readObject,
  readObjects,
  readText,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';

/** Condition types of rules, formats and filters. */
const CONDITIONS = [
  'NUMBER_GREATER',
  'NUMBER_GREATER_THAN_EQ',
  'NUMBER_LESS',
  'NUMBER_LESS_THAN_EQ',
  'NUMBER_EQ',
  'NUMBER_NOT_EQ',
  'NUMBER_BETWEEN',
  'NUMBER_NOT_BETWEEN',
  'TEXT_CONTAINS',
  'TEXT_NOT_CONTAINS',
  'TEXT_STARTS_WITH',
  'TEXT_ENDS_WITH',
  'TEXT_EQ',
  'TEXT_IS_EMAIL',
  'TEXT_IS_URL',
  'DATE_EQ',
  'DATE_BEFORE',
  'DATE_AFTER',
  'DATE_ON_OR_BEFORE',
  'DATE_ON_OR_AFTER',
  'DATE_BETWEEN',
  'DATE_NOT_BETWEEN',
  'DATE_IS_VALID',
  'ONE_OF_RANGE',
  'ONE_OF_LIST',
  'BLANK',
  'NOT_BLANK',
  'CUSTOM_FORMULA',
  'BOOLEAN',
  'TEXT_NOT_EQ',
  'DATE_NOT_EQ',
] as const;
const RELATIVE_DATES = ['PAST_YEAR', 'PAST_MONTH', 'PAST_WEEK', 'YESTERDAY', 'TODAY', 'TOMORROW'] as const;

/** Conditions without values, or with any number of them. All others have one value, and `…BETWEEN` has two. */
const WITHOUT_FIXED_COUNT: ReadonlySet<string> = new Set([
  'TEXT_IS_EMAIL',
  'TEXT_IS_URL',
  'DATE_IS_VALID',
  'ONE_OF_LIST',
  'BLANK',
  'NOT_BLANK',
  'BOOLEAN',
]);

const MAX_VALUES = 500;

/** A `BooleanCondition` in the form in which it is stored and returned. */
export function parseBooleanCondition(condition: RequestObject, path: string): object {
  refuseUnknownMembers(condition, ['type', 'values'], path);
  const type = readChoice(condition, 'type', CONDITIONS, path, 'ConditionType');
  if (type === undefined) throw createInvalidProblem('condition.type is required.');
  const values = readObjects(condition, 'values', path) ?? [];
  const count = WITHOUT_FIXED_COUNT.has(type) ? null : type.endsWith('BETWEEN') ? 2 : 1;
  if (count !== null && values.length !== count) {
    const required = count === 2 ? 'two ConditionValues' : 'one ConditionValue';
    throw createInvalidProblem(
      `ConditionType '${type}' requires exactly ${required}, but ${values.length} values were supplied.`,
    );
  }
  if (values.length > MAX_VALUES) throw createInvalidProblem(`A condition can have ${MAX_VALUES} values at most.`);
  return {
    type,
    ...(values.length > 0 && {
      values: values.map((value, i) => {
        const place = `${path}.values[${i}]`;
        refuseUnknownMembers(value, ['relativeDate', 'userEnteredValue'], place);
        return omitEmptyMembers({
          relativeDate: readChoice(value, 'relativeDate', RELATIVE_DATES, place, 'RelativeDate'),
          userEnteredValue: toStoredOperand(type, readText(value, 'userEnteredValue', place)),
        });
      }),
    }),
  };
}

/** The operand as it is stored: a range becomes a formula, so that it follows its cells. */
function toStoredOperand(type: string, value: string | undefined): string | undefined {
  const isPlainRange = type === 'ONE_OF_RANGE' && value !== undefined && value !== '' && !value.startsWith('=');
  return isPlainRange ? `=${value}` : value;
}

/** A `DataValidationRule`. */
export function parseValidationRule(rule: RequestObject, path: string): object {
  refuseUnknownMembers(rule, ['condition', 'inputMessage', 'strict', 'showCustomUi'], path);
  const condition = readObject(rule, 'condition', path);
  if (condition === undefined) throw createInvalidProblem('condition is required.');
  return {
    condition: parseBooleanCondition(condition, `${path}.condition`),
    ...omitEmptyMembers({
      inputMessage: readText(rule, 'inputMessage', path),
      strict: readFlag(rule, 'strict', path),
      showCustomUi: readFlag(rule, 'showCustomUi', path),
    }),
  };
}
