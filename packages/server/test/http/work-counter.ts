import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ByteReader, ByteWriter } from '../../../engine/src/codec/bytes.ts';
import { Cells } from '../../../engine/src/sheet/cells.ts';
import { Chunk } from '../../../engine/src/sheet/chunk.ts';
import { ChunkTable } from '../../../engine/src/sheet/chunk-table.ts';
import { Texts } from '../../../engine/src/sheet/texts.ts';
import { LiveDocument } from '../../src/documents/live-document.ts';
import type { World } from './support.ts';

/** Time between two checks whether a document works, in milliseconds. */
const POLL_MS = 5;

/** Every operation on cells calls a method of these classes. */
const COUNTED_CLASSES = [ByteReader, ByteWriter, Cells, Chunk, ChunkTable, Texts];

/**
 * Measures the longest work of this thread over cells without a pause, in calls. A pause is a turn of the event loop
 * or a call of `performance.now`, which all sliced work makes between two slices. Call counts, unlike milliseconds,
 * are the same on any machine. Worker threads load their own copy of the engine and are not counted.
 */
export class WorkCounter {
  private count = 0;
  private longest = 0;
  private isCounting = false;
  private readonly restore: (() => void)[] = [];

  constructor() {
    for (const { prototype } of COUNTED_CLASSES) this.countCallsOf(prototype);
    const now = performance.now.bind(performance);
    this.replaceMember(performance, 'now', () => {
      this.endSlice();
      return now();
    });
  }

  /** Runs the work; returns its result and the longest run of calls without a pause. */
  async countDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly longest: number }> {
    this.count = 0;
    this.longest = 0;
    this.isCounting = true;
    this.endSliceEachTurn();
    try {
      const result = await work();
      this.endSlice();
      return { result, longest: this.longest };
    } finally {
      this.isCounting = false;
    }
  }

  /** Restores the original methods. */
  stop(): void {
    for (const restore of this.restore) restore();
  }

  /** Ends the slice at the end of each turn of the event loop, while work is counted. */
  private endSliceEachTurn(): void {
    this.endSlice();
    if (this.isCounting) setImmediate(() => this.endSliceEachTurn());
  }

  /** Ends a run of calls: compares its number with the longest so far. */
  private endSlice(): void {
    this.longest = Math.max(this.longest, this.count);
    this.count = 0;
  }

  /** Makes all methods and getters of a class count their calls. */
  private countCallsOf(prototype: object): void {
    const add = () => this.count++;
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name === 'constructor') continue;
      if (typeof value === 'function') {
        this.replaceMember(prototype, name, function (this: unknown, ...callArguments: unknown[]) {
          add();
          return value.apply(this, callArguments);
        });
      } else if (get !== undefined) {
        const countedGetter = function (this: unknown) {
          add();
          return get.call(this);
        };
        this.redefineProperty(prototype, name, { get: countedGetter });
      }
    }
  }

  /** Replaces a member until `stop`. */
  private replaceMember(target: object, name: string, value: unknown): void {
    this.redefineProperty(target, name, { value });
  }

  /** Changes the definition of a property until `stop`. */
  private redefineProperty(target: object, name: string, changed: PropertyDescriptor): void {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { ...before, ...changed, configurable: true });
    this.restore.push(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  }
}

/**
 * Frees the data that a document keeps for writers, so that the next write starts in the serving thread. Waits for
 * checkpoints, because a document keeps the data while it works.
 */
export async function freeWriterState({ server }: World, document: string): Promise<void> {
  const open = await server.service.context.documents.open(document);
  assert.ok(open instanceof LiveDocument);
  while (!open.isIdle) await delay(POLL_MS);
  open.freeWriterState();
}
