import type { Locale } from '@cellwire/engine';
import type { FieldKind } from './column-type.ts';
import { getRequiredMark, isCode, type NumberShape } from './number-shape.ts';

/** A field that is evidence for its column. */
export interface EvidenceField {
  readonly text: string;
  /** Row of the file, counted from 1. */
  readonly row: number;
}

type DecimalMark = '.' | ',';
type MarkEvidence = { [mark in DecimalMark]?: EvidenceField };

/** The decimal mark for reading the numbers of a column; null if they contradict each other. */
interface MarkDecision {
  readonly mark: DecimalMark | null;
  /** The reason as a text; empty if no number of the column depends on the mark. */
  readonly why: string;
}

interface OrderDecision {
  readonly order: 'dmy' | 'mdy' | null;
  readonly why: string;
}

/** Evidence from the fields of one column. The first field of each kind is stored, because a reason may quote it. */
export class ColumnEvidence {
  /** A number that would lose digits. */
  private plainCode: EvidenceField | undefined;
  private quotedCode: EvidenceField | undefined;
  /** Number of fields after the first row, by possible kind; `none`: only text. */
  readonly counts: Record<FieldKind | 'none', number> = { number: 0, date: 0, boolean: 0, none: 0 };
  /** Numbers that require this decimal mark. Quoted ones count only if there are no others. */
  private readonly certain: { readonly plain: MarkEvidence; readonly quoted: MarkEvidence } = {
    plain: {},
    quoted: {},
  };
  /** Numbers that can be read with both marks, by the mark that they contain. */
  private readonly either: MarkEvidence = {};
  private dayFirst: EvidenceField | undefined;
  private monthFirst: EvidenceField | undefined;
  private slashed = false;
  /** True if a text after the first row has no quotation marks. */
  hasBareText = false;
  /** True if a field with quotation marks can be a value. */
  hasQuotedValue = false;

  /**
   * Records what a field shows that can be read as a number in these ways: its decimal mark, or that it is a code.
   * `witness` is shown in explanations.
   */
  addNumber(shapes: readonly NumberShape[], quoted: boolean, witness: EvidenceField): void {
    const [first, second] = shapes as [NumberShape, NumberShape | undefined];
    if (isCode(first) && quoted) this.quotedCode ??= witness;
    else if (isCode(first)) this.plainCode ??= witness;
    const mark = getRequiredMark(first);
    if (mark === '') return;
    const marks = second ? this.either : quoted ? this.certain.quoted : this.certain.plain;
    marks[mark] ??= witness;
  }

  /**
   * Returns the first code. `bareNumbers`: numbers of the file have no quotation marks, so a code with quotation marks
   * is a text anyway.
   */
  findFirstCode(bareNumbers: boolean): EvidenceField | undefined {
    return this.plainCode ?? (bareNumbers ? undefined : this.quotedCode);
  }

  /** True if another number that requires this mark would add no evidence. */
  hasEvidence(mark: DecimalMark, quoted: boolean): boolean {
    return (quoted ? this.certain.quoted : this.certain.plain)[mark] !== undefined;
  }

  /**
   * True if another unquoted number with this mark would add no evidence. `isEither`: the number can be read with both
   * marks.
   */
  hasMarkEvidence(mark: DecimalMark, isEither: boolean): boolean {
    return (isEither ? this.either : this.certain.plain)[mark] !== undefined;
  }

  /** True if another date with slashes would add no evidence. `first` and `second`: its numbers before the year. */
  hasDateEvidence(first: number, second: number): boolean {
    if (!this.slashed || (first > LAST_MONTH && this.dayFirst === undefined)) return false;
    return second <= LAST_MONTH || this.monthFirst !== undefined;
  }

  /**
   * Counts a date as evidence. `pair` is the two numbers before the year of a date with slashes; null for other dates.
   */
  addDate(pair: readonly [number, number] | null, witness: EvidenceField): void {
    if (pair === null) return;
    this.slashed = true;
    if (pair[0] > LAST_MONTH) this.dayFirst ??= witness;
    if (pair[1] > LAST_MONTH) this.monthFirst ??= witness;
  }

  /** The decimal mark that all unambiguous numbers allow, if there is exactly one. */
  findCertainMark(): DecimalMark | undefined {
    const { '.': dot, ',': comma } = this.chooseCertainMarks();
    if ((dot === undefined) === (comma === undefined)) return undefined;
    return dot ? '.' : ',';
  }

