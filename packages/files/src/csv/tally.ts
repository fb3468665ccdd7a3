import type { ColumnType, ImportedColumn, Kind } from './column-type.ts';
import { named, type Witness } from './evidence.ts';

/** Why a column is read as it is, in words, by what it turns out to hold; empty where there is nothing to say. */
export interface Reasons {
  /** What keeps fields text that look like values. */
  readonly text: string;
  readonly number: string;
  readonly date: string;
  readonly told: ColumnType | undefined;
}

/** What texts begin with that people may take for values. */
const LIKE_VALUE = /^[-+=.,\d(\p{Sc}]/u;

/** Counts what became of the fields of a column. */
export class ColumnTally {
  private readonly counts: Record<Kind | 'text', number> = { text: 0, number: 0, date: 0, boolean: 0 };

  /** The first field that stayed text. */
  private text: Witness | null = null;
  /** The first one that stayed text since most of the column is something else. */
  private rare: Witness | null = null;

  get hasText(): boolean {
    return this.text !== null;
  }

  /** To be told of a field that stays text where there was none before. */
  noteText(witness: Witness): void {
    this.text ??= witness;
  }

  /** To be told of a field that could be a value in a column of values. */
  noteRare(witness: Witness): void {
    this.rare ??= witness;
  }

  add(kind: Kind | 'text'): void {
    const { counts } = this;
    // Each by its name: for a name that is only known when it runs, the place is looked up.
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

  /** Where something is to be said of a text: among values, or like one. */
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
