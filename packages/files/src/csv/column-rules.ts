import type { Locale, LocaleId, Scalar } from '@cellwire/engine';
import type { ColumnReasons, ColumnTally } from './column-tally.ts';
import { type CsvColumnType, FIELD_KINDS, type FieldKind, toFieldKind } from './column-type.ts';
import { type DateShape, findSlashedPair, toDateValue } from './date-shape.ts';
import { type ColumnEvidence, describeField } from './evidence.ts';
import type { NumberColumn } from './number-rows.ts';
import { getRequiredMark, isCode, type NumberShape, toNumber, toNumberFormat } from './number-shape.ts';
import { COMMA, NONE, POINT } from './plain-bytes.ts';

/** The value of a field, and the number format that shows it as written. */
export interface FieldValue {
  readonly kind: FieldKind | 'text';
  readonly value: Scalar;
  readonly format?: string;
}

/** Possible meanings of a field, which the rules of its column decide between. */
export type FieldReading =
  | { readonly kind: 'number'; readonly shapes: readonly NumberShape[] }
  | DateReading
  | { readonly kind: 'boolean'; readonly value: boolean };

/** A field that may be a date. Its value is computed once for each order of day and month. */
export class DateReading {
  readonly kind = 'date';
  /** The two numbers before the year of a date with slashes, one of which is the day; null for other dates. */
  readonly pair: readonly [number, number] | null;
  private readonly shape: DateShape;
  private readonly fields = new Map<ColumnRules['slashOrder'], FieldValue | null>();

  constructor(shape: DateShape) {
    this.shape = shape;
    this.pair = findSlashedPair(shape);
  }

  /** The date that a field has with an order of day and month; null if it is no date then. */
  toField(order: ColumnRules['slashOrder'], locale: LocaleId): FieldValue | null {
    let typed = this.fields.get(order);
    if (typed === undefined) {
      const date = toDateValue(this.shape, order, locale);
      typed = date && { kind: 'date', ...date };
      this.fields.set(order, typed);
    }
    return typed;
  }
}

/** Rules for reading the fields of one column. */
export interface ColumnRules {
  /** Whether unquoted numbers are read as numbers. */
  readonly numbers: boolean;
  /** The kind of values that the caller specified; null if none. */
  readonly only: FieldKind | null;
  /** True if every field is text, because the caller specified it or because the column contains codes. */
  readonly text: boolean;
  /** Decimal mark; null if numbers with marks stay texts. */
  readonly mark: '.' | ',' | null;
  /** Order of day and month in dates with slashes; null if these stay texts. */
  readonly slashOrder: 'dmy' | 'mdy' | null;
  /**
   * Kinds that are rare in the column. A field of such a kind is a value only if it has the form that programs write.
   */
  readonly rare: ReadonlySet<FieldKind>;
  /** Kinds for which a field with quotation marks is a text, because most texts of the column have none. */
  readonly quotedTexts: ReadonlySet<FieldKind>;
  readonly why: ColumnReasons;
}

interface RuleContext {
  readonly locale: Locale;
  /** The decimal mark that the caller specified. */
  readonly decimal: '.' | ',' | undefined;
  /** The decimal mark that the caller specified, or else the mark of the other columns. */
  readonly fileMark: '.' | ',' | undefined;
  /** True if numbers of the file have no quotation marks. */
  readonly hasBareNumber: boolean;
}

/** Returns the rules of a column. `type`: the type that the caller specified. */
export function deriveRules(
  evidence: ColumnEvidence,
  type: CsvColumnType | undefined,
  { locale, decimal, fileMark, hasBareNumber }: RuleContext,
): ColumnRules {
  const mark = decimal === undefined ? evidence.decideDecimalMark(fileMark, locale) : { mark: decimal, why: '' };
  const order =
    type === 'dmy' || type === 'mdy' ? { order: type, why: '' } : evidence.decideDateOrder(locale.slashOrder);
  const code = type === undefined ? evidence.findFirstCode(hasBareNumber) : undefined;
  const only = toFieldKind(type);
  const isText = type === 'text' || code !== undefined;
  return {
    numbers: !isText && (only === null || only === 'number'),
    only,
    text: isText,
    mark: mark.mark,
    slashOrder: order.order,
    rare: new Set(only === null ? FIELD_KINDS.filter((kind) => !evidence.isMostly(kind)) : []),
    quotedTexts: new Set(evidence.mayQuoteTexts() ? FIELD_KINDS.filter((kind) => evidence.isAtMostHalf(kind)) : []),
    why: {
      text: [
        ...(code ? [`${describeField(code)} would lose digits as a number`] : []),
        ...(mark.mark === null ? [mark.why] : []),
        ...(order.order === null ? [order.why] : []),
      ].join('; '),
      number: mark.why,
      date: order.why,
      specified: type,
    },
  };
}

