import { MAX_WARNINGS } from '../../limits/http.ts';
import { truncateText } from '../refusal.ts';

/** Warns of a field that is stored as text although it looks like another type. */
export interface FieldWarning {
  /** Zero-based index of the record in the request. */
  readonly record: number;
  /** The column's name. */
  readonly column: string;
  readonly message: string;
}

/** Maximum characters of column names in the warnings of one response. */
const MAX_NAME_CHARACTERS = 100_000;

/** Collects the warnings of a response, up to its limit. */
export class FieldWarnings {
  private readonly list: FieldWarning[] = [];
  private characters = 0;
  private isTruncated = false;
  /** Columns with a warning. A record that changes several rows gets one warning for each column. */
  private readonly known = new Set<string>();

  addWarning(record: number, column: string, type: string): void {
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

  /** The members of the response; empty without warnings. */
  toReplyMembers(): { readonly warnings?: readonly FieldWarning[]; readonly warningsTruncated?: true } {
    const { list, isTruncated } = this;
    if (list.length === 0 && !isTruncated) return {};
    return { warnings: list, ...(isTruncated ? { warningsTruncated: true } : {}) };
  }
}
