import type { Edit, Refusal, Rights, Snapshot } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import { MAX_WORKING_COPY_MS } from '../limits/calculation.ts';
import { type CalculatedBatch, Calculator, type UnfinishedBatch } from './calculation/calculator.ts';
import { createCalculationContext } from './calculation/context.ts';
import type { OpenEnvironment } from './environment.ts';
import type { DocumentSharing } from './rights.ts';
import type { WorkingCopy } from './types.ts';

/** A working copy that a calculator of its own keeps up to date. */
export class CalculatedCopy implements WorkingCopy {
  private state: Snapshot;
  private readonly writer: number;
  private readonly sharing: DocumentSharing;
  private readonly environment: OpenEnvironment;
  private readonly calculator: Calculator;
  /** Rights of the writer; null until the first edits. */
  private rights: Rights | null = null;
  private milliseconds = 0;

  /** `writer`: the user who edits and pays. */
  constructor(base: Snapshot, writer: number, sharing: DocumentSharing, environment: OpenEnvironment) {
    this.state = base;
    this.writer = writer;
    this.sharing = sharing;
    this.environment = environment;
    this.calculator = new Calculator(environment.threads?.pool ?? null, environment.graphs, false);
  }

  apply(edits: readonly Edit[]): MaybePromise<Snapshot | Refusal | UnfinishedBatch> {
    const { clock, limits, textLimits } = this.environment;
    const calculationMs = Math.min(limits.calculationMs, MAX_WORKING_COPY_MS - this.milliseconds);
    if (calculationMs <= 0) return { kind: 'refusal', reason: 'calculationLimit' };
    return mapMaybe(this.rights ?? this.readRights(), (rights) => {
      const writer = { writer: this.writer, rights };
      const context = createCalculationContext(clock(), { ...limits, calculationMs }, writer, textLimits);
      const start = performance.now();
      const calculated = this.calculator.calculate(this.state, edits, context, this.writer);
      return mapMaybe(calculated, (result) => {
        this.milliseconds += performance.now() - start;
        return this.acceptResult(result);
      });
    });
  }

  /** The newest rights to sheets, kept for the calculation of the copy. */
  private readRights(): MaybePromise<Rights> {
    return mapMaybe(this.sharing.readLatest(), ({ rights }) => {
      this.rights = rights;
      return rights;
    });
  }

  /** Makes a calculated state the current one of the copy. Returns every other result as it is. */
  private acceptResult(result: CalculatedBatch | Refusal | UnfinishedBatch): Snapshot | Refusal | UnfinishedBatch {
    if (result.kind !== 'calculated') return result;
    this.calculator.forgetOldStates();
    this.state = result.after;
    return result.after;
  }

  discard(): void {
    this.calculator.freeWriterState();
  }
}
