import { type DateSystem, type LocaleId, numberFromText } from '@cellwire/engine';

/** What a filter may ask of a column's cells, beside the choice among their texts; with what is to be given for it. */
export const CONDITIONS = {
  contains: 'text',
  lacks: 'text',
  begins: 'text',
  ends: 'text',
  is: 'text',
  equals: 'number',
  differs: 'number',
  greater: 'number',
  least: 'number',
  less: 'number',
  most: 'number',
  between: 'numbers',
  on: 'date',
  before: 'date',
  after: 'date',
  within: 'dates',
  empty: 'nothing',
  filled: 'nothing',
} as const;

export type ConditionKind = keyof typeof CONDITIONS;

export interface Condition {
  readonly kind: ConditionKind;
  /** As typed: of dates ISO 8601, of numbers in the document's locale; the second one only where there are two. */
  readonly operands: readonly [string, string];
}

/** One condition, or two. */
export interface Conditions {
  /** Of two: whether both must hold, or either is enough. */
  readonly join: 'both' | 'either';
  readonly list: readonly Condition[];
}

/** A cell that a condition is asked of. */
export interface FilteredCell {
  /** As people see it. */
  readonly text: string;
  /** Dates in ISO 8601. */
  readonly value: unknown;
}

type Test = (cell: FilteredCell) => boolean;

/** Whether any of them is asked of values, beside what people see. */
export function askValues({ list }: Conditions): boolean {
  return list.some(({ kind }) => CONDITIONS[kind] !== 'text' && CONDITIONS[kind] !== 'nothing');
}

/** Null: what was typed is not what one of the conditions needs. */
export function testOfAll({ join, list }: Conditions, locale: LocaleId, system: DateSystem): Test | null {
  const tests = list.flatMap((condition) => testOf(condition, locale, system) ?? []);
  if (tests.length < list.length) return null;
  return (cell) => (join === 'both' ? tests.every((fits) => fits(cell)) : tests.some((fits) => fits(cell)));
}

function testOf({ kind, operands }: Condition, locale: LocaleId, system: DateSystem): Test | null {
  switch (CONDITIONS[kind]) {
    case 'text':
      return operands[0] === '' ? null : textTest(kind, operands[0].toLowerCase());
    case 'number':
    case 'numbers': {
      const [a, b] = operands.map((text) => numberFromText(text.trim(), locale, system));
      const isBetween = kind === 'between';
      return a == null || (isBetween && b == null) ? null : numberTest(kind, a, b ?? a);
    }
    case 'date':
    case 'dates':
      return operands[0] === '' || (kind === 'within' && operands[1] === '') ? null : dateTest(kind, operands);
    case 'nothing':
      return ({ text }) => (text === '') === (kind === 'empty');
  }
}

/** As people search: without a difference between small and large letters. */
function textTest(kind: ConditionKind, wanted: string): Test {
  const holds: Partial<Record<ConditionKind, (text: string) => boolean>> = {
    contains: (text) => text.includes(wanted),
    lacks: (text) => !text.includes(wanted),
    begins: (text) => text.startsWith(wanted),
    ends: (text) => text.endsWith(wanted),
    is: (text) => text === wanted,
  };
  return ({ text }) => holds[kind]?.(text.toLowerCase()) ?? false;
}

function numberTest(kind: ConditionKind, a: number, b: number): Test {
  const holds: Partial<Record<ConditionKind, (value: number) => boolean>> = {
    equals: (value) => value === a,
    differs: (value) => value !== a,
    greater: (value) => value > a,
    least: (value) => value >= a,
    less: (value) => value < a,
    most: (value) => value <= a,
    between: (value) => value >= Math.min(a, b) && value <= Math.max(a, b),
  };
  return ({ value }) => typeof value === 'number' && (holds[kind]?.(value) ?? false);
}

const ISO_DAY = /^\d{4}-\d{2}-\d{2}(?=T|$)/;

/** By days: a time of day does not matter. */
function dateTest(kind: ConditionKind, [from, to]: Condition['operands']): Test {
  const holds: Partial<Record<ConditionKind, (day: string) => boolean>> = {
    on: (day) => day === from,
    before: (day) => day < from,
    after: (day) => day > from,
    within: (day) => day >= from && day <= to,
  };
  return ({ value }) => {
    const day = typeof value === 'string' ? ISO_DAY.exec(value)?.[0] : undefined;
    return day !== undefined && (holds[kind]?.(day) ?? false);
  };
}
