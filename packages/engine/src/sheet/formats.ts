/** The id of the General format. */
export const GENERAL = 0;

/** Number formats a document may have; ids are 16 bits in the columns. */
export const MAX_FORMATS = 60_000;

/** One number format: its code, and whether a formula's operands gave it (then each recalculation may change it). */
export interface NumberFormat {
  readonly code: string;
  readonly inferred: boolean;
}

/** The number formats of a document by id, shared by its snapshots: it changes as `Snapshot` says. */
export class FormatTable {
  private readonly formats: NumberFormat[] = [{ code: 'General', inferred: false }];
  private readonly ids = new Map<string, number>([['General', GENERAL]]);

  get size(): number {
    return this.formats.length;
  }

  get(id: number): NumberFormat {
    return this.formats[id] as NumberFormat;
  }

  code(id: number): string {
    return (this.formats[id] as NumberFormat).code;
  }

  /** Adds a format that the table does not have, as the one after the last. */
  append({ code, inferred }: NumberFormat): number {
    const id = this.formats.push({ code, inferred }) - 1;
    this.ids.set(inferred ? `=${code}` : code, id);
    return id;
  }

  /** The id of a format, made when new. A document that has too many gets General. */
  idOf(code: string, inferred = false): number {
    if (code === 'General' || code === '') return GENERAL;
    const key = inferred ? `=${code}` : code;
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    if (this.formats.length >= MAX_FORMATS) return GENERAL;
    return this.append({ code, inferred });
  }
}
