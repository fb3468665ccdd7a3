import assert from 'node:assert/strict';
import {
  type AppliedBatch,
  applyDelta,
  type CellData,
  ChangeSender,
  type ChangeSet,
  cellText,
  cellView,
  changedSince,
  type Edit,
  encodeCheckpoint,
  encodeDelta,
  type Input,
  isError,
  type KnownFormats,
  type LocaleId,
  parseArea,
  type Refusal,
  receiveChange,
  restoreCheckpoint,
  type Scalar,
  type Sheet,
  type Snapshot,
  type StoredChunk,
  splitSheetPrefix,
  Workbook,
  type WorkbookData,
} from '../../src/index.ts';
import type { ApplyContext } from '../../src/workbook/types.ts';

export const NOON = Date.UTC(2026, 10, 20, 12);

export function createContext(changes: Partial<ApplyContext> = {}): ApplyContext {
  return { now: NOON, seed: 1, budget: { cells: 5_000_000, milliseconds: 60_000, clock: () => 0 }, ...changes };
}

/** A value, a dynamic formula that begins with `=`, or the contents of another imported cell. */
type ImportedCell = Scalar | Omit<CellData, 'row' | 'column'>;
type ImportedSheets = Readonly<Record<string, Readonly<Record<string, ImportedCell>>>>;

function createImportedCell(ref: string, input: ImportedCell): CellData {
  const cell = parseArea(ref);
  assert.ok(cell, ref);
  const position = { row: cell.top, column: cell.left };
  if (typeof input === 'object' && input !== null && !isError(input)) return { ...position, ...input };
  const isFormula = typeof input === 'string' && input.startsWith('=');
  return isFormula
    ? { ...position, value: null, formula: input.slice(1), dynamic: true }
    : { ...position, value: input };
}

/** A workbook with methods that take cell addresses: `set('A1', …)`, `value('A1')`, `text('A1')`, `formula('A1')`. */
export class Book {
  workbook: Workbook;
  context: ApplyContext = createContext();

  constructor(locale: LocaleId = 'ru-RU') {
    this.workbook = Workbook.create({ locale, dateSystem: 'google', timeZone: 'UTC' }, 'Sheet1');
  }

  /** Imports cells by address. Formulas are dynamic and in the grammar of files. */
  static fromFile(file: Partial<Pick<WorkbookData, 'names' | 'tables'>> & { readonly sheets: ImportedSheets }): Book {
    const { names = [], tables = [] } = file;
    const settings = { locale: 'ru-RU', dateSystem: 'google', timeZone: 'UTC' } as const;
    const sheets = Object.entries(file.sheets).map(([name, cells]) => ({
      ...{ name, hidden: false, color: null, hiddenRows: [], columnFormats: new Map() },
      cells: Object.entries(cells).map(([ref, input]) => createImportedCell(ref, input)),
    }));
    const workbook = Workbook.import({ settings, names, tables, sheets }, createContext());
    assert.ok(workbook instanceof Workbook);
    const book = new Book();
    book.workbook = workbook;
    return book;
  }

  get head(): Snapshot {
    return this.workbook.head;
  }

  private locate(ref: string): { sheet: Sheet; row: number; column: number } {
    const prefix = splitSheetPrefix(ref);
    assert.ok(prefix, ref);
    const sheet = prefix.sheet === null ? this.head.sheets[0] : this.head.sheetByName(prefix.sheet);
    const cell = parseArea(prefix.rest);
    assert.ok(sheet && cell, ref);
    return { sheet, row: cell.top, column: cell.left };
  }

  tryEdits(edits: readonly Edit[]): AppliedBatch | Refusal {
    return this.workbook.apply(edits, this.context);
  }

  apply(edits: readonly Edit[]): AppliedBatch {
    const outcome = this.tryEdits(edits);
    assert.equal(outcome.kind, 'applied', outcome.kind === 'refusal' ? JSON.stringify(outcome) : '');
    return outcome as AppliedBatch;
  }

  /** Creates an edit that writes a matrix, or one input, at a cell, which is its top left corner. */
  write(ref: string, input: Input | readonly (readonly Input[])[], mode: 'user' | 'raw' = 'user'): Edit {
    const { sheet, row, column } = this.locate(ref);
    const values = Array.isArray(input) ? (input as Input[][]) : [[input as Input]];
    return { kind: 'setValues', sheet: sheet.id, row, column, values, mode };
  }

  set(ref: string, input: Input | readonly (readonly Input[])[], mode: 'user' | 'raw' = 'user'): AppliedBatch {
    return this.apply([this.write(ref, input, mode)]);
  }

  clear(ref: string): AppliedBatch {
    const prefix = splitSheetPrefix(ref);
    const area = parseArea(prefix?.rest ?? '');
    assert.ok(area);
    return this.apply([{ kind: 'clear', sheet: this.locate(ref).sheet.id, area }]);
  }

  addSheet(name: string): void {
    this.apply([{ kind: 'addSheet', name }]);
  }

  renameSheet(name: string, to: string): AppliedBatch {
    return this.apply([{ kind: 'renameSheet', sheet: this.sheetId(name), name: to }]);
  }

  deleteSheet(name: string): AppliedBatch {
    return this.apply([{ kind: 'deleteSheet', sheet: this.sheetId(name) }]);
  }

  sheetId(name: string): number {
    const sheet = this.head.sheetByName(name);
    assert.ok(sheet, name);
    return sheet.id;
  }

  value(ref: string): Scalar {
    const { sheet, row, column } = this.locate(ref);
    const value = sheet.value(row, column);
    return value;
  }

  /** The value of a cell. Errors are returned as their codes. */
  plainValue(ref: string): string | number | boolean | null {
    const value = this.value(ref);
    return isError(value) ? value.code : value;
  }

