import { MAX_WARNINGS } from '../../limits/http.ts';
import { truncateText } from '../refusal.ts';

/** A field that is stored as a text although it looks like something else. */
export interface FieldWarning {
  /** Its place among the records of the request, from 0. */
  readonly record: number;
  /** The column's name. */
  readonly column: string;
  readonly message: string;
}

/** Characters of the names of columns in the warnings of one answer. */
const MAX_NAME_CHARACTERS = 100_000;

/** The warnings of an answer, as many as it tells. */
export class FieldWarnings {
  private readonly list: FieldWarning[] = [];
  private characters = 0;
  private isTruncated = false;
  /** A record that changes several rows is warned of once for each column. */
  private readonly known = new Set<string>();

  add(record: number, column: string, type: string): void {
    const key = `${record} ${column}`;
    if (this.isTruncated || this.known.has(key)) return;
    this.known.add(key);
    this.characters += column.length;
    if (this.list.length >= MAX_WARNINGS || this.characters > MAX_NAME_CHARACTERS) {
      this.isTruncated = true;
      return;
    }
    const message = `stored as a text; to store a ${type}, say "types": { ${JSON.stringify(column)}: "${type}" }`;
    this.list.push({ record, column, message: truncateText(message) });
  }

  /** The members that an answer gets; none without a warning. */
  members(): { readonly warnings?: readonly FieldWarning[]; readonly warningsTruncated?: true } {
    const { list, isTruncated } = this;
    if (list.length === 0 && !isTruncated) return {};
    return { warnings: list, ...(isTruncated ? { warningsTruncated: true } : {}) };
  }
}
