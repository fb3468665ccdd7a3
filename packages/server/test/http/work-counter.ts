import { performance } from 'node:perf_hooks';
import { ByteReader, ByteWriter } from '../../../engine/src/codec/bytes.ts';
import { Cells } from '../../../engine/src/sheet/cells.ts';
import { Chunk } from '../../../engine/src/sheet/chunk.ts';
import { ChunkTable } from '../../../engine/src/sheet/chunk-table.ts';
import { Texts } from '../../../engine/src/sheet/texts.ts';

/** What all work over cells goes through. */
const COUNTED = [ByteReader, ByteWriter, Cells, Chunk, ChunkTable, Texts];

/**
 * Counts the longest work of this thread over cells between two points at which others could have had their turn: turns of
 * the event loop, and looks at the clock, which everything that works in slices takes between two steps. Counting calls
 * and not milliseconds, it says the same on any machine; threads load the engine for themselves and are not counted.
 */
export class WorkCounter {
  private count = 0;
  private longest = 0;
  private isCounting = false;
  private readonly restore: (() => void)[] = [];

  constructor() {
    for (const { prototype } of COUNTED) this.watch(prototype);
    const now = performance.now.bind(performance);
    this.replace(performance, 'now', () => {
      this.pass();
      return now();
    });
  }

  /** What work gives, and the longest meanwhile, in calls. */
  async during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly longest: number }> {
    this.count = 0;
    this.longest = 0;
    this.isCounting = true;
    this.turn();
    try {
      const result = await work();
      this.pass();
      return { result, longest: this.longest };
    } finally {
      this.isCounting = false;
    }
  }

  stop(): void {
    for (const restore of this.restore) restore();
  }

  private turn(): void {
    this.pass();
    if (this.isCounting) setImmediate(() => this.turn());
  }

  private pass(): void {
    this.longest = Math.max(this.longest, this.count);
    this.count = 0;
  }

  private watch(prototype: object): void {
    const add = () => this.count++;
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name === 'constructor') continue;
      if (typeof value === 'function') {
        this.replace(prototype, name, function (this: unknown, ...given: unknown[]) {
          add();
          return value.apply(this, given);
        });
      } else if (get !== undefined) {
        const counted = function (this: unknown) {
          add();
          return get.call(this);
        };
        this.define(prototype, name, { get: counted });
      }
    }
  }

  private replace(target: object, name: string, value: unknown): void {
    this.define(target, name, { value });
  }

  private define(target: object, name: string, changed: PropertyDescriptor): void {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { ...before, ...changed, configurable: true });
    this.restore.push(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  }
}
