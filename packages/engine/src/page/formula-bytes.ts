import { type Grammar, printByRow } from '../formula/index.ts';
import { MAX_ROWS } from '../grid/limits.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { encodeJson, type JsonWriter } from './json-writer.ts';

/** The formulas of a run as JSON text, `,"f":"=A5*2"`. Cells differ only in row numbers. */
export class FormulaBytes {
  /** The rows of the run in which every reference is inside the grid. */
  readonly top: number;
  readonly bottom: number;
  private readonly pieces: readonly Uint8Array[];
  private readonly offsets: readonly number[];

  private constructor(run: Run, pieces: readonly Uint8Array[], offsets: readonly number[]) {
    this.top = Math.max(run.top, -Math.min(0, ...offsets));
    this.bottom = Math.min(run.bottom, MAX_ROWS - 1 - Math.max(0, ...offsets));
    this.pieces = pieces;
    this.offsets = offsets;
  }

  /** The formulas of a run as bytes; null if the text cannot be split at its row numbers. */
  static create(snapshot: Snapshot, run: Run, grammar: Grammar): FormulaBytes | null {
    const names = { getSheetName: (id: number) => snapshot.sheetById(id)?.name ?? null };
    const text = printByRow(run.template.node, grammar, run.column, names);
    if (text === null) return null;
    const last = text.offsets.length;
    const pieces = text.pieces.map((piece, i) => {
      const inner = JSON.stringify(piece).slice(1, -1);
      return encodeJson(`${i === 0 ? ',"f":"' : ''}${inner}${i === last ? '"' : ''}`);
    });
    return new FormulaBytes(run, pieces, text.offsets);
  }

  writeFormula(out: JsonWriter, row: number): void {
    const { pieces, offsets } = this;
    for (let i = 0; i < pieces.length; i++) {
      out.writeBytes(pieces[i]!);
      if (i < offsets.length) out.writeWholeNumber(row + offsets[i]! + 1);
    }
  }
}
