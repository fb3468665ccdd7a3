import {
  columnName,
  type Edit,
  type LocaleId,
  listReadSheets,
  MAX_COLUMNS,
  type Move,
  nameKey,
  nameProblem,
  refersToProblem,
  type Snapshot,
} from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { ProposalHead } from '../../documents/types.ts';
import {
  findMostSevere,
  invalidRequest,
  isRefusal,
  NAME_NOT_FOUND,
  type Refusal,
  SHEET_NAME_TAKEN,
  SHEET_PROTECTED,
  TABLE_NOT_FOUND,
  toHttpAnswer,
} from '../refusal.ts';
import type { ParsedOperation } from './operations.ts';
import { parseSheetName } from './sheets.ts';
import {
  completeRanges,
  createMoveOperation,
  type EngineOperation,
  formatScopedKey,
  LAST_ROW,
  type OperationJson,
  replaceMember,
  type ShownRows,
  type TranslationMode,
  toPlainArea,
  toStoredOperation,
} from './translated-operation.ts';
import { TranslationState } from './translation-state.ts';

/** Translates operations one after another; each sees the sheets that the previous ones leave. */
export class Translator {
  readonly state: TranslationState;
  private readonly snapshot: Snapshot;
  /** The locale of typed formulas and replacement texts; null: the API's grammar. */
  private readonly locale: LocaleId | null;
  private readonly shown: ShownRows | null;

  constructor(head: ProposalHead, access: DocumentAccess, { isTrial, locale, shown }: TranslationMode) {
    this.state = new TranslationState(head, access, isTrial);
    this.snapshot = head.snapshot;
    this.locale = locale;
    this.shown = shown;
  }

  /** The engine's edit for an operation and what the log stores; refused if the caller may not perform it. */
  translateOperation(operation: ParsedOperation, json: OperationJson, index: number): EngineOperation | Refusal {
    const place = `operations.${index}`;
    switch (operation.kind) {
      case 'insert':
      case 'delete':
      case 'move':
        return this.translateLines(operation, json);
      case 'insertCells':
      case 'deleteCells':
        return this.translateCells(operation, json, place);
      case 'sort':
      case 'replace':
      case 'removeDuplicates':
        return this.translateRange(operation, json, place);
      case 'copy':
      case 'cut':
      case 'fill':
        return this.translateTransfer(operation, json, place);
      case 'setFilter':
      case 'filterColumn':
      case 'deleteFilter':
        return this.translateFilter(operation, json, place);
      case 'duplicateSheet':
        return this.duplicateSheet(operation, json, place);
      case 'moveSheet':
      case 'colorSheet':
        return this.translateSheetArrangement(operation, json, place);
      case 'setTable':
        return this.setTable(operation, json, place);
      case 'setName':
      case 'deleteName':
        return this.translateName(operation, json, place);
      case 'deleteTable':
        return this.deleteTable(operation.name, json);
    }
  }

  /** Inserts, deletes or moves whole rows or columns. */
  private translateLines(
    operation: Extract<ParsedOperation, { kind: 'insert' | 'delete' | 'move' }>,
    json: OperationJson,
  ): EngineOperation | Refusal {
    // Moving hidden cells through a visible sum reveals their values, so the caller must be allowed to see them.
    const sheet = this.state.findEditableSheet(operation.sheet, { reads: true });
    if (isRefusal(sheet)) return sheet;
    const { axis, at, count } = operation;
    const stored = toStoredOperation(replaceMember(json, 'count', count), sheet.id);
    const place = { sheet: sheet.id, axis, at, count };
    if (operation.kind !== 'move') return createMoveOperation({ kind: operation.kind, ...place }, stored);
    const { to } = operation;
    if (to >= at && to <= at + count) return { edit: null, stored };
    return createMoveOperation({ kind: 'reorder', ...place, to }, stored);
  }

