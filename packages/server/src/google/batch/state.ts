import {
  type Area,
  type Edit,
  findSheetByName,
  type Input,
  type LocaleId,
  type Sheet,
  type Snapshot,
  sheetNameProblem,
} from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { WorkingCopy } from '../../documents/types.ts';
import { CELLS_PER_STEP, MAX_LISTED_GROUPS, MAX_SCANNED_CELLS } from '../../limits/google.ts';
import type { ServiceContext } from '../../service/context.ts';
import { VALUES_HIDDEN } from '../../service/refusal.ts';
import type { ClosedRange, OpenRange } from '../a1.ts';
import type { PlanSteps } from '../call.ts';
import { type RequestObject, readInteger, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem, toProblem } from '../problem.ts';
import { listFileValidations } from '../sheets/file-rules.ts';
import { GRID_RANGE_MEMBERS, parseGridRange } from '../sheets/filters.ts';
import { setGrid } from '../sheets/grid-edits.ts';
import { readMetadata } from '../sheets/metadata.ts';
import { refuseProtectedArea } from '../sheets/protected-ranges.ts';
import {
  computeGridSize,
  createObjectId,
  type GridSize,
  KINDS,
  readSheetId,
  readSheetRecord,
  type SheetRecord,
} from '../sheets/state.ts';
import { readSheetView, replaceView, VIEWS, type ViewSettings } from '../sheets/views.ts';
import { enterValues, storeFormulaTexts } from '../values/enter.ts';
import type { InputOption, ValueMatrix } from '../values/matrix.ts';
import { CalculatedState } from './calculated-state.ts';
import { DerivedState, isIndependent } from './derived-state.ts';
import { type FormatRule, FormatRuleLists } from './format-rule-lists.ts';
import { NameIndex } from './name-index.ts';
import { NO_USERS, type ProtectionUsers } from './protection-users.ts';
import { listRearrangedSheets } from './rearranged-sheets.ts';
import { StructureState } from './structure-state.ts';
import { StyleEdits } from './style-edits.ts';

/** A sheet as changed by the previous requests. */
export interface WorkingSheet {
  /** The document's own id of the sheet. */
  readonly id: number;
  readonly sheetId: number;
  readonly name: string;
  readonly isHidden: boolean;
  readonly grid: GridSize;
  readonly view: ViewSettings;
  readonly record: SheetRecord;
}

/** Cells named by a request. */
export interface WorkingRange {
  readonly sheet: WorkingSheet;
  readonly open: OpenRange;
  /** Position within the grid. */
  readonly range: ClosedRange;
}

/** Converts the requests of one batchUpdate to edits. A request sees the effects of the previous ones. */
export class RequestBatch {
  readonly context: ServiceContext;
  /** The document before the batch. */
  readonly snapshot: Snapshot;
  readonly access: DocumentAccess;
  readonly edits: Edit[] = [];
  sheets: readonly WorkingSheet[];
  /** The caller, and the users named by requests, by email address. */
  readonly people: ProtectionUsers;
  /** The document's locale after the edits so far. */
  locale: LocaleId;
  /** True if a sheet has validation rules of an imported file. */
  readonly hasFileRules: boolean;
  /** The edits so far that change the styles of cells. */
  readonly styleEdits = new StyleEdits();
  /** New title of the document; null: unchanged. */
  title: string | null = null;
  private nextId: number;
  private readonly ruleLists = new FormatRuleLists();
  private readonly nameIndex = new DerivedState<NameIndex>('names');
  private readonly metadata = new DerivedState<Set<number>>('metadata');
  private readonly views = new Map<number, string | undefined>();
  private readonly calculated: CalculatedState;
  private readonly structure: StructureState;
  private scanned = 0;
  private listedGroups = 0;
  private inStep = 0;

  /** `copy`: a working copy of the snapshot without edits; null: no request reads calculated cells. */
  constructor(
    context: ServiceContext,
    snapshot: Snapshot,
    access: DocumentAccess,
    copy: WorkingCopy | null = null,
    people: ProtectionUsers = NO_USERS,
  ) {
    this.people = people;
    this.context = context;
    this.calculated = new CalculatedState(copy, snapshot);
    this.structure = new StructureState(context, snapshot);
    this.snapshot = snapshot;
    this.access = access;
    this.nextId = snapshot.nextSheetId;
    this.locale = snapshot.settings.locale;
    this.hasFileRules = snapshot.sheets.some((sheet) => listFileValidations(sheet).length > 0);
    this.sheets = snapshot.sheets.map(toWorkingSheet);
    for (const sheet of snapshot.sheets) this.views.set(sheet.id, sheet.layout.carried[VIEWS]);
  }

