import {
  columnName,
  type Edit,
  type LocaleId,
  MAX_COLUMNS,
  type Move,
  nameKey,
  nameProblem,
  refersToProblem,
  type Snapshot,
  sheetNamed,
  sheetsReadBy,
  splitSheetPrefix,
} from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { copyProtection } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import type { Head, SheetEntry } from '../../documents/types.ts';
import { MAX_SHEET_NAME_LENGTH } from '../../limits/requests.ts';
import { locate, sheetFinder, type Target, withSheet } from '../ranges.ts';
import {
  answerTo,
  INVALID_RANGE,
  invalidRequest,
  isRefusal,
  NAME_NOT_FOUND,
  type Refusal,
  SHEET_NAME_TAKEN,
  SHEET_PROTECTED,
  TABLE_NOT_FOUND,
  VALUES_HIDDEN,
} from '../refusal.ts';
import type { Operation, RangeText } from './operations.ts';
import { sheetNamesIn, tableNamesIn } from './sheet-mentions.ts';
import { sheetName } from './sheets.ts';
import {
  completed,
  gravest,
  LAST_ROW,
  type Manner,
  moving,
  NO_AREA,
  plain,
  type ScopedName,
  type Sent,
  type ShownRows,
  scopedKey,
  storedAs,
  type Translated,
  type Uses,
  withMember,
} from './translated-operation.ts';

/** Plans operations one after the other, on the sheets that those before leave. */
export class Translator {
  /** Sheets that were copied, by id, with what they were copied from. */
  readonly copies: { readonly from: number; readonly to: number }[] = [];
  private sheets: readonly SheetEntry[];
  private nextId: number;
  private readonly snapshot: Snapshot;
  private readonly access: DocumentAccess;
  private readonly hidden: Set<number>;
  private readonly locked: Set<number>;
  /** By their scoped keys. */
  private readonly names: Set<string>;
  /** The sheets of tables, by the key of their names. */
  private readonly tables: Map<string, number>;
  /** Whether the answer tells what the operations would change. */
  private readonly isTrial: boolean;
  /** By whose habits formulas and what is replaced are typed; null: by the API's grammar. */
  private readonly locale: LocaleId | null;
  private readonly shown: ShownRows | null;

  constructor({ sheets, nextSheetId, snapshot }: Head, access: DocumentAccess, { isTrial, locale, shown }: Manner) {
    this.shown = shown;
    this.snapshot = snapshot;
    this.isTrial = isTrial;
    this.locale = locale;
    this.names = new Set(snapshot.names.map(({ name, sheet }) => scopedKey(name, sheet)));
    this.tables = new Map(snapshot.tables.map(({ name, sheet }) => [nameKey(name), sheet]));
    this.sheets = sheets;
    this.nextId = nextSheetId;
    this.access = access;
    this.hidden = new Set(access.hiddenSheets);
    this.locked = new Set(access.lockedSheets);
  }

  /** A copy has the protection of its sheet. */
  protectCopies(): readonly Statement[] {
    if (this.copies.length === 0) return [];
    const { documentId } = this.access;
    return [
      ...this.copies.map(({ from, to }) => copyProtection({ document_id: documentId, from, to })),
      bumpAccessEpoch({}),
    ];
  }

  translate(operation: Operation, sent: Sent, index: number): Translated | Refusal {
    const place = `operations.${index}`;
    switch (operation.kind) {
      case 'insert':
      case 'delete':
      case 'move':
        return this.lines(operation, sent);
      case 'insertCells':
      case 'deleteCells':
        return this.cells(operation, sent, place);
      case 'sort':
      case 'replace':
      case 'removeDuplicates':
        return this.inRange(operation, sent, place);
      case 'copy':
      case 'cut':
      case 'fill':
        return this.carrying(operation, sent, place);
      case 'setFilter':
      case 'filterColumn':
      case 'deleteFilter':
        return this.filter(operation, sent, place);
      case 'duplicateSheet':
        return this.duplicate(operation, sent, place);
      case 'moveSheet':
      case 'colorSheet':
        return this.sheetLook(operation, sent, place);
      case 'setTable':
        return this.setTable(operation, sent, place);
      case 'setName':
      case 'deleteName':
        return this.defineName(operation, sent, place);
      case 'deleteTable':
        return this.deleteTable(operation, sent);
    }
  }