/** Data for reading the common fields of a column directly from their bytes. */
export interface PlainColumnState {
  readonly evidence: ColumnEvidence;
  readonly rules: ColumnRules;
  readonly tally: ColumnTally;
  /** The byte of the decimal mark; `NONE` if only whole numbers are read as numbers, or if the mark ends the field. */
  readonly mark: number;
  /** Which unquoted dates are read as dates; `program`: only dates in the form that programs write. */
  readonly dates: 'all' | 'program' | 'none';
}

/** Returns the state of a column whose rules are known. */
export function createPlainState(
  evidence: ColumnEvidence,
  rules: ColumnRules,
  tally: ColumnTally,
  delimiter: string,
): PlainColumnState {
  const canBeDate = !rules.text && (rules.only === null || rules.only === 'date');
  return {
    evidence,
    rules,
    tally,
    mark: rules.mark === null || rules.mark === delimiter ? NONE : rules.mark === '.' ? POINT : COMMA,
    dates: !canBeDate ? 'none' : rules.rare.has('date') ? 'program' : 'all',
  };
}

/**
 * Returns which unquoted numbers of a column add no evidence. `hasSeveralCommas`: several numbers of the file have a
 * decimal comma, so that another number with a decimal comma is no evidence for the file.
 */
export function describeNumbers({ mark, evidence }: PlainColumnState, hasSeveralCommas: boolean): NumberColumn {
  return {
    mark,
    canBeCertain: mark !== NONE && isKnownMark(evidence, mark, false, hasSeveralCommas),
    canBeEither: mark !== NONE && isKnownMark(evidence, mark, true, hasSeveralCommas),
  };
}

/**
 * True if another unquoted number with this decimal mark would add no evidence. `isEither`: its mark could also separate
 * groups. `hasSeveralCommas`: as for `describeNumbers`.
 */
export function isKnownMark(
  evidence: ColumnEvidence,
  mark: number,
  isEither: boolean,
  hasSeveralCommas: boolean,
): boolean {
  if (mark === POINT) return evidence.hasMarkEvidence('.', isEither);
  return (isEither || hasSeveralCommas) && evidence.hasMarkEvidence(',', isEither);
}

/** Whether both rules read fields in the same way. */
export function areSameRules(a: ColumnRules, b: ColumnRules | undefined): boolean {
  return (
    a.only === b?.only &&
    a.text === b.text &&
    a.mark === b.mark &&
    a.slashOrder === b.slashOrder &&
    a.quotedTexts.symmetricDifference(b.quotedTexts).size === 0 &&
    a.rare.symmetricDifference(b.rare).size === 0
  );
}

/** Returns the value of a field by the rules of its column; null if the field stays text. */
export function applyRules(reading: FieldReading, rules: ColumnRules, locale: LocaleId): FieldValue | null {
  switch (reading.kind) {
    case 'boolean':
      return { kind: 'boolean', value: reading.value };
    case 'number':
      return applyNumberRules(reading.shapes, rules);
    case 'date':
      return reading.toField(rules.slashOrder, locale);
  }
}

/** Returns the number by the decimal mark of the column; null if no reading of the number fits. */
function applyNumberRules(shapes: readonly NumberShape[], rules: ColumnRules): FieldValue | null {
  const shape = shapes.find((way) => {
    const mark = getRequiredMark(way);
    return mark === '' || mark === rules.mark;
  });
  const value = shape && toNumber(shape);
  if (shape === undefined || value === null || value === undefined) return null;
  const format = toNumberFormat(shape);
  return format === undefined ? { kind: 'number', value } : { kind: 'number', value, format };
}

/** True if the field is a number that looks like a code, such as 007. */
export function isCodeReading(reading: FieldReading): boolean {
  return reading.kind === 'number' && reading.shapes.slice(0, 1).some(isCode);
}
