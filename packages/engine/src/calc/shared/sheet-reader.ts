import { ScratchArrays } from '../../functions/elements/scratch-arrays.ts';
import type { SheetArea, Value } from '../../functions/value.ts';
import type { ReadLog } from '../../graph/dynamic-reads.ts';
import type { Area } from '../../grid/area.ts';
import type { Draft } from '../../sheet/draft.ts';
import type { Sheet } from '../../sheet/snapshot.ts';
import type { TextReadLog } from '../hidden-reads.ts';
import type { ClosedSheets } from '../rights.ts';
import type { ReadRecorder } from './shared-values.ts';

/** Protects cells that are not calculated yet. */
export interface ReadGuard {
  /** Throws if the area contains a cell that is not calculated yet. */
  check(sheet: number, area: Area): void;
  /** True if a column contains a cell that is not calculated yet. */
  isColumnWaiting(sheet: number, column: number): boolean;
}

/** Opens sheets for the running formula: checks the rights of its writer, and records what it reads. */
export class SheetReader {
  /** Changes with each wave of the recalculation. */
  wave = 0;
  /** Set while formulas run whose precedents could not be calculated beforehand. */
  guard: ReadGuard | null = null;
  /** Sheets that the running formula read or tried to read; null if not recorded. */
  sheetsRead: Set<number> | null = null;
  /** Records the cells that the running formula reads; null if not recorded. */
  readLog: ReadLog | null = null;
  /** Texts from which the running formula tried to read hidden sheets. Set together with `sheetsRead`. */
  textReads: TextReadLog | null = null;
  /** Sheets that the writer of the running formula may not read; null if there are none. */
  closed: ClosedSheets | null = null;
  /**
   * Sheets that are hidden from at least one user. References that are made from text may not read them. Null if there
   * are none.
   */
  closedToText: ClosedSheets | null = null;
  /** The text that is being read as a reference; else null. */
  protected text: string | null = null;
  /** Records the columns that are read while a shared value is made; else null. */
  protected recorder: ReadRecorder | null = null;
  protected readonly draft: Draft;
  protected readonly scratch = new ScratchArrays();

  constructor(draft: Draft) {
    this.draft = draft;
  }

  /**
   * Evaluates a reference that was made from text. It may not read hidden sheets, even if the formula's writer may: the
   * text may come from another user.
   */
  readFromText(text: string, run: () => Value): Value {
    const { closed, text: outer } = this;
    this.closed = this.closedToText;
    this.text = outer ?? text;
    try {
      return run();
    } finally {
      this.closed = closed;
      this.text = outer;
    }
  }

  takeNumbers(length: number): Float64Array {
    // Other formulas will use the arrays of a shared value.
    return this.recorder === null ? this.scratch.takeNumbers(length) : new Float64Array(length);
  }

  takeKinds(length: number): Uint8Array {
    return this.recorder === null ? this.scratch.takeKinds(length) : new Uint8Array(length);
  }

  /** True if the running formula may not read a sheet. Its reads give `#REF!`. */
  isReadRefused(sheet: number): boolean {
    if (this.closed === null || !this.closed.has(sheet)) return false;
    this.sheetsRead?.add(sheet);
    if (this.text !== null) this.textReads?.add(sheet, this.text);
    return true;
  }

  /**
   * True if the running formula may read a sheet that it names. Records the read even if the named table or name does
   * not exist.
   */
  canNameSheet(sheet: number): boolean {
    this.sheetsRead?.add(sheet);
    return !this.isReadRefused(sheet);
  }

  /** A sheet that the running formula may read; undefined also if it was deleted. */
  protected findReadableSheet(id: number): Sheet | undefined {
    return this.isReadRefused(id) ? undefined : this.draft.sheet(id);
  }

  /**
   * Returns the sheet of an area that is read. Every read of an area calls this: it checks the writer's rights and the
   * guard, and records the sheet.
   */
  protected openSheetForRead(part: SheetArea): Sheet | undefined {
    if (this.isReadRefused(part.sheet)) return undefined;
    if (this.readLog !== null) this.readLog.add(part.sheet, part);
    if (this.guard !== null) this.guard.check(part.sheet, part);
    this.sheetsRead?.add(part.sheet);
    const sheet = this.draft.sheet(part.sheet);
    if (this.recorder !== null) this.recorder.addArea(sheet, part);
    return sheet;
  }
}