  /** Ids of the sheets that an operation names, in a text that it enters or looks for, too; directly or by a table. */
  private mentioned(sent: Sent): readonly number[] {
    const sheets = [...sheetNamesIn(sent)].flatMap((name) => sheetNamed(this.sheets, name)?.id ?? []);
    const tables = [...tableNamesIn(sent)].flatMap((name) => this.tables.get(nameKey(name)) ?? []);
    return [...sheets, ...tables];
  }

  private find(name: string): SheetEntry | Refusal {
    const target = locate(sheetFinder(this.sheets), { sheet: name, doubtful: false, area: NO_AREA });
    return isRefusal(target) ? target : target.sheet;
  }

  /** A sheet that the caller may change; with `reads`, only if the caller sees its values, too. */
  private editable(name: string, { reads }: Pick<Uses, 'reads'>): SheetEntry | Refusal {
    const sheet = this.find(name);
    return isRefusal(sheet) ? sheet : (this.closed(sheet.id, { reads, changes: true }) ?? sheet);
  }

  /** Cells that the caller may see or change. `field`: where the request names them. */
  private target(range: RangeText, uses: Uses, field: string): Target<SheetEntry> | Refusal {
    const target = locate(sheetFinder(this.sheets), range);
    if (!isRefusal(target)) return this.closed(target.sheet.id, uses) ?? target;
    return target === INVALID_RANGE ? invalidRequest(field, answerTo(target).message ?? '') : target;
  }

  /** Why an operation may not use a sheet; null: it may. */
  private closed(sheet: number, { reads, changes }: Uses): Refusal | null {
    if (changes && this.locked.has(sheet)) return SHEET_PROTECTED;
    return (reads || this.isTrial) && this.hidden.has(sheet) ? VALUES_HIDDEN : null;
  }

  private lines(
    operation: Extract<Operation, { kind: 'insert' | 'delete' | 'move' }>,
    sent: Sent,
  ): Translated | Refusal {
    // A visible sum over hidden cells tells them one by one as they move, so only those who see them may move them.
    const sheet = this.editable(operation.sheet, { reads: true });
    if (isRefusal(sheet)) return sheet;
    const { axis, at, count } = operation;
    const stored = storedAs(withMember(sent, 'count', count), sheet.id);
    const place = { sheet: sheet.id, axis, at, count };
    if (operation.kind !== 'move') return moving({ kind: operation.kind, ...place }, stored);
    const { to } = operation;
    if (to >= at && to <= at + count) return { edit: null, stored };
    return moving({ kind: 'reorder', ...place, to }, stored);
  }