  /** The state with all cells after all edits so far, calculated. */
  calculateState(): PlanSteps<Snapshot> {
    return this.calculated.apply(this.finishEdits());
  }

  /** The sheets, stored objects and names after all edits so far. The sheets may have no cells. */
  readStructure(): PlanSteps<Snapshot> {
    return this.structure.apply(this.finishEdits());
  }

  /** A sheet of `readStructure`. */
  *readSheetStructure(sheet: WorkingSheet): PlanSteps<Sheet> {
    return requireSheetById(yield* this.readStructure(), sheet);
  }

  /** Throws if the caller may not see the values of a sheet. */
  refuseHiddenSheet({ id }: Pick<WorkingSheet, 'id'>): void {
    if (this.access.hiddenSheets.has(id)) throw toProblem(VALUES_HIDDEN);
  }

  /** A sheet with its cells after all edits so far. The caller must be allowed to see its values. */
  *calculateSheet(sheet: WorkingSheet): PlanSteps<Sheet> {
    this.refuseHiddenSheet(sheet);
    return requireSheetById(yield* this.calculateState(), sheet);
  }

  /** Counts cells that a request reads one by one. Throws if the batch reads too many. */
  countScannedCells(area: Area): void {
    this.scanned += (area.bottom - area.top + 1) * (area.right - area.left + 1);
    if (this.scanned > MAX_SCANNED_CELLS)
      throw createInvalidProblem(`A batch can look at ${MAX_SCANNED_CELLS} cells at most.`);
  }

  /** Counts groups that a reply lists. Throws if the replies list too many. */
  countListedGroups(groups: number): void {
    this.listedGroups += groups;
    if (this.listedGroups > MAX_LISTED_GROUPS)
      throw createInvalidProblem(`The replies of a batch can list ${MAX_LISTED_GROUPS} groups at most.`);
  }

  /** Counts cells that a request has just examined. True if they complete a step of work, so that it must yield. */
  endsStep(cells = 1): boolean {
    this.inStep += cells;
    if (this.inStep < CELLS_PER_STEP) return false;
    this.inStep = 0;
    return true;
  }

  /** Adds edits to the batch. Throws if one rearranges cells of a sheet whose values are hidden from the caller. */
  addEdits(...edits: readonly Edit[]): void {
    for (const id of edits.flatMap(listRearrangedSheets)) this.refuseHiddenSheet({ id });
    if (!edits.every((edit) => isIndependent(edit, 'formatRules'))) this.finishEdits();
    this.styleEdits.addEdits(edits);
    this.edits.push(...edits);
  }

  /** All edits so far, including the edits of conditional formats. */
  finishEdits(): readonly Edit[] {
    this.edits.push(...this.ruleLists.closeLists());
    return this.edits;
  }

  /** The conditional formats of a sheet, in order. The caller must be allowed to see its values. */
  *readFormatRules(sheet: WorkingSheet): PlanSteps<readonly FormatRule[]> {
    const open = this.ruleLists.getOpenRules(sheet.id);
    if (open !== undefined) return open;
    this.refuseHiddenSheet(sheet);
    const structure = yield* this.readStructure();
    return this.ruleLists.openRules(structure, requireSheetById(structure, sheet));
  }

  setFormatRules(sheet: WorkingSheet, rules: readonly FormatRule[]): void {
    this.ruleLists.replaceRules(sheet.id, rules);
  }

  readNameIndex(): PlanSteps<NameIndex> {
    return this.nameIndex.getOrCompute(
      this.edits,
      () => this.readStructure(),
      (structure) => new NameIndex(structure),
    );
  }

  /** Call after adding edits of names that the index contains. */
  markNamesUpToDate(): void {
    this.nameIndex.markUpToDate(this.edits);
  }

