import { type Grammar, getGrammar, print } from '../../formula/index.ts';
import type { Area } from '../../grid/area.ts';
import { formatClass, readPlainNumber } from '../../locale/index.ts';
import { EMPTY, FORMULA, NUMBER, SPILLED, TEXT } from '../../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../../sheet/chunk.ts';
import type { Sheet } from '../../sheet/snapshot.ts';
import type { Batch } from '../batch.ts';
import { checkLength } from '../check-edits.ts';
import { enterInput, measureTextWork } from '../enter-input.ts';
import { clipToFilledCells } from '../entered-cells.ts';
import type { Refusal } from '../types.ts';
import { MIN_CELLS_AT_ONCE, writeChunkCells } from '../write-chunk-cells.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';
import { canOccurInNumbers, createReplacer } from './text-replacement.ts';

/**
 * Replaces literal texts in cells. A cell whose text becomes empty is cleared. The outcome counts the changed cells.
 */
export function replaceTexts(batch: Batch, edit: EditOfKind<'replace'>): EditResult {
  const { sheet: id, area } = edit;
  const within = clipToFilledCells(batch, edit);
  return within === null ? { sheet: id, area, cells: 0 } : new CellReplacement(batch, edit).replaceCells(within);
}

/** Replaces texts in the cells of one sheet, chunk by chunk. */
class CellReplacement {
  private readonly batch: Batch;
  private readonly edit: EditOfKind<'replace'>;
  /** The sheet in its state before the edit. */
  private readonly sheet: Sheet;
  private readonly grammar: Grammar;
  private readonly replace: (text: string) => string;
  private readonly searchesNumbers: boolean;
  /**
   * For each format id: true if a plain number that is entered into a cell with this format is read as the same number.
   */
  private readonly keepsNumbers = new Map<number, boolean>();
  private readonly replaced = new ReplacedCells();
  private cells = 0;

  constructor(batch: Batch, edit: EditOfKind<'replace'>) {
    this.batch = batch;
    this.edit = edit;
    this.sheet = batch.draft.requireSheet(edit.sheet);
    this.grammar = getGrammar(edit.locale ?? null);
    this.replace = createReplacer(edit);
    this.searchesNumbers = canOccurInNumbers(edit.find, this.grammar.decimal);
  }

  replaceCells({ top, left, bottom, right }: Area): EditResult {
    for (let column = left; column <= right; column++) {
      for (let first = top; first <= bottom; first = (first | CHUNK_MASK) + 1) {
        const last = Math.min(first | CHUNK_MASK, bottom);
        this.batch.meter.reportWork(last - first + 1);
        const refusal = this.replaceChunk(column, first, last);
        if (refusal !== null) return refusal;
      }
    }
    return { sheet: this.edit.sheet, area: this.edit.area, cells: this.cells };
  }

  /** Replaces texts in the cells of rows `first` to `last`, which are of one chunk. Returns the first refusal. */
  private replaceChunk(column: number, first: number, last: number): Refusal | null {
    const { batch, edit, sheet, replace, replaced } = this;
    const chunk = sheet.chunk(column, first >> CHUNK_SHIFT);
    if (chunk === undefined) return null;
    for (let row = first; row <= last; row++) {
      const text = this.readSearchedText(chunk, row, column);
      const next = text === null ? null : replace(text);
      if (next === null || next === text) continue;
      const isText = chunk.kind(row & CHUNK_MASK) === TEXT;
      const refusal = batch.refusal ?? checkLength(next, !isText && next.startsWith('='), batch.textLimits);
      if (refusal !== null) return refusal;
      this.cells++;
      const value = isText ? next : this.readNumber(next, chunk, row);
      if (value === null) {
        enterInput(batch, edit.sheet, row, column, next, { mode: 'user', locale: edit.locale ?? null });
      } else if (value !== chunk.number(row & CHUNK_MASK)) replaced.put(row, value);
    }
    replaced.write(batch, edit.sheet, column);
    return null;
  }

