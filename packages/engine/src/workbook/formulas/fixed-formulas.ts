import type { Precedent } from '../../graph/precedent.ts';
import type { FormulaBehaviour } from '../../graph/precedents.ts';
import type { Run } from '../../sheet/template.ts';

/** A run, the cells that it reads, and its behaviour. */
export interface FormulaRun {
  readonly run: Run;
  readonly precedents: readonly Precedent[];
  readonly behaviour: FormulaBehaviour;
}

/**
 * Returns a key for a formula whose result does not depend on its cell: all references are absolute, and it depends
 * neither on its position nor on random numbers. Null for other formulas.
 */
function createFixedFormulaKey({ run: { template, writer }, precedents, behaviour }: FormulaRun): string | null {
  const { always, daily, indirect, followsMoves, followsNames } = behaviour;
  if (always || daily || indirect || followsMoves || followsNames || precedents.length === 0) return null;
  const isFixed = precedents.every(
    ({ top, left, bottom, right }) => top.absolute && left.absolute && bottom.absolute && right.absolute,
  );
  return isFixed ? `${writer ?? ''}:${JSON.stringify(template.node)}` : null;
}

/** Counts, for each key, how many cells with such a formula were added or removed. */
export class FixedFormulas {
  private readonly cells = new Map<string, number>();

  /** Counts the cells of a run as added (1) or removed (-1). */
  countFormulas(formulas: FormulaRun, sign: 1 | -1): void {
    const key = createFixedFormulaKey(formulas);
    if (key === null) return;
    const { top, bottom } = formulas.run;
    this.cells.set(key, (this.cells.get(key) ?? 0) + sign * (bottom - top + 1));
  }

  /**
   * True if the number of cells with such a formula did not increase. They were then only moved, which does not change
   * their results.
   */
  haveOnlyMoved(formulas: FormulaRun): boolean {
    const key = createFixedFormulaKey(formulas);
    return key !== null && (this.cells.get(key) ?? 1) <= 0;
  }
}