  /** The ids of all developer metadata. */
  readMetadataIds(): PlanSteps<Set<number>> {
    return this.metadata.getOrCompute(
      this.edits,
      () => this.readStructure(),
      (structure) => new Set(readMetadata(structure).map(({ id }) => id)),
    );
  }

  /** Call after adding edits of metadata that the ids contain. */
  markMetadataIdsUpToDate(): void {
    this.metadata.markUpToDate(this.edits);
  }

  changeSettings(settings: { readonly locale?: LocaleId; readonly timeZone?: string }): void {
    this.addEdits({ kind: 'changeSettings', ...settings });
    this.locale = settings.locale ?? this.locale;
  }

  /** The sheet named by a member; 0 if it is absent. `noun`: what Google's error calls a sheet. */
  requireSheet(members: RequestObject, path: string, name = 'sheetId', noun: 'grid' | 'sheet' = 'grid'): WorkingSheet {
    const sheetId = readInteger(members, name, path) ?? 0;
    const sheetOfId = this.sheets.find((sheet) => sheet.sheetId === sheetId);
    if (sheetOfId === undefined) throw createInvalidProblem(`No ${noun} with id: ${sheetId}`);
    return sheetOfId;
  }

  /** The current version of a sheet that an earlier request may have changed. */
  getCurrentSheet({ id }: WorkingSheet): WorkingSheet {
    const found = this.sheets.find((sheet) => sheet.id === id);
    if (found === undefined) throw new Error(`the batch has no sheet ${id}`);
    return found;
  }

  /** The cells of a `GridRange`. */
  parseRange(members: RequestObject, path: string): WorkingRange {
    refuseUnknownMembers(members, GRID_RANGE_MEMBERS, path);
    return this.clampRange(this.requireSheet(members, path), parseGridRange(members, path));
  }

  clampRange(sheet: WorkingSheet, open: OpenRange): WorkingRange {
    const { rows, columns } = sheet.grid;
    if (open.top >= rows || open.left >= columns) {
      throw createInvalidProblem(`Range exceeds grid limits. Max rows: ${rows}, max columns: ${columns}`);
    }
    const bottom = Math.min(open.bottom ?? rows - 1, rows - 1);
    const right = Math.min(open.right ?? columns - 1, columns - 1);
    return { sheet, open, range: { top: open.top, left: open.left, bottom, right } };
  }

  /** Throws if the caller may not change these cells. */
  refuseProtectedArea(sheet: WorkingSheet, area: ClosedRange): void {
    const cells = this.snapshot.sheetById(sheet.id);
    if (cells !== undefined) refuseProtectedArea(cells, area, this.access);
  }

  refuseProtectedSheet(sheet: WorkingSheet): void {
    const { rows, columns } = sheet.grid;
    this.refuseProtectedArea(sheet, { top: 0, left: 0, bottom: rows - 1, right: columns - 1 });
  }

  replaceSheet(next: WorkingSheet): void {
    this.sheets = this.sheets.map((sheet) => (sheet.id === next.id ? next : sheet));
  }

  setGrid(sheet: WorkingSheet, grid: GridSize): void {
    this.addEdits(setGrid(sheet.id, grid));
    this.replaceSheet({ ...this.getCurrentSheet(sheet), grid });
  }

  /** Enlarges the grid to at least this size. */
  growGrid(sheet: WorkingSheet, { rows, columns }: GridSize): void {
    const { grid } = this.getCurrentSheet(sheet);
    if (rows <= grid.rows && columns <= grid.columns) return;
    this.setGrid(sheet, { rows: Math.max(rows, grid.rows), columns: Math.max(columns, grid.columns) });
  }

  setView(sheet: WorkingSheet, view: ViewSettings): void {
    const text = replaceView(this.views.get(sheet.id), view);
    this.views.set(sheet.id, text);
    this.addEdits({ kind: 'setSheetPart', sheet: sheet.id, part: VIEWS, text });
    this.replaceSheet({ ...this.getCurrentSheet(sheet), view });
  }

  setRecord(sheet: WorkingSheet, record: SheetRecord): void {
    const attachments = [{ areas: [], texts: ['sheet', JSON.stringify(record)] }];
    this.addEdits({ kind: 'attach', sheet: sheet.id, attachment: KINDS.sheet, key: null, within: null, attachments });
    this.replaceSheet({ ...this.getCurrentSheet(sheet), record });
  }