  private cells(
    { kind, range, axis }: Extract<Operation, { kind: 'insertCells' | 'deleteCells' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    const target = this.target(range, { reads: true, changes: true }, `${place}.range`);
    if (isRefusal(target)) return target;
    const { top, left, bottom, right } = target.area;
    const isRows = axis === 'rows';
    const [at, count] = isRows ? [top, bottom - top + 1] : [left, right - left + 1];
    const across = isRows ? { first: left, last: right } : { first: top, last: bottom };
    const move: Move = {
      kind: kind === 'insertCells' ? 'insert' : 'delete',
      sheet: target.sheet.id,
      axis,
      at,
      count,
      across,
    };
    return moving(move, storedAs(completed(sent, { range: target }), target.sheet.id));
  }

  private inRange(
    operation: Extract<Operation, { kind: 'sort' | 'replace' | 'removeDuplicates' }>,
    sent: Sent,
    at: string,
  ): Translated | Refusal {
    const target = this.target(operation.range, { reads: true, changes: true }, `${at}.range`);
    if (isRefusal(target)) return target;
    const completedSent = completed(sent, { range: target });
    const stored = storedAs(completedSent, target.sheet.id, ...this.mentioned(completedSent));
    const { range: _range, ...rest } = operation;
    const place = { sheet: target.sheet.id, area: target.area };
    if (rest.kind === 'replace') return { edit: { ...rest, ...place, locale: this.locale }, stored };
    if (rest.kind === 'sort') {
      const { kind, by } = rest;
      const rows = this.shown?.stretches ?? null;
      return { edit: { kind, by, ...place, ...(rows !== null && { rows }) }, stored };
    }
    const { left, right } = target.area;
    const columns =
      rest.columns ?? Array.from({ length: Math.min(right, MAX_COLUMNS - 1) - left + 1 }, (_, i) => left + i);
    return { edit: { ...rest, ...place, columns }, stored };
  }

  private carrying(
    operation: Extract<Operation, { kind: 'copy' | 'cut' | 'fill' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    const { kind } = operation;
    const from = this.target(operation.from, { reads: true, changes: kind === 'cut' }, `${place}.from`);
    const to = this.target(operation.to, { reads: kind !== 'copy', changes: true }, `${place}.to`);
    const refusal = gravest([from, to].filter(isRefusal));
    if (refusal !== null || isRefusal(from) || isRefusal(to)) return refusal ?? SHEET_PROTECTED;
    const stored = storedAs(completed(sent, { from, to }), from.sheet.id, to.sheet.id);
    const { sheet, area } = from;
    if (kind === 'fill') {
      if (to.sheet.id !== sheet.id) return invalidRequest(`${place}.to`, 'to must be on the same sheet as from');
      return { edit: { kind, sheet: sheet.id, area, to: to.area }, stored };
    }
    const { top: row, left: column } = to.area;
    const goesOff = row + area.bottom - area.top > LAST_ROW || column + area.right - area.left >= MAX_COLUMNS;
    if (goesOff && !(area.openRows || area.openColumns)) return invalidRequest(`${place}.to`, 'Invalid range');
    if (goesOff)
      return invalidRequest(`${place}.from`, 'from must name its last row and column, or start where to does');
    if (kind === 'copy') return { edit: { kind, sheet: sheet.id, area, toSheet: to.sheet.id, row, column }, stored };
    if (sheet.id === to.sheet.id && row === area.top && column === area.left) return { edit: null, stored };
    return moving({ kind: 'carry', sheet: sheet.id, area: plain(area), toSheet: to.sheet.id, row, column }, stored);
  }

  /** Which rows are shown tells of the values, so only those who see them may set the filter. */
  private filter(
    operation: Extract<Operation, { kind: 'setFilter' | 'filterColumn' | 'deleteFilter' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    if (operation.kind === 'setFilter') {
      const target = this.target(operation.range, { reads: true, changes: true }, `${place}.range`);
      if (isRefusal(target)) return target;
      const { columns } = operation;
      const area = plain(target.area);
      const outside = columns.find(({ column }) => column < area.left || column > area.right);
      if (outside !== undefined) {
        return invalidRequest(`${place}.columns.${columnName(outside.column)}`, 'columns must lie in the range');
      }
      const edit: Edit = { kind: 'setFilter', sheet: target.sheet.id, filter: { area, columns } };
      return { edit, stored: storedAs(completed(sent, { range: target }), target.sheet.id) };
    }
    const sheet = this.editable(operation.sheet, { reads: true });
    if (isRefusal(sheet)) return sheet;
    const stored = storedAs(sent, sheet.id);
    if (operation.kind === 'deleteFilter')
      return { edit: { kind: 'setFilter', sheet: sheet.id, filter: null }, stored };
    const { column, condition } = operation;
    return { edit: { kind: 'filterColumn', sheet: sheet.id, column, condition }, stored };
  }

  private duplicate(
    { sheet: name, name: wanted }: Extract<Operation, { kind: 'duplicateSheet' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    const from = this.find(name);
    const checked = wanted === null ? null : sheetName(wanted, `${place}.name`);
    if (isRefusal(checked)) return checked;
    if (isRefusal(from)) return from;
    if (this.hidden.has(from.id)) return VALUES_HIDDEN;
    const copy = checked ?? this.freeName(from.name);
    if (this.sheets.some((held) => nameKey(held.name) === nameKey(copy))) {
      return invalidRequest(`${place}.name`, answerTo(SHEET_NAME_TAKEN).message ?? '');
    }
    const id = this.nextId++;
    this.sheets = [...this.sheets, { ...from, id, name: copy, hidden: false }];
    if (this.locked.has(from.id)) this.locked.add(id);
    this.copies.push({ from: from.id, to: id });
    const stored = storedAs(withMember(sent, 'name', copy), from.id, id);
    return { edit: { kind: 'duplicateSheet', sheet: from.id, name: copy }, stored };
  }

  private freeName(name: string): string {
    const taken = new Set(this.sheets.map((sheet) => nameKey(sheet.name)));
    for (let n = 2; ; n++) {
      const tail = ` ${n}`;
      const free = [...name].slice(0, MAX_SHEET_NAME_LENGTH - tail.length).join('') + tail;
      if (!taken.has(nameKey(free))) return free;
    }
  }

  private sheetLook(
    operation: Extract<Operation, { kind: 'moveSheet' | 'colorSheet' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    if (operation.kind === 'moveSheet' && operation.order >= this.sheets.length) {
      return invalidRequest(`${place}.order`, `order must be from 0 to ${this.sheets.length - 1}`);
    }
    // Moving a sheet moves all of its cells into or out of references to several sheets (`First:Last!A1`).
    const sheet = this.editable(operation.sheet, { reads: operation.kind === 'moveSheet' });
    if (isRefusal(sheet)) return sheet;
    const stored = storedAs(sent, sheet.id);
    if (operation.kind === 'colorSheet') return { edit: { ...operation, sheet: sheet.id }, stored };
    this.sheets = this.sheets.filter((held) => held !== sheet).toSpliced(operation.order, 0, sheet);
    return { edit: { ...operation, sheet: sheet.id }, stored };
  }

  private setTable(
    { kind, name, range }: Extract<Operation, { kind: 'setTable' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    const key = nameKey(name);
    const problem =
      nameProblem(name) ?? (this.names.has(scopedKey(name, undefined)) ? 'a defined name is called so' : null);
    if (problem !== null) return invalidRequest(`${place}.name`, problem);
    const target = this.target(range, { reads: true, changes: true }, `${place}.range`);
    if (isRefusal(target)) return target;
    const held = this.tables.get(key);
    const refusal = held === undefined ? null : this.closed(held, { reads: false, changes: true });
    if (refusal !== null) return refusal;
    this.tables.set(key, target.sheet.id);
    return {
      edit: { kind, name, sheet: target.sheet.id, area: plain(target.area) },
      stored: storedAs(completed(sent, { range: target }), target.sheet.id, ...(held === undefined ? [] : [held])),
    };
  }

  private deleteTable(operation: Extract<Operation, { kind: 'deleteTable' }>, sent: Sent): Translated | Refusal {
    const key = nameKey(operation.name);
    const sheet = this.tables.get(key);
    if (sheet === undefined) return TABLE_NOT_FOUND;
    const refusal = this.closed(sheet, { reads: false, changes: true });
    if (refusal !== null) return refusal;
    this.tables.delete(key);
    return { edit: { kind: 'deleteTable', name: operation.name }, stored: storedAs(sent, sheet) };
  }

  private defineName(
    operation: Extract<Operation, { kind: 'setName' | 'deleteName' }>,
    sent: Sent,
    place: string,
  ): Translated | Refusal {
    const named = this.scoped(operation.name);
    if (isRefusal(named)) return named;
    const { name, scope, told } = named;
    const key = scopedKey(name, scope?.id);
    if (operation.kind === 'deleteName') {
      // The copy of a sheet has copies of names: which ones, the engine finds out.
      const isOfCopy = this.copies.some(({ to }) => to === scope?.id);
      if (!this.names.delete(key) && !isOfCopy) return NAME_NOT_FOUND;
      const completedSent = withMember(sent, 'name', told);
      return {
        edit: { kind: 'deleteName', name, ...(scope && { scope: scope.id }) },
        stored: storedAs(completedSent, ...this.mentioned(completedSent)),
      };
    }
    const problem = nameProblem(name) ?? (this.tables.has(nameKey(name)) ? 'a table has that name' : null);
    if (problem !== null) return invalidRequest(`${place}.name`, problem);
    const mistake = refersToProblem(operation.refersTo, this.locale);
    if (mistake !== null) return invalidRequest(`${place}.refersTo`, mistake);
    this.names.add(key);
    const { refersTo } = operation;
    const edit: Edit = { kind: 'setName', name, refersTo, locale: this.locale, ...(scope && { scope: scope.id }) };
    const completedSent = withMember(sent, 'name', told);
    const read = sheetsReadBy(refersTo, this.locale, this.snapshot);
    return { edit, stored: storedAs(completedSent, ...read, ...this.mentioned(completedSent)) };
  }

  /** A name as it was sent: `Sheet!name` belongs to a sheet, which must not be locked. */
  private scoped(sent: string): ScopedName | Refusal {
    const parts = sent.includes('!') ? splitSheetPrefix(sent) : null;
    if (parts === null || parts.sheet === null || parts.rest === '') return { name: sent, scope: null, told: sent };
    const scope = this.editable(parts.sheet, { reads: false });
    return isRefusal(scope) ? scope : { name: parts.rest, scope, told: withSheet(scope.name, parts.rest) };
  }
}