  text(ref: string): string | undefined {
    return this.view(ref)?.m;
  }

  formula(ref: string): string | undefined {
    return this.view(ref)?.f;
  }

  view(ref: string) {
    const { sheet, row, column } = this.locate(ref);
    return cellView(this.head, sheet.id, row, column);
  }

  /** Values of an area, row by row. */
  grid(ref: string): (string | number | boolean | null)[][] {
    const prefix = splitSheetPrefix(ref);
    const area = parseArea(prefix?.rest ?? '');
    const { sheet } = this.locate(ref);
    assert.ok(area);
    const rows: (string | number | boolean | null)[][] = [];
    for (let row = area.top; row <= area.bottom; row++) {
      const cells: (string | number | boolean | null)[] = [];
      for (let column = area.left; column <= area.right; column++) {
        const value = sheet.value(row, column);
        cells.push(isError(value) ? value.code : value);
      }
      rows.push(cells);
    }
    return rows;
  }
}

/** Everything that users can see of a snapshot, in a comparable form. */
export function describeContents(snapshot: Snapshot): unknown {
  const sheets = snapshot.sheets.map((sheet) => {
    const { rows, columns } = sheet.extent();
    const cells: Record<string, unknown> = {};
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const view = cellView(snapshot, sheet.id, row, column);
        if (view) cells[`R${row}C${column}`] = { ...view, kind: sheet.kind(row, column) };
      }
    }
    const spills = describeSpills(sheet);
    const { id, name, hidden, color, layout } = sheet;
    const hiddenRows = [...sheet.hiddenRows].sort((a, b) => a - b);
    return { id, name, hidden, color, rows, columns, cells, spills, layout, hiddenRows };
  });
  // Through JSON, because absent members and undefined members are equivalent.
  return { sheets, ...(JSON.parse(JSON.stringify({ names: snapshot.names, tables: snapshot.tables })) as object) };
}

/** A copy of a document in another thread. It receives changes in the form that threads share. */
export class ThreadCopy {
  private readonly sender = new ChangeSender(null);
  snapshot: Snapshot | null = null;
  /** Number of pauses during the last call of `receiveChange`. */
  pauses = 0;

  receiveChange(after: Snapshot, changeSet: ChangeSet | null = null): Snapshot {
    const change = structuredClone(runToEnd(this.sender.send(after, changeSet)));
    this.pauses = 0;
    this.snapshot = runToEnd(receiveChange(this.snapshot, change), () => this.pauses++);
    return this.snapshot;
  }
}

export function runToEnd<T>(steps: Generator<void, T>, paused: () => void = () => {}): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    paused();
  }
}

/** Describes spills that are not circular. Which arrays of a circle spill depends on the calculation order. */
function describeSpills({ spills }: Sheet): readonly string[] {
  const spillsOutsideCircles = [...spills.values()].filter(({ circular }) => circular === undefined);
  return spillsOutsideCircles.map((spill) => JSON.stringify(spill)).sort();
}

/** Values, kinds and formulas of all cells, without the inherited number formats of results. */
export function describeValues(snapshot: Snapshot): unknown {
  return snapshot.sheets.map((sheet) => {
    const { rows, columns } = sheet.extent();
    const cells: Record<string, unknown> = {};
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const view = cellView(snapshot, sheet.id, row, column);
        if (view) cells[cellText(row, column)] = [view.v, view.f, sheet.kind(row, column)];
      }
    }
    const spills = describeSpills(sheet);
    return { id: sheet.id, name: sheet.name, hidden: sheet.hidden, rows, columns, cells, spills };
  });
}

export function storeAndRestore(snapshot: Snapshot): Snapshot {
  const { meta, chunks } = encodeCheckpoint(snapshot, -1);
  return restoreCheckpoint(meta, chunks);
}

/** A document in a store: the bytes of its last checkpoint, by chunk. */
export class StoredDocument {
  private revision = -1;
  private knownFormats: KnownFormats = [];
  private meta: Uint8Array = new Uint8Array();
  private chunks = new Map<string, StoredChunk>();

  /** Stores the changed chunks of a state and returns their number. */
  save(state: Snapshot): number {
    const { meta, chunks, formats } = encodeCheckpoint(state, this.revision, this.knownFormats);
    const checkpointOfChanges = encodeCheckpoint(
      runToEnd(changedSince(state, this.revision)),
      this.revision,
      this.knownFormats,
    );
    assert.deepEqual(checkpointOfChanges, { meta, chunks, formats }, 'the changes alone have another checkpoint');
    for (const chunk of chunks) {
      const key = `${chunk.sheet}:${chunk.column}:${chunk.block}`;
      if (chunk.bytes.length === 0) this.chunks.delete(key);
      else this.chunks.set(key, chunk);
    }
    this.revision = state.revision;
    this.knownFormats = formats;
    this.meta = meta;
    return chunks.length;
  }

  /** Returns the same stored document, opened by another process, which only has the formats of the stored bytes. */
  copy(): StoredDocument {
    const copy = new StoredDocument();
    copy.revision = this.revision;
    copy.knownFormats = this.revision < 0 ? [] : this.meta;
    copy.chunks = new Map(this.chunks);
    return copy;
  }

  restore(): Snapshot {
    return restoreCheckpoint(this.meta, this.chunks.values());
  }

  /** All stored bytes, in a comparable form. */
  bytes(): unknown {
    const chunks = [...this.chunks].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      meta: new TextDecoder('latin1').decode(this.meta),
      chunks: chunks.map(([key, { bytes }]) => `${key} ${bytes.toHex()}`),
    };
  }
}

export function replayBatch(batch: AppliedBatch, before: Snapshot): Snapshot {
  return applyDelta(before, encodeDelta(batch.change));
}
