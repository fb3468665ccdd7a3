import type { Matrix } from '../functions/value.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { ChangeLog } from './change-log.ts';
import { inferFormat } from './infer-format.ts';

/** Gives a formula's cell the format of its operands, unless somebody gave it one. */
export function inferCellFormat(draft: Draft, run: Run, row: number, changes: ChangeLog): void {
  const sheet = draft.sheet(run.sheet) as Sheet;
  if (!mayChange(draft, sheet.format(row, run.column))) return;
  const isOther = draft.setFormat(run.sheet, row, run.column, inferredFormat(draft, run, row, 0));
  if (isOther) changes.add(run.sheet, row, run.column);
}

/** The same for the numbers of an array that spilled: one format a column. */
export function inferSpillFormats(draft: Draft, run: Run, anchorRow: number, matrix: Matrix, changes: ChangeLog): void {
  const sheet = draft.sheet(run.sheet) as Sheet;
  for (let c = 0; c < matrix.columns; c++) {
    const column = run.column + c;
    const format = inferredFormat(draft, run, anchorRow, c);
    for (let r = 0; r < matrix.rows; ) {
      const row = anchorRow + r;
      if (sheet.chunk(column, row >> CHUNK_SHIFT)?.formats === format) {
        r += CHUNK_MASK + 1 - (row & CHUNK_MASK);
        continue;
      }
      if (typeof matrix.get(r, c) === 'number' && mayChange(draft, sheet.format(row, column))) {
        if (draft.setFormat(run.sheet, row, column, format)) changes.add(run.sheet, row, column);
      }
      r++;
    }
  }
}

function mayChange(draft: Draft, held: number): boolean {
  return held === GENERAL || draft.formats.get(held).inferred;
}

function inferredFormat(draft: Draft, run: Run, anchorRow: number, across: number): number {
  const at = { sheet: run.sheet, row: anchorRow, column: run.column, across };
  return draft.formats.idOf(inferFormat(run.template.node, at, draft), true);
}
