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
import { locate, qualifiedRange, type RangeTarget, sheetFinder } from '../ranges.ts';
import {
  answerFor,
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
import type { OperationRange, ParsedOperation } from './operations.ts';
import { sheetNamesIn, tableNamesIn } from './sheet-mentions.ts';
import { sheetName } from './sheets.ts';
import {
  type CellUse,
  complete,
  type EngineOperation,
  LAST_ROW,
  mostSevere,
  movedLines,
  NO_AREA,
  type OperationJson,
  plainArea,
  type ScopedName,
  type ShownRows,
  scopedKey,
  storedAs,
  type TranslationMode,
  withMember,
} from './translated-operation.ts';

/** Translates operations one after another; each sees the sheets that the previous ones leave. */
export class Translator {
  /** Ids of copied sheets and of their originals. */
  readonly copies: { readonly from: number; readonly to: number }[] = [];
  private sheets: readonly SheetEntry[];
  private nextId: number;
  private readonly snapshot: Snapshot;
  private readonly access: DocumentAccess;
  private readonly hidden: Set<number>;
  private readonly locked: Set<number>;
  /** By scoped key. */
  private readonly names: Set<string>;
  /** The sheets of tables, by the key of the table's name. */
  private readonly tables: Map<string, number>;
  /** True for a dry run, whose response shows what the operations would change. */
  private readonly isTrial: boolean;
  /** The locale of typed formulas and replacement texts; null: the API's grammar. */
  private readonly locale: LocaleId | null;
  private readonly shown: ShownRows | null;

  constructor({ sheets, nextSheetId, snapshot }: Head, access: DocumentAccess, mode: TranslationMode) {
    const { isTrial, locale, shown } = mode;
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

  /** A copied sheet keeps the protection of its original. */
  protectCopies(): readonly Statement[] {
    if (this.copies.length === 0) return [];
    const { documentId } = this.access;
    return [
      ...this.copies.map(({ from, to }) => copyProtection({ document_id: documentId, from, to })),
      bumpAccessEpoch({}),
    ];
  }

  translate(operation: ParsedOperation, sent: OperationJson, index: number): EngineOperation | Refusal {
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
        return this.deleteTable(operation.name, sent);
    }
  }

  /** Ids of the sheets that an operation names: directly, by a table, or in a formula. */
  private mentioned(sent: OperationJson): readonly number[] {
    const sheets = [...sheetNamesIn(sent)].flatMap((name) => sheetNamed(this.sheets, name)?.id ?? []);
    const tables = [...tableNamesIn(sent)].flatMap((name) => this.tables.get(nameKey(name)) ?? []);
    return [...sheets, ...tables];
  }

  private find(name: string): SheetEntry | Refusal {
    const target = locate(sheetFinder(this.sheets), { sheet: name, isAmbiguous: false, area: NO_AREA });
    return isRefusal(target) ? target : target.sheet;
  }

  /** A sheet that the caller may change; with `reads`, only if the caller also sees its values. */
  private editable(name: string, { reads }: Pick<CellUse, 'reads'>): SheetEntry | Refusal {
    const sheet = this.find(name);
    return isRefusal(sheet) ? sheet : (this.closed(sheet.id, { reads, changes: true }) ?? sheet);
  }

  /** Cells that the caller may see or change. `field`: the member of the request that names them. */
  private target(range: OperationRange, uses: CellUse, field: string): RangeTarget<SheetEntry> | Refusal {
    const target = locate(sheetFinder(this.sheets), range);
    if (!isRefusal(target)) return this.closed(target.sheet.id, uses) ?? target;
    return target === INVALID_RANGE ? invalidRequest(field, answerFor(target).message ?? '') : target;
  }

  /** The refusal to use a sheet; null: allowed. */
  private closed(sheet: number, { reads, changes }: CellUse): Refusal | null {
    if (changes && this.locked.has(sheet)) return SHEET_PROTECTED;
    return (reads || this.isTrial) && this.hidden.has(sheet) ? VALUES_HIDDEN : null;
  }

  private lines(
    operation: Extract<ParsedOperation, { kind: 'insert' | 'delete' | 'move' }>,
    sent: OperationJson,
  ): EngineOperation | Refusal {
    // Moving hidden cells through a visible sum reveals their values, so the caller must be allowed to see them.
    const sheet = this.editable(operation.sheet, { reads: true });
    if (isRefusal(sheet)) return sheet;
    const { axis, at, count } = operation;
    const stored = storedAs(withMember(sent, 'count', count), sheet.id);
    const place = { sheet: sheet.id, axis, at, count };
    if (operation.kind !== 'move') return movedLines({ kind: operation.kind, ...place }, stored);
    const { to } = operation;
    if (to >= at && to <= at + count) return { edit: null, stored };
    return movedLines({ kind: 'reorder', ...place, to }, stored);
  }

  private cells(
    { kind, range, axis }: Extract<ParsedOperation, { kind: 'insertCells' | 'deleteCells' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
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
    return movedLines(move, storedAs(complete(sent, { range: target }), target.sheet.id));
  }

  private inRange(
    operation: Extract<ParsedOperation, { kind: 'sort' | 'replace' | 'removeDuplicates' }>,
    sent: OperationJson,
    at: string,
  ): EngineOperation | Refusal {
    const target = this.target(operation.range, { reads: true, changes: true }, `${at}.range`);
    if (isRefusal(target)) return target;
    const completedSent = complete(sent, { range: target });
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
    operation: Extract<ParsedOperation, { kind: 'copy' | 'cut' | 'fill' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
    const { kind } = operation;
    const from = this.target(operation.from, { reads: true, changes: kind === 'cut' }, `${place}.from`);
    const to = this.target(operation.to, { reads: kind !== 'copy', changes: true }, `${place}.to`);
    const refusal = mostSevere([from, to].filter(isRefusal));
    if (refusal !== null || isRefusal(from) || isRefusal(to)) return refusal ?? SHEET_PROTECTED;
    const stored = storedAs(complete(sent, { from, to }), from.sheet.id, to.sheet.id);
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
    return movedLines(
      { kind: 'carry', sheet: sheet.id, area: plainArea(area), toSheet: to.sheet.id, row, column },
      stored,
    );
  }

  /** The visible rows reveal values, so the caller must be allowed to see them to set a filter. */
  private filter(
    operation: Extract<ParsedOperation, { kind: 'setFilter' | 'filterColumn' | 'deleteFilter' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
    if (operation.kind === 'setFilter') {
      const target = this.target(operation.range, { reads: true, changes: true }, `${place}.range`);
      if (isRefusal(target)) return target;
      const { columns } = operation;
      const area = plainArea(target.area);
      const outside = columns.find(({ column }) => column < area.left || column > area.right);
      if (outside !== undefined) {
        return invalidRequest(`${place}.columns.${columnName(outside.column)}`, 'columns must lie in the range');
      }
      const edit: Edit = { kind: 'setFilter', sheet: target.sheet.id, filter: { area, columns } };
      return { edit, stored: storedAs(complete(sent, { range: target }), target.sheet.id) };
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
    { sheet: name, name: wanted }: Extract<ParsedOperation, { kind: 'duplicateSheet' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
    const from = this.find(name);
    const checked = wanted === null ? null : sheetName(wanted, `${place}.name`);
    if (isRefusal(checked)) return checked;
    if (isRefusal(from)) return from;
    if (this.hidden.has(from.id)) return VALUES_HIDDEN;
    const copy = checked ?? this.freeName(from.name);
    if (this.sheets.some((held) => nameKey(held.name) === nameKey(copy))) {
      return invalidRequest(`${place}.name`, answerFor(SHEET_NAME_TAKEN).message ?? '');
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
    operation: Extract<ParsedOperation, { kind: 'moveSheet' | 'colorSheet' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
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
    { kind, name, range }: Extract<ParsedOperation, { kind: 'setTable' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
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
      edit: { kind, name, sheet: target.sheet.id, area: plainArea(target.area) },
      stored: storedAs(complete(sent, { range: target }), target.sheet.id, ...(held === undefined ? [] : [held])),
    };
  }

  private deleteTable(name: string, sent: OperationJson): EngineOperation | Refusal {
    const key = nameKey(name);
    const sheet = this.tables.get(key);
    if (sheet === undefined) return TABLE_NOT_FOUND;
    const refusal = this.closed(sheet, { reads: false, changes: true });
    if (refusal !== null) return refusal;
    this.tables.delete(key);
    return { edit: { kind: 'deleteTable', name }, stored: storedAs(sent, sheet) };
  }

  private defineName(
    operation: Extract<ParsedOperation, { kind: 'setName' | 'deleteName' }>,
    sent: OperationJson,
    place: string,
  ): EngineOperation | Refusal {
    const named = this.scoped(operation.name);
    if (isRefusal(named)) return named;
    const { name, scope, publishedName } = named;
    const key = scopedKey(name, scope?.id);
    if (operation.kind === 'deleteName') {
      // The copy of a sheet also has copies of names, which only the engine knows.
      const isOfCopy = this.copies.some(({ to }) => to === scope?.id);
      if (!this.names.delete(key) && !isOfCopy) return NAME_NOT_FOUND;
      const completedSent = withMember(sent, 'name', publishedName);
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
    const completedSent = withMember(sent, 'name', publishedName);
    const read = sheetsReadBy(refersTo, this.locale, this.snapshot);
    return { edit, stored: storedAs(completedSent, ...read, ...this.mentioned(completedSent)) };
  }

  /** A name in a request: `Sheet!name` belongs to a sheet, which must not be locked. */
  private scoped(sent: string): ScopedName | Refusal {
    const parts = sent.includes('!') ? splitSheetPrefix(sent) : null;
    if (parts === null || parts.sheet === null || parts.rest === '')
      return { name: sent, scope: null, publishedName: sent };
    const scope = this.editable(parts.sheet, { reads: false });
    return isRefusal(scope)
      ? scope
      : { name: parts.rest, scope, publishedName: qualifiedRange(scope.name, parts.rest) };
  }
}
