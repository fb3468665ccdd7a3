import {
  countFilledRopeRows,
  createRope,
  createRopeFromParts,
  listRopeParts,
  type Rope,
  type RopePart,
  sliceRope,
} from '../../grid/rope.ts';
import { findRun, findRunAt, isLazy, type LazyRuns, type Run, type RunList } from '../template.ts';

/** Rows of a column, and the column of an earlier state from which their formulas come. */
interface RunsPart extends Omit<RopePart<RunList>, 'stays'> {}

/** Returns the runs of a column that consists of these parts, in order. */
export function moveRuns(parts: readonly RunsPart[], sheet: number, column: number): RunList {
  const rope = createRopeFromParts(parts, createRunsRope);
  return countFilledRopeRows(rope) === 0 ? [] : new MovedRuns(rope, sheet, column);
}

function createRunsRope({ source, from, count }: RunsPart): Rope<RunList> {
  if (source instanceof MovedRuns) return sliceRope(source.rope, from, count, true);
  return source.length === 0 ? null : createRope(source, from, count, true);
}

/** True if there are no formulas. Runs that are not created yet count as formulas. */
export function isWithoutRuns(runs: RunList): boolean {
  return !(runs instanceof MovedRuns) && runs.length === 0;
}

/** Runs of moved rows, created on demand. */
class MovedRuns implements LazyRuns {
  readonly rope: Rope<RunList>;
  private readonly sheet: number;
  private readonly column: number;
  private madeRuns: readonly Run[] | null = null;

  constructor(rope: Rope<RunList>, sheet: number, column: number) {
    this.rope = rope;
    this.sheet = sheet;
    this.column = column;
  }

  get length(): number {
    return this.list().length;
  }

  at(row: number): Run | undefined {
    return findRunAt(this.list(), row);
  }

  list(): readonly Run[] {
    this.madeRuns ??= listRopeParts(this.rope).flatMap((stretch) => this.clipRuns(stretch));
    return this.madeRuns;
  }

  /** The runs of a part at their new rows, without the rows outside of it. */
  private clipRuns({ source, from, to, count }: RunsPart): Run[] {
    const { sheet, column } = this;
    const runs = isLazy(source) ? source.list() : source;
    const last = from + count - 1;
    const by = to - from;
    const moved: Run[] = [];
    const first = findRun(runs, from);
    for (let i = first < 0 ? ~first : first; i < runs.length; i++) {
      const run = runs[i]!;
      if (run.top > last) break;
      const isWhole = run.top >= from && run.bottom <= last;
      if (isWhole && by === 0 && run.column === column && run.sheet === sheet) moved.push(run);
      else {
        const top = Math.max(run.top, from) + by;
        moved.push({ ...run, sheet, column, top, bottom: Math.min(run.bottom, last) + by });
      }
    }
    return moved;
  }
}