  /** True if at least half of the fields can have this kind. The column then accepts all forms of this kind. */
  isMostly(kind: FieldKind): boolean {
    const { number, date, boolean, none } = this.counts;
    return this.counts[kind] * 2 >= number + date + boolean + none;
  }

  /** True if at most half of the fields can have this kind. */
  isAtMostHalf(kind: FieldKind): boolean {
    const { number, date, boolean, none } = this.counts;
    return this.counts[kind] * 2 <= number + date + boolean + none;
  }

  /** True if quotation marks around a value may mean that it is a text, because other texts have no quotation marks. */
  mayQuoteTexts(): boolean {
    return this.hasBareText && this.hasQuotedValue;
  }

  /** Forgets the counted kinds of fields but keeps the evidence for their form. */
  resetCounts(): void {
    Object.assign(this.counts, { number: 0, date: 0, boolean: 0, none: 0 });
  }

  /**
   * Decides the decimal mark. `fileMark`: the mark that the caller specified, or else the mark of the other columns. If
   * there is no evidence, `locale` decides: if it groups digits by points, a single `1.234` is a thousand; otherwise it
   * is a fraction, as programs write it.
   */
  decideDecimalMark(fileMark: DecimalMark | undefined, locale: Pick<Locale, 'id' | 'decimal' | 'group'>): MarkDecision {
    const heard = this.chooseCertainMarks();
    if (heard['.'] && heard[',']) return describeContradiction('decimal marks', heard['.'], heard[',']);
    const certain = this.findCertainMark();
    const witness = certain && heard[certain];
    if (certain && witness)
      return { mark: certain, why: `decimal ${MARK_WORDS[certain]}, as ${describeField(witness)} shows` };
    const { '.': dot, ',': comma } = this.either;
    if (fileMark !== undefined) {
      const open = dot ?? comma;
      const why = open
        ? `decimal ${MARK_WORDS[fileMark]} as in other columns, so ${describeField(open)} is read by it`
        : '';
      return { mark: fileMark, why };
    }
    if (dot && comma) return describeContradiction('marks', dot, comma);
    const { id, decimal, group } = locale;
    const open = comma ?? (group === '.' ? dot : undefined);
    if (open)
      return {
        mark: decimal,
        why: `${describeField(open)} by the locale ${id}: decimal ${MARK_WORDS[decimal]}, as nothing else settles it`,
      };
    return { mark: '.', why: dot ? `${describeField(dot)} is a fraction, as programs write them` : '' };
  }

  /** The order of day and month that all dates with slashes allow, if there is exactly one. */
  findCertainOrder(): 'dmy' | 'mdy' | undefined {
    if ((this.dayFirst === undefined) === (this.monthFirst === undefined)) return undefined;
    return this.dayFirst ? 'dmy' : 'mdy';
  }

  /** Decides the order of day and month; null if dates contradict each other. */
  decideDateOrder(usual: 'dmy' | 'mdy'): OrderDecision {
    const { dayFirst, monthFirst } = this;
    if (dayFirst && monthFirst) return { order: null, why: describeContradiction('orders', dayFirst, monthFirst).why };
    if (dayFirst) return { order: 'dmy', why: `day first, as ${describeField(dayFirst)} shows` };
    if (monthFirst) return { order: 'mdy', why: `month first, as ${describeField(monthFirst)} shows` };
    const first = usual === 'dmy' ? 'day' : 'month';
    return { order: usual, why: this.slashed ? `${first} first, as usual in the locale: no date settles it` : '' };
  }

  /** The decimal marks of unquoted fields. If there are none: the marks of quoted fields. */
  private chooseCertainMarks(): MarkEvidence {
    const { plain, quoted } = this.certain;
    return plain['.'] || plain[','] ? plain : quoted;
  }
}

const LAST_MONTH = 12;
const MARK_WORDS = { '.': 'point', ',': 'comma' } as const;
/** Maximum length of a field in a reason, in characters. */
const SHOWN_LENGTH = 40;

export function describeField({ text, row }: EvidenceField): string {
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return `${shown} (row ${row})`;
}

/** No mark, with the two fields that contradict each other as the reason. */
function describeContradiction(
  subject: string,
  first: EvidenceField,
  second: EvidenceField,
): { readonly mark: null; readonly why: string } {
  return { mark: null, why: `${describeField(first)} and ${describeField(second)} have different ${subject}` };
}
