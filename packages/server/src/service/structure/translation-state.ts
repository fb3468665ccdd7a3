import { findSheetByName, nameKey, splitSheetPrefix } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { copyProtection } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import type { ProposalHead, SheetEntry } from '../../documents/types.ts';
import { MAX_SHEET_NAME_LENGTH } from '../../limits/requests.ts';
import { createSheetFinder, formatQualifiedRange, locateRange, type RangeTarget } from '../ranges.ts';
import {
  INVALID_RANGE,
  invalidRequest,
  isRefusal,
  type Refusal,
  SHEET_PROTECTED,
  toHttpAnswer,
  VALUES_HIDDEN,
} from '../refusal.ts';
import type { OperationRange } from './operation-members.ts';
import { listSheetNames, listTableNames } from './sheet-mentions.ts';
import { type CellUse, formatScopedKey, NO_AREA, type OperationJson, type ScopedName } from './translated-operation.ts';

/**
 * The sheets, names and tables that the operations translated so far leave in a document, and how the caller may use
 * them.
 */
export class TranslationState {
  /** Names by scoped key. */
  readonly names: Set<string>;
  /** The sheets of tables, by the key of the table's name. */
  readonly tables: Map<string, number>;
  /** Ids of copied sheets and of their originals. */
  private readonly copies: { readonly from: number; readonly to: number }[] = [];
  private sheets: readonly SheetEntry[];
  private nextId: number;
  private readonly documentId: string;
  private readonly hidden: ReadonlySet<number>;
  private readonly locked: Set<number>;
  /** True for a dry run, whose response shows what the operations would change. */
  private readonly isTrial: boolean;

  constructor({ sheets, nextSheetId, snapshot }: ProposalHead, access: DocumentAccess, isTrial: boolean) {
    this.names = new Set(snapshot.names.map(({ name, sheet }) => formatScopedKey(name, sheet)));
    this.tables = new Map(snapshot.tables.map(({ name, sheet }) => [nameKey(name), sheet]));
    this.sheets = sheets;
    this.nextId = nextSheetId;
    this.documentId = access.documentId;
    this.hidden = access.hiddenSheets;
    this.locked = new Set(access.lockedSheets);
    this.isTrial = isTrial;
  }

  /** Statements that give copied sheets the protection of their originals. */
  protectCopies(): readonly Statement[] {
    if (this.copies.length === 0) return [];
    return [
      ...this.copies.map(({ from, to }) => copyProtection({ document_id: this.documentId, from, to })),
      bumpAccessEpoch({}),
    ];
  }

  get sheetCount(): number {
    return this.sheets.length;
  }

  /** Adds the copy of a sheet and returns its id. */
  addCopy(from: SheetEntry, name: string): number {
    const id = this.nextId++;
    this.sheets = [...this.sheets, { ...from, id, name, hidden: false }];
    if (this.locked.has(from.id)) this.locked.add(id);
    this.copies.push({ from: from.id, to: id });
    return id;
  }

  /** True if an operation of the request created the sheet as a copy of another. */
  isCopy(sheet: number): boolean {
    return this.copies.some(({ to }) => to === sheet);
  }

  /** Moves a sheet to a zero-based position. */
  moveSheet(sheet: SheetEntry, order: number): void {
    this.sheets = this.sheets.filter((other) => other !== sheet).toSpliced(order, 0, sheet);
  }

  /** True if a sheet has the name in any letter case. */
  isSheetNameTaken(name: string): boolean {
    return this.sheets.some((sheet) => nameKey(sheet.name) === nameKey(name));
  }

  /** The name of a sheet's copy: the sheet's name with the first free number from 2. */
  findFreeSheetName(name: string): string {
    const names = new Set(this.sheets.map((sheet) => nameKey(sheet.name)));
    for (let n = 2; ; n++) {
      const tail = ` ${n}`;
      const free = [...name].slice(0, MAX_SHEET_NAME_LENGTH - tail.length).join('') + tail;
      if (!names.has(nameKey(free))) return free;
    }
  }

  /** The sheet with a name; a refusal if there is none. */
  findSheet(name: string): SheetEntry | Refusal {
    const target = locateRange(createSheetFinder(this.sheets), { sheet: name, isAmbiguous: false, area: NO_AREA });
    return isRefusal(target) ? target : target.sheet;
  }

  /** A sheet that the caller may change; with `reads`, only if the caller also sees its values. */
  findEditableSheet(name: string, { reads }: Pick<CellUse, 'reads'>): SheetEntry | Refusal {
    const sheet = this.findSheet(name);
    return isRefusal(sheet) ? sheet : (this.checkSheetUse(sheet.id, { reads, changes: true }) ?? sheet);
  }

  /** Cells that the caller may see or change. `field`: the member of the request that names them. */
  findRange(range: OperationRange, uses: CellUse, field: string): RangeTarget<SheetEntry> | Refusal {
    const target = locateRange(createSheetFinder(this.sheets), range);
    if (!isRefusal(target)) return this.checkSheetUse(target.sheet.id, uses) ?? target;
    return target === INVALID_RANGE ? invalidRequest(field, toHttpAnswer(target).message ?? '') : target;
  }

  /** The refusal to use a sheet; null: allowed. */
  checkSheetUse(sheet: number, { reads, changes }: CellUse): Refusal | null {
    if (changes && this.locked.has(sheet)) return SHEET_PROTECTED;
    return (reads || this.isTrial) && this.hidden.has(sheet) ? VALUES_HIDDEN : null;
  }

  /** Ids of the sheets that an operation names: directly, by a table, or in a formula. */
  listMentionedSheets(json: OperationJson): readonly number[] {
    const sheets = [...listSheetNames(json)].flatMap((name) => findSheetByName(this.sheets, name)?.id ?? []);
    const tables = [...listTableNames(json)].flatMap((name) => this.tables.get(nameKey(name)) ?? []);
    return [...sheets, ...tables];
  }

  /** A name in a request: `Sheet!name` belongs to a sheet, which must not be locked. */
  resolveName(nameText: string): ScopedName | Refusal {
    const parts = nameText.includes('!') ? splitSheetPrefix(nameText) : null;
    if (parts === null || parts.sheet === null || parts.rest === '')
      return { name: nameText, scope: null, publishedName: nameText };
    const scope = this.findEditableSheet(parts.sheet, { reads: false });
    return isRefusal(scope)
      ? scope
      : { name: parts.rest, scope, publishedName: formatQualifiedRange(scope.name, parts.rest) };
  }
}