  /** Inserts or deletes cells and shifts the cells beside or below them. */
  private translateCells(
    { kind, range, axis }: Extract<ParsedOperation, { kind: 'insertCells' | 'deleteCells' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    const target = this.state.findRange(range, { reads: true, changes: true }, `${path}.range`);
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
    return createMoveOperation(move, toStoredOperation(completeRanges(json, { range: target }), target.sheet.id));
  }

  /** Sorts a range, replaces text in it, or removes its duplicate rows. */
  private translateRange(
    operation: Extract<ParsedOperation, { kind: 'sort' | 'replace' | 'removeDuplicates' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    const target = this.state.findRange(operation.range, { reads: true, changes: true }, `${path}.range`);
    if (isRefusal(target)) return target;
    const completedSent = completeRanges(json, { range: target });
    const stored = toStoredOperation(completedSent, target.sheet.id, ...this.state.listMentionedSheets(completedSent));
    const { range: _range, ...rest } = operation;
    const place = { sheet: target.sheet.id, area: target.area };
    if (rest.kind === 'replace') return { edit: { ...rest, ...place, locale: this.locale }, stored };
    if (rest.kind === 'sort') {
      const { kind, by } = rest;
      const rows = this.shown?.rows ?? null;
      return { edit: { kind, by, ...place, ...(rows !== null && { rows }) }, stored };
    }
    const { left, right } = target.area;
    const columns =
      rest.columns ?? Array.from({ length: Math.min(right, MAX_COLUMNS - 1) - left + 1 }, (_, i) => left + i);
    return { edit: { ...rest, ...place, columns }, stored };
  }

  /** Copies, cuts or fills from one range to another. */
  private translateTransfer(
    operation: Extract<ParsedOperation, { kind: 'copy' | 'cut' | 'fill' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    const { kind } = operation;
    const from = this.state.findRange(operation.from, { reads: true, changes: kind === 'cut' }, `${path}.from`);
    const to = this.state.findRange(operation.to, { reads: kind !== 'copy', changes: true }, `${path}.to`);
    const refusal = findMostSevere([from, to].filter(isRefusal));
    if (refusal !== null || isRefusal(from) || isRefusal(to)) return refusal ?? SHEET_PROTECTED;
    const stored = toStoredOperation(completeRanges(json, { from, to }), from.sheet.id, to.sheet.id);
    const { sheet, area } = from;
    if (kind === 'fill') {
      if (to.sheet.id !== sheet.id) return invalidRequest(`${path}.to`, 'to must be on the same sheet as from');
      return { edit: { kind, sheet: sheet.id, area, to: to.area }, stored };
    }
    const { top: row, left: column } = to.area;
    const goesOff = row + area.bottom - area.top > LAST_ROW || column + area.right - area.left >= MAX_COLUMNS;
    if (goesOff && !(area.openRows || area.openColumns)) return invalidRequest(`${path}.to`, 'Invalid range');
    if (goesOff)
      return invalidRequest(`${path}.from`, 'from must name its last row and column, or start at the first cell of to');
    if (kind === 'copy') return { edit: { kind, sheet: sheet.id, area, toSheet: to.sheet.id, row, column }, stored };
    if (sheet.id === to.sheet.id && row === area.top && column === area.left) return { edit: null, stored };
    return createMoveOperation(
      { kind: 'carry', sheet: sheet.id, area: toPlainArea(area), toSheet: to.sheet.id, row, column },
      stored,
    );
  }

  /** The visible rows reveal values, so the caller must be allowed to see them to set a filter. */
  private translateFilter(
    operation: Extract<ParsedOperation, { kind: 'setFilter' | 'filterColumn' | 'deleteFilter' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    if (operation.kind === 'setFilter') {
      const target = this.state.findRange(operation.range, { reads: true, changes: true }, `${path}.range`);
      if (isRefusal(target)) return target;
      const { columns } = operation;
      const area = toPlainArea(target.area);
      const outside = columns.find(({ column }) => column < area.left || column > area.right);
      if (outside !== undefined) {
        return invalidRequest(`${path}.columns.${columnName(outside.column)}`, 'columns must lie in the range');
      }
      const edit: Edit = { kind: 'setFilter', sheet: target.sheet.id, filter: { area, columns } };
      return { edit, stored: toStoredOperation(completeRanges(json, { range: target }), target.sheet.id) };
    }
    const sheet = this.state.findEditableSheet(operation.sheet, { reads: true });
    if (isRefusal(sheet)) return sheet;
    const stored = toStoredOperation(json, sheet.id);
    if (operation.kind === 'deleteFilter')
      return { edit: { kind: 'setFilter', sheet: sheet.id, filter: null }, stored };
    const { column, condition } = operation;
    return { edit: { kind: 'filterColumn', sheet: sheet.id, column, condition }, stored };
  }

  private duplicateSheet(
    { sheet: name, name: requestedName }: Extract<ParsedOperation, { kind: 'duplicateSheet' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    const from = this.state.findSheet(name);
    const checked = requestedName === null ? null : parseSheetName(requestedName, `${path}.name`);
    if (isRefusal(checked)) return checked;
    if (isRefusal(from)) return from;
    const refusal = this.state.checkSheetUse(from.id, { reads: true, changes: false });
    if (refusal !== null) return refusal;
    const copy = checked ?? this.state.findFreeSheetName(from.name);
    if (this.state.isSheetNameTaken(copy)) {
      return invalidRequest(`${path}.name`, toHttpAnswer(SHEET_NAME_TAKEN).message ?? '');
    }
    const id = this.state.addCopy(from, copy);
    const stored = toStoredOperation(replaceMember(json, 'name', copy), from.id, id);
    return { edit: { kind: 'duplicateSheet', sheet: from.id, name: copy }, stored };
  }

  /** Moves a sheet among the others, or colors its tab. */
  private translateSheetArrangement(
    operation: Extract<ParsedOperation, { kind: 'moveSheet' | 'colorSheet' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    if (operation.kind === 'moveSheet' && operation.order >= this.state.sheetCount) {
      return invalidRequest(`${path}.order`, `order must be from 0 to ${this.state.sheetCount - 1}`);
    }
    // Moving a sheet moves all of its cells into or out of references to several sheets (`First:Last!A1`).
    const sheet = this.state.findEditableSheet(operation.sheet, { reads: operation.kind === 'moveSheet' });
    if (isRefusal(sheet)) return sheet;
    const stored = toStoredOperation(json, sheet.id);
    if (operation.kind === 'colorSheet') return { edit: { ...operation, sheet: sheet.id }, stored };
    this.state.moveSheet(sheet, operation.order);
    return { edit: { ...operation, sheet: sheet.id }, stored };
  }

  /** Creates or changes a table; refused if its name is invalid or that of a defined name. */
  private setTable(
    { kind, name, range }: Extract<ParsedOperation, { kind: 'setTable' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    const key = nameKey(name);
    const problem =
      nameProblem(name) ??
      (this.state.names.has(formatScopedKey(name, undefined)) ? 'a defined name has that name' : null);
    if (problem !== null) return invalidRequest(`${path}.name`, problem);
    const target = this.state.findRange(range, { reads: true, changes: true }, `${path}.range`);
    if (isRefusal(target)) return target;
    const replaced = this.state.tables.get(key);
    const refusal = replaced === undefined ? null : this.state.checkSheetUse(replaced, { reads: false, changes: true });
    if (refusal !== null) return refusal;
    this.state.tables.set(key, target.sheet.id);
    return {
      edit: { kind, name, sheet: target.sheet.id, area: toPlainArea(target.area) },
      stored: toStoredOperation(
        completeRanges(json, { range: target }),
        target.sheet.id,
        ...(replaced === undefined ? [] : [replaced]),
      ),
    };
  }

  private deleteTable(name: string, json: OperationJson): EngineOperation | Refusal {
    const key = nameKey(name);
    const sheet = this.state.tables.get(key);
    if (sheet === undefined) return TABLE_NOT_FOUND;
    const refusal = this.state.checkSheetUse(sheet, { reads: false, changes: true });
    if (refusal !== null) return refusal;
    this.state.tables.delete(key);
    return { edit: { kind: 'deleteTable', name }, stored: toStoredOperation(json, sheet) };
  }

  private translateName(
    operation: Extract<ParsedOperation, { kind: 'setName' | 'deleteName' }>,
    json: OperationJson,
    path: string,
  ): EngineOperation | Refusal {
    const resolved = this.state.resolveName(operation.name);
    if (isRefusal(resolved)) return resolved;
    const { name, scope, publishedName } = resolved;
    const key = formatScopedKey(name, scope?.id);
    if (operation.kind === 'deleteName') {
      // The copy of a sheet also has copies of names, which only the engine knows.
      const isOfCopy = scope !== null && this.state.isCopy(scope.id);
      if (!this.state.names.delete(key) && !isOfCopy) return NAME_NOT_FOUND;
      const completedSent = replaceMember(json, 'name', publishedName);
      return {
        edit: { kind: 'deleteName', name, ...(scope && { scope: scope.id }) },
        stored: toStoredOperation(completedSent, ...this.state.listMentionedSheets(completedSent)),
      };
    }
    const problem = nameProblem(name) ?? (this.state.tables.has(nameKey(name)) ? 'a table has that name' : null);
    if (problem !== null) return invalidRequest(`${path}.name`, problem);
    const mistake = refersToProblem(operation.refersTo, this.locale);
    if (mistake !== null) return invalidRequest(`${path}.refersTo`, mistake);
    this.state.names.add(key);
    const { refersTo } = operation;
    const edit: Edit = { kind: 'setName', name, refersTo, locale: this.locale, ...(scope && { scope: scope.id }) };
    const completedSent = replaceMember(json, 'name', publishedName);
    const read = listReadSheets(refersTo, this.locale, this.snapshot);
    return {
      edit,
      stored: toStoredOperation(completedSent, ...read, ...this.state.listMentionedSheets(completedSent)),
    };
  }
}
