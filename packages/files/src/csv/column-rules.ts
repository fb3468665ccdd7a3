import type { LocaleId, Scalar } from '@cellwire/engine';
import type { Kind } from './column-type.ts';
import { type DateShape, dateOf, slashedPair } from './date-shape.ts';
import type { ColumnEvidence } from './evidence.ts';
import { formatOf, impliedMark, type NumberShape, numberOf } from './number-shape.ts';
import type { ColumnTally, Reasons } from './tally.ts';

/** What a field means, and the number format that shows it so. */
export interface TypedField {
  readonly kind: Kind | 'text';
  readonly value: Scalar;
  readonly format?: string;
}

/** A field as it may be read, before its column is known. */
export type Reading =
  | { readonly kind: 'number'; readonly shapes: readonly NumberShape[] }
  | DateReading
  | { readonly kind: 'boolean'; readonly value: boolean };

/** A date. What it comes to is found out once for each order of days and months. */
export class DateReading {
  readonly kind = 'date';
  /** See `slashedPair`. */
  readonly pair: readonly [number, number] | null;
  private readonly shape: DateShape;
  private readonly known = new Map<ColumnRules['slashOrder'], TypedField | null>();

  constructor(shape: DateShape) {
    this.shape = shape;
    this.pair = slashedPair(shape);
  }

  typed(order: ColumnRules['slashOrder'], locale: LocaleId): TypedField | null {
    let typed = this.known.get(order);
    if (typed === undefined) {
      const date = dateOf(this.shape, order, locale);
      typed = date && { kind: 'date', ...date };
      this.known.set(order, typed);
    }
    return typed;
  }
}

/** How the fields of one column are read. */
export interface ColumnRules {
  /** Numbers without quotation marks are read as such. */
  readonly numbers: boolean;
  /** The only kind that is read, as told; null: nothing was told. */
  readonly only: Kind | null;
  /** Everything is text: as told, or since the column holds codes. */
  readonly text: boolean;
  /** Null: numbers with marks stay texts. */
  readonly mark: '.' | ',' | null;
  /** Null: dates with slashes stay texts. */
  readonly slashOrder: 'dmy' | 'mdy' | null;
  /** Kinds of which a field needs the form that programs write: most of the column is something else. */
  readonly rare: ReadonlySet<Kind>;
  readonly why: Reasons;
}

/** What the fields of a column come to that are what most fields are, which is told from their bytes alone. */
export interface PlainReading {
  readonly evidence: ColumnEvidence;
  readonly rules: ColumnRules;
  readonly tally: ColumnTally;
  /** Dates that this column has learned from, by `dayKey`. */
  readonly dates: Map<number, TypedField>;
}

/** Whether fields are read alike. */
export function areSame(a: ColumnRules, b: ColumnRules | undefined): boolean {
  return (
    a.only === b?.only &&
    a.text === b.text &&
    a.mark === b.mark &&
    a.slashOrder === b.slashOrder &&
    a.rare.symmetricDifference(b.rare).size === 0
  );
}

export function typed(reading: Reading, rules: ColumnRules, locale: LocaleId): TypedField | null {
  switch (reading.kind) {
    case 'boolean':
      return { kind: 'boolean', value: reading.value };
    case 'number':
      return typedNumber(reading.shapes, rules);
    case 'date':
      return reading.typed(rules.slashOrder, locale);
  }
}

function typedNumber(shapes: readonly NumberShape[], rules: ColumnRules): TypedField | null {
  const shape = shapes.find((way) => {
    const mark = impliedMark(way);
    return mark === '' || mark === rules.mark;
  });
  const value = shape && numberOf(shape);
  if (shape === undefined || value === null || value === undefined) return null;
  const format = formatOf(shape);
  return format === undefined ? { kind: 'number', value } : { kind: 'number', value, format };
}
