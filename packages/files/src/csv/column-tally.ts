import type { CsvColumnType, FieldKind, ImportedColumn } from './column-type.ts';
import { describeField, type EvidenceField } from './evidence.ts';

/** Reasons why a column was read as it was, by kind of its content; empty if no reason is needed. */
export interface ColumnReasons {
  /** Reason why fields that look like values stay text. */
  readonly text: string;
  readonly number: string;
  readonly date: string;
  readonly specified: CsvColumnType | undefined;
}

/** Matches the first characters of texts that users may take for values. */
const LIKE_VALUE = /^[-+=.,\d(\p{Sc}]/u;

/** Counts how the fields of a column were read. */
export class ColumnTally {
  private readonly counts: Record<FieldKind | 'text', number> = { text: 0, number: 0, date: 0, boolean: 0 };

  /** The first field that stayed text. */
  private text: EvidenceField | null = null;
  /** The first field that stayed text because its kind is rare in the column. */
  private rare: EvidenceField | null = null;

  get hasText(): boolean {
    return this.text !== null;
  }

  /** Records a field that stays text; only the first one counts. */
  recordText(witness: EvidenceField): void {
    this.text ??= witness;
  }

  /** Records a field that could be a value of a rare kind. */
  recordRareField(witness: EvidenceField): void {
    this.rare ??= witness;
  }

  countField(kind: FieldKind | 'text'): void {
    const { counts } = this;
    // Separate branches: access by a computed property name would be slower.
    if (kind === 'text') counts.text++;
    else if (kind === 'number') counts.number++;
    else if (kind === 'date') counts.date++;
    else counts.boolean++;
  }

  countNumbers(count: number): void {
    this.counts.number += count;
  }

  /** The type of the column for the report: the kind of its values, `mixed` for several kinds, or `empty`. */
  findType(): ImportedColumn['type'] {
    const kinds = this.listKinds();
    return kinds.length > 1 ? 'mixed' : (kinds[0] ?? 'empty');
  }

  /** Why the column got its type, as a sentence for the person who imports. */
  describeReason({ text, number, date, specified }: ColumnReasons): string {
    const kinds = this.listKinds();
    const { counts } = this;
    return [
      ...(specified === undefined ? [] : [`told to be ${specified}`]),
      ...(kinds.length > 1 ? [kinds.map((kind) => `${counts[kind]} ${kind}`).join(', ')] : []),
      ...(counts.number > 0 ? [number] : []),
      ...(counts.date > 0 ? [date] : []),
      ...(counts.text > 0 ? [text === '' && specified === undefined ? this.describeTextReason() : text] : []),
    ]
      .filter((reason) => reason !== '')
      .join('; ');
  }

  /** Returns the reason for texts in a column with values, or for texts that look like values. */
  private describeTextReason(): string {
    const { text, rare } = this;
    if (rare !== null) return `${describeField(rare)} is no value for certain among other texts`;
    const isRemarkable = text !== null && (this.listKinds().length > 1 || LIKE_VALUE.test(text.text));
    return isRemarkable ? `${describeField(text)} is no value for certain` : '';
  }

  private listKinds(): readonly (FieldKind | 'text')[] {
    return (['number', 'date', 'boolean', 'text'] as const).filter((kind) => this.counts[kind] > 0);
  }
}
