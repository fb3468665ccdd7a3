/** Who sees sheets whose values are hidden. Plain data: it goes to other threads with the batch. */
export interface Rights {
  /** The user who owns the document and sees all of it. */
  readonly owner: number;
  readonly hidden: readonly HiddenSheet[];
}

export interface HiddenSheet {
  readonly sheet: number;
  /** The users who see its values all the same. */
  readonly seenBy: readonly number[];
}

/** Sheets by id whose values somebody may not see; never empty. */
export type ClosedSheets = ReadonlySet<number>;

/** The rights that formulas are calculated with, by writer. */
export class ReadingRights {
  /** The sheets that are hidden from anybody. */
  readonly hidden: ClosedSheets;
  private readonly rights: Rights;
  private readonly byWriter = new Map<number, ClosedSheets | null>();

  constructor(rights: Rights) {
    this.rights = rights;
    this.hidden = new Set(rights.hidden.map(({ sheet }) => sheet));
  }

  /** The sheets that a writer's formulas may not read (null: the owner's); null where they may read all. */
  closedTo(writer: number | null): ClosedSheets | null {
    if (writer === null || writer === this.rights.owner) return null;
    const known = this.byWriter.get(writer);
    if (known !== undefined) return known;
    const sheets = this.rights.hidden.filter(({ seenBy }) => !seenBy.includes(writer)).map(({ sheet }) => sheet);
    const closed = sheets.length === 0 ? null : new Set(sheets);
    this.byWriter.set(writer, closed);
    return closed;
  }
}

/** Null where nothing is hidden from anybody: then nothing has to be looked at. */
export function readingRights(rights: Rights | undefined): ReadingRights | null {
  return rights === undefined || rights.hidden.length === 0 ? null : new ReadingRights(rights);
}