  /** The id of the document's next sheet. */
  takeSheetId(): number {
    return this.nextId++;
  }

  addSheet(sheet: WorkingSheet, index: number): void {
    this.sheets = this.sheets.toSpliced(index, 0, sheet);
  }

  removeSheet({ id }: WorkingSheet): void {
    this.sheets = this.sheets.filter((sheet) => sheet.id !== id);
  }

  moveSheet(sheet: WorkingSheet, order: number): void {
    const others = this.sheets.filter(({ id }) => id !== sheet.id);
    this.sheets = others.toSpliced(order, 0, sheet);
    this.addEdits({ kind: 'moveSheet', sheet: sheet.id, order });
  }

  /** Throws if a sheet cannot have this name. */
  checkSheetName(name: string, ownId: number | null): void {
    const problem = sheetNameProblem(name);
    if (problem !== null) throw createInvalidProblem(problem);
    const others = this.sheets.filter(({ id }) => id !== ownId);
    if (findSheetByName(others, name) !== undefined) {
      throw createInvalidProblem(`A sheet with the name "${name}" already exists. Please enter another name.`);
    }
  }

  /** The first free name of the form `Sheet2`. */
  findFreeSheetName(): string {
    for (let n = this.sheets.length + 1; ; n++) {
      const name = `Sheet${n}`;
      if (findSheetByName(this.sheets, name) === undefined) return name;
    }
  }

  /** The id of a new sheet: chosen by the caller, or a free one. */
  chooseSheetId(chosen: number | undefined): number {
    const isTaken = (sheetId: number) => this.sheets.some((sheet) => sheet.sheetId === sheetId);
    if (chosen !== undefined && chosen < 0) throw createInvalidProblem('Sheet id must be non-negative.');
    if (chosen !== undefined && isTaken(chosen)) throw createInvalidProblem(`Sheet with id ${chosen} already exists.`);
    return chosen ?? createObjectId(isTaken);
  }

  /** Enters values from a cell on as `values.update` does. */
  enterMatrix(sheet: WorkingSheet, row: number, column: number, matrix: ValueMatrix, option: InputOption): void {
    const { snapshot } = this;
    const target = { snapshot, sheet: snapshot.sheetById(sheet.id), sheetId: sheet.id, row, column };
    this.addEdits(...enterValues(matrix, target, option));
  }

  /** Keeps the spelling of formulas that were written into an area; null leaves that of a cell as it is. */
  keepFormulas(sheet: WorkingSheet, area: Area, typed: ValueMatrix): void {
    const target = { sheet: this.snapshot.sheetById(sheet.id), sheetId: sheet.id };
    this.addEdits(...storeFormulaTexts(typed, { ...target, row: area.top, column: area.left }, area));
  }

  /** Enters values unchanged, and formulas in the grammar of `en_US`. */
  putValues(
    sheet: WorkingSheet,
    row: number,
    column: number,
    values: readonly (readonly Input[])[],
    mode: 'raw' | 'user',
  ): void {
    const locale = mode === 'user' ? 'en-US' : null;
    this.addEdits({
      kind: 'setValues',
      sheet: sheet.id,
      row,
      column,
      values,
      mode,
      ...(locale === null ? {} : { locale }),
    });
  }
}

function toWorkingSheet(sheet: Sheet): WorkingSheet {
  return {
    id: sheet.id,
    sheetId: readSheetId(sheet),
    name: sheet.name,
    isHidden: sheet.hidden,
    grid: computeGridSize(sheet),
    view: readSheetView(sheet),
    record: readSheetRecord(sheet),
  };
}

/** A request's reply, known at once or computed from the results of its edits. */
export type RequestReply = object | ((cells: (edit: number) => number) => object);

/** What a kind of request does. Throws a `Problem` if it cannot be done. */
export type RequestHandler = (batch: RequestBatch, members: RequestObject, path: string) => RequestReply | RequestSteps;

/** A request that examines cells or the state after earlier requests. */
export type RequestSteps = PlanSteps<RequestReply>;

function requireSheetById(state: Snapshot, { id }: WorkingSheet): Sheet {
  const sheet = state.sheetById(id);
  if (sheet === undefined) throw new Error(`the batch has lost sheet ${id}`);
  return sheet;
}
