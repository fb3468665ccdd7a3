import type { Locale } from '@cellwire/engine';
import type { Kind } from './column-type.ts';
import { impliedMark, isCode, type NumberShape } from './number-shape.ts';

/** A field that says something about its column. */
export interface Witness {
  readonly text: string;
  /** Counted from 1. */
  readonly row: number;
}

type Mark = '.' | ',';
type MarkWitnesses = { [mark in Mark]?: Witness };

/** How the numbers of a column are to be read; `mark` is null where they contradict each other. */
interface MarkDecision {
  readonly mark: Mark | null;
  /** What the file says it by, in words; empty where no number of the column needs to know. */
  readonly why: string;
}

interface OrderDecision {
  readonly order: 'dmy' | 'mdy' | null;
  readonly why: string;
}

/** What the fields of one column say: the first field of each kind is kept, to be named as the reason. */
export class ColumnEvidence {
  /** A number of which digits would be lost. */
  private plainCode: Witness | undefined;
  private quotedCode: Witness | undefined;
  /** Fields below the first row by what they can be read as; `none`: as texts alone. */
  readonly counts: Record<Kind | 'none', number> = { number: 0, date: 0, boolean: 0, none: 0 };
  /** Numbers that can only be read with this decimal mark; quoted ones count only where no other does. */
  private readonly certain: { readonly plain: MarkWitnesses; readonly quoted: MarkWitnesses } = {
    plain: {},
    quoted: {},
  };
  /** Numbers that can be read both ways, by the mark they show. */
  private readonly either: MarkWitnesses = {};
  private dayFirst: Witness | undefined;
  private monthFirst: Witness | undefined;
  private slashed = false;

  addNumber(shapes: readonly NumberShape[], quoted: boolean, witness: Witness): void {
    const [first, second] = shapes as [NumberShape, NumberShape | undefined];
    if (isCode(first) && quoted) this.quotedCode ??= witness;
    else if (isCode(first)) this.plainCode ??= witness;
    const mark = impliedMark(first);
    if (mark === '') return;
    const marks = second ? this.either : quoted ? this.certain.quoted : this.certain.plain;
    marks[mark] ??= witness;
  }

  /** The first code. `bareNumbers`: numbers of the file stand without quotation marks, so that a quoted code is a text by itself. */
  code(bareNumbers: boolean): Witness | undefined {
    return this.plainCode ?? (bareNumbers ? undefined : this.quotedCode);
  }

  /** Whether another number that can only be read with this mark would say nothing new. */
  knows(mark: Mark, quoted: boolean): boolean {
    return (quoted ? this.certain.quoted : this.certain.plain)[mark] !== undefined;
  }

  /** The same of a number that shows a point and stands in no quotation marks; `isEither`: one that can be read both ways. */
  knowsPoint(isEither: boolean): boolean {
    return (isEither ? this.either : this.certain.plain)['.'] !== undefined;
  }

  /** `pair`: see `slashedPair`. */
  addDate(pair: readonly [number, number] | null, witness: Witness): void {
    if (pair === null) return;
    this.slashed = true;
    if (pair[0] > LAST_MONTH) this.dayFirst ??= witness;
    if (pair[1] > LAST_MONTH) this.monthFirst ??= witness;
  }

  /** The only decimal mark that all certain numbers allow. */
  certainMark(): Mark | undefined {
    const { '.': dot, ',': comma } = this.heard();
    if ((dot === undefined) === (comma === undefined)) return undefined;
    return dot ? '.' : ',';
  }

  /** True if at least half of the fields can be read as the kind: then a field in any form of it is one. */
  isMostly(kind: Kind): boolean {
    const { number, date, boolean, none } = this.counts;
    return this.counts[kind] * 2 >= number + date + boolean + none;
  }

  forgetCounts(): void {
    Object.assign(this.counts, { number: 0, date: 0, boolean: 0, none: 0 });
  }

  /**
   * `fileMark`: what the caller said, or else the other columns have; `locale`: decides where nothing else does. In a
   * locale that groups digits by points a lone `1.234` is a thousand, in any other a fraction, as programs write them.
   */
  mark(fileMark: Mark | undefined, locale: Pick<Locale, 'id' | 'decimal' | 'group'>): MarkDecision {
    const heard = this.heard();
    if (heard['.'] && heard[',']) return contradiction('decimal marks', heard['.'], heard[',']);
    const certain = this.certainMark();
    const witness = certain && heard[certain];
    if (certain && witness) return { mark: certain, why: `decimal ${MARK_WORDS[certain]}, as ${named(witness)} shows` };
    const { '.': dot, ',': comma } = this.either;
    if (fileMark !== undefined) {
      const open = dot ?? comma;
      const why = open ? `decimal ${MARK_WORDS[fileMark]} as in other columns, so ${named(open)} is read by it` : '';
      return { mark: fileMark, why };
    }
    if (dot && comma) return contradiction('marks', dot, comma);
    const { id, decimal, group } = locale;
    const open = comma ?? (group === '.' ? dot : undefined);
    if (open)
      return {
        mark: decimal,
        why: `${named(open)} by the locale ${id}: decimal ${MARK_WORDS[decimal]}, as nothing else settles it`,
      };
    return { mark: '.', why: dot ? `${named(dot)} is a fraction, as programs write them` : '' };
  }

  /** The only order of day and month that all dates with slashes allow. */
  certainOrder(): 'dmy' | 'mdy' | undefined {
    if ((this.dayFirst === undefined) === (this.monthFirst === undefined)) return undefined;
    return this.dayFirst ? 'dmy' : 'mdy';
  }

  /** The order of dates with slashes; null where they contradict each other. */
  slashOrder(usual: 'dmy' | 'mdy'): OrderDecision {
    const { dayFirst, monthFirst } = this;
    if (dayFirst && monthFirst) return { order: null, why: contradiction('orders', dayFirst, monthFirst).why };
    if (dayFirst) return { order: 'dmy', why: `day first, as ${named(dayFirst)} shows` };
    if (monthFirst) return { order: 'mdy', why: `month first, as ${named(monthFirst)} shows` };
    const first = usual === 'dmy' ? 'day' : 'month';
    return { order: usual, why: this.slashed ? `${first} first, as usual in the locale: no date settles it` : '' };
  }

  private heard(): MarkWitnesses {
    const { plain, quoted } = this.certain;
    return plain['.'] || plain[','] ? plain : quoted;
  }
}

const LAST_MONTH = 12;
const MARK_WORDS = { '.': 'point', ',': 'comma' } as const;
/** Fields are shown up to this length, in characters. */
const SHOWN_LENGTH = 40;

export function named({ text, row }: Witness): string {
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return `${shown} (row ${row})`;
}

function contradiction(what: string, one: Witness, other: Witness): { readonly mark: null; readonly why: string } {
  return { mark: null, why: `${named(one)} and ${named(other)} have different ${what}` };
}
