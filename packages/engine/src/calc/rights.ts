/** Which users may read hidden sheets. Plain data: it goes to other threads with the batch. */
export interface Rights {
  /** The owner of the document, who may read all of it. */
  readonly owner: number;
  readonly hidden: readonly HiddenSheet[];
}

interface HiddenSheet {
  readonly sheet: number;
  /** Ids of the users who may read the values of the hidden sheet. */
  readonly seenBy: readonly number[];
}

/** Ids of sheets whose values a user may not read; never empty. */
export type ClosedSheets = ReadonlySet<number>;

/** The rights for the calculation of formulas, by writer. */
export class ReadingRights {
  /** The sheets that are hidden from at least one user. */
  readonly hidden: ClosedSheets;
  private readonly rights: Rights;
  private readonly byWriter = new Map<number, ClosedSheets | null>();

  constructor(rights: Rights) {
    this.rights = rights;
    this.hidden = new Set(rights.hidden.map(({ sheet }) => sheet));
  }

  /** The sheets that a writer's formulas may not read; null if they may read all. `writer`: null for the owner. */
  getClosedSheets(writer: number | null): ClosedSheets | null {
    if (writer === null || writer === this.rights.owner) return null;
    const cached = this.byWriter.get(writer);
    if (cached !== undefined) return cached;
    const sheets = this.rights.hidden.filter(({ seenBy }) => !seenBy.includes(writer)).map(({ sheet }) => sheet);
    const closed = sheets.length === 0 ? null : new Set(sheets);
    this.byWriter.set(writer, closed);
    return closed;
  }
}

/** The reading rights to check; null if no sheet is hidden and no check is needed. */
export function createReadingRights(rights: Rights | undefined): ReadingRights | null {
  return rights === undefined || rights.hidden.length === 0 ? null : new ReadingRights(rights);
}