  /**
   * Returns the text that is searched: a text, a number, or with `formulas` the text of a formula; null for other
   * cells.
   */
  private readSearchedText(chunk: Chunk, row: number, column: number): string | null {
    const at = row & CHUNK_MASK;
    const kind = chunk.kind(at);
    if (kind === TEXT) return chunk.texts.decodeOnce(chunk.number(at));
    if (kind === NUMBER) return this.searchesNumbers ? this.printNumber(chunk.number(at)) : null;
    return (kind & FORMULA) !== 0 && (kind & SPILLED) === 0 && this.edit.formulas
      ? this.printFormula(row, column)
      : null;
  }

  /** The text of a number with the decimal mark of the grammar. */
  private printNumber(number: number): string {
    return String(number).replace('.', this.grammar.decimal);
  }

  /** The text of a cell's formula; null for a cell without one. */
  private printFormula(row: number, column: number): string | null {
    const { draft } = this.batch;
    const run = this.sheet.run(row, column);
    const names = { getSheetName: (id: number) => draft.sheet(id)?.name ?? null };
    return run ? print(run.template.node, this.grammar, { row, column }, names) : null;
  }

  /** Returns the number that a text gives to its cell, if that does not depend on settings or formats; else null. */
  private readNumber(text: string, chunk: Chunk, row: number): number | null {
    if (chunk.kind(row & CHUNK_MASK) !== NUMBER) return null;
    const number = readPlainNumber(text, this.grammar.decimal);
    return number !== null && this.keepsNumber(chunk.format(row & CHUNK_MASK)) ? number : null;
  }

  /** True if a number typed into a cell with this format stays the same number; false for text and percent formats. */
  private keepsNumber(format: number): boolean {
    let keeps = this.keepsNumbers.get(format);
    if (keeps === undefined) {
      const kind = formatClass(this.batch.draft.formats.code(format));
      keeps = kind !== 'text' && kind !== 'percent';
      this.keepsNumbers.set(format, keeps);
    }
    return keeps;
  }
}

/** New texts and numbers for cells of one chunk with plain values. They are written together. */
class ReplacedCells {
  private readonly rows = new Uint32Array(CHUNK_ROWS);
  private readonly kinds = new Uint8Array(CHUNK_ROWS);
  private readonly numbers = new Float64Array(CHUNK_ROWS);
  private readonly texts: string[] = [];
  private count = 0;

  /** Adds a cell. Rows must come in ascending order. */
  put(row: number, value: string | number): void {
    const i = this.count++;
    this.rows[i] = row;
    this.kinds[i] = chooseKind(value);
    if (typeof value === 'number') this.numbers[i] = value;
    else this.numbers[i] = value === '' ? 0 : this.texts.push(value) - 1;
  }

  /** Writes the cells and then starts the next chunk. */
  write(batch: Batch, sheet: number, column: number): void {
    const { count, texts } = this;
    batch.meter.reportWork(count + texts.reduce((work, text) => work + measureTextWork(text) - 1, 0));
    if (count >= MIN_CELLS_AT_ONCE) this.writeChunk(batch, sheet, column);
    else {
      for (let i = 0; i < count; i++) batch.cells.putValue(sheet, this.rows[i]!, column, this.readValue(i));
    }
    this.count = 0;
    this.texts.length = 0;
  }

  /** The new value of the cell with index `i`. */
  private readValue(i: number): string | number | null {
    if (this.kinds[i] === EMPTY) return null;
    return this.kinds[i] === NUMBER ? this.numbers[i]! : this.texts[this.numbers[i]!]!;
  }

  /** Writes all collected cells into their chunk at once. */
  private writeChunk({ draft, written }: Batch, sheet: number, column: number): void {
    const { count, texts } = this;
    const rows = this.rows.subarray(0, count);
    for (let i = 0; i < count; i++) written.add(sheet, rows[i]!, column);
    writeChunkCells(draft, sheet, {
      column,
      rows,
      kinds: this.kinds.subarray(0, count),
      numbers: this.numbers.subarray(0, count),
      texts: texts.length === 0 ? null : { addTo: (packer, i) => packer.add(texts[i]!) },
    });
  }
}

function chooseKind(value: string | number): number {
  if (typeof value === 'number') return NUMBER;
  return value === '' ? EMPTY : TEXT;
}
