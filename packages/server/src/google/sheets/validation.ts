import { omitEmpty } from '../format/cell-format.ts';
import { choice, flag, object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';

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

const MAX_VALUES = 500;

/** A `BooleanCondition` in the form in which it is stored and returned. */
export function storedCondition(sent: RequestObject, place: string): object {
  refuseUnknown(sent, ['type', 'values'], place);
  const type = choice(sent, 'type', CONDITIONS, place, 'type.googleapis.com/google.apps.sheets.v4.ConditionType');
  if (type === undefined) throw invalid(`Invalid ${place}: condition.type is required.`);
  const values = objects(sent, 'values', place) ?? [];
  if (values.length > MAX_VALUES) throw invalid(`A condition can have ${MAX_VALUES} values at most.`);
  return {
    type,
    ...(values.length > 0 && {
      values: values.map((value) => {
        refuseUnknown(value, ['relativeDate', 'userEnteredValue'], place);
        return omitEmpty({
          relativeDate: choice(value, 'relativeDate', RELATIVE_DATES, place),
          userEnteredValue: operand(type, text(value, 'userEnteredValue', place)),
        });
      }),
    }),
  };
}

/** A range is a formula, so that it follows its cells. */
function operand(type: string, sent: string | undefined): string | undefined {
  const isPlainRange = type === 'ONE_OF_RANGE' && sent !== undefined && sent !== '' && !sent.startsWith('=');
  return isPlainRange ? `=${sent}` : sent;
}

/** A `DataValidationRule`. */
export function storedRule(sent: RequestObject, place: string): object {
  refuseUnknown(sent, ['condition', 'inputMessage', 'strict', 'showCustomUi'], place);
  const condition = object(sent, 'condition', place);
  if (condition === undefined) throw invalid(`Invalid ${place}: condition is required.`);
  return {
    condition: storedCondition(condition, `${place}.condition`),
    ...omitEmpty({
      inputMessage: text(sent, 'inputMessage', place),
      strict: flag(sent, 'strict', place),
      showCustomUi: flag(sent, 'showCustomUi', place),
    }),
  };
}
