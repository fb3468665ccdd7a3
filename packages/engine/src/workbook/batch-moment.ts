import type { CalculationMoment } from '../calc/calculation-moment.ts';
import { instantToSerial } from '../locale/index.ts';
import type { DocumentSettings } from '../sheet/snapshot.ts';
import { createRandom } from './cell-random.ts';
import type { ApplyContext } from './types.ts';

/**
 * The time of a batch's calculation. It is converted to the document's time zone on demand, because this takes longer
 * than most batches.
 */
export class BatchMoment implements CalculationMoment {
  private readonly settings: DocumentSettings;
  private readonly instant: number;
  private readonly seed: number;
  private serial: number | null = null;

  constructor(settings: DocumentSettings, context: ApplyContext) {
    this.settings = settings;
    this.instant = context.now;
    this.seed = context.seed;
  }

  /** Creates the generator of a cell's random numbers. */
  randomFor(sheet: number, row: number, column: number): () => number {
    return createRandom(this.seed, sheet, row, column);
  }

  get now(): number {
    this.serial ??= instantToSerial(this.instant, this.settings.timeZone, this.settings.dateSystem);
    return this.serial;
  }
}
