import type { ColumnType, ImportedColumn, Kind } from './column-type.ts';
import { named, type Witness } from './evidence.ts';

/** Reasons for reading a column in its way, by content; empty if there is nothing to say. */
export interface Reasons {
  /** Why fields that look like values stay text. */
  readonly text: string;
  readonly number: string;
  readonly date: string;
  readonly told: ColumnType | undefined;
}

/** First characters of texts that people may take for values. */
const LIKE_VALUE = /^[-+=.,\d(\p{Sc}]/u;

/** Counts how the fields of a column were read. */
export class ColumnTally {
  private readonly counts: Record<Kind | 'text', number> = { text: 0, number: 0, date: 0, boolean: 0 };

  /** The first field that stayed text. */
  private text: Witness | null = null;
  /** The first field that stayed text because its kind is rare in the column. */
  private rare: Witness | null = null;

  get hasText(): boolean {
    return this.text !== null;
  }

  /** Records a field that stays text; only the first one counts. */
  noteText(witness: Witness): void {
    this.text ??= witness;
  }

  /** Records a field that could be a value of a rare kind. */
  noteRare(witness: Witness): void {
    this.rare ??= witness;
  }

  add(kind: Kind | 'text'): void {
    const { counts } = this;
    // Separate branches: access by a computed property name would be slower.
    if (kind === 'text') counts.text++;
    else if (kind === 'number') counts.number++;
    else if (kind === 'date') counts.date++;
    else counts.boolean++;
  }

  type(): ImportedColumn['type'] {
    const kinds = this.kinds();
    return kinds.length > 1 ? 'mixed' : (kinds[0] ?? 'empty');
  }

  reason({ text, number, date, told }: Reasons): string {
    const kinds = this.kinds();
    const { counts } = this;
    return [
      ...(told === undefined ? [] : [`told to be ${told}`]),
      ...(kinds.length > 1 ? [kinds.map((kind) => `${counts[kind]} ${kind}`).join(', ')] : []),
      ...(counts.number > 0 ? [number] : []),
      ...(counts.date > 0 ? [date] : []),
      ...(counts.text > 0 ? [text === '' && told === undefined ? this.textReason() : text] : []),
    ]
      .filter((reason) => reason !== '')
      .join('; ');
  }

  /** The reason for texts next to values, or that look like values. */
  private textReason(): string {
    const { text, rare } = this;
    if (rare !== null) return `${named(rare)} is no value for certain among other texts`;
    const isRemarkable = text !== null && (this.kinds().length > 1 || LIKE_VALUE.test(text.text));
    return isRemarkable ? `${named(text)} is no value for certain` : '';
  }

  private kinds(): readonly (Kind | 'text')[] {
    return (['number', 'date', 'boolean', 'text'] as const).filter((kind) => this.counts[kind] > 0);
  }
}
