import type { AttemptReceiver } from './slots.ts';

/** A subscription that may have due deliveries. */
export interface ReadySubscription extends AttemptReceiver {
  readonly document: string;
}

/**
 * Subscriptions of one user at one host. They compete for the same slots. The least recently served one comes first.
 */
interface ReadyGroup {
  readonly receiver: AttemptReceiver;
  /** Whether the last attempts of these subscriptions failed. */
  readonly isFailing: boolean;
  readonly targets: ReadonlyMap<number, ReadySubscription>;
}

/**
 * Subscriptions that may have due deliveries, grouped by the slots that they compete for. A group without a free slot
 * is skipped as a whole.
 */
export class ReadyQueue {
  private readonly byKey = new Map<string, ReadyGroup & { readonly targets: Map<number, ReadySubscription> }>();
  private readonly keys = new Map<number, string>();

  get groups(): Iterable<ReadyGroup> {
    return this.byKey.values();
  }

  has(id: number): boolean {
    return this.keys.has(id);
  }

  /** Adds a subscription at the end of its group, or moves it there. */
  putLast(id: number, target: ReadySubscription, isFailing: boolean): void {
    this.deleteSubscription(id);
    const { host, user } = target;
    const key = `${isFailing} ${user} ${host}`;
    const group = this.byKey.get(key) ?? {
      receiver: { host, user },
      isFailing,
      targets: new Map<number, ReadySubscription>(),
    };
    this.byKey.set(key, group);
    this.keys.set(id, key);
    group.targets.set(id, target);
  }

  deleteSubscription(id: number): void {
    const key = this.keys.get(id);
    if (key === undefined) return;
    this.keys.delete(id);
    const group = this.byKey.get(key);
    group?.targets.delete(id);
    if (group?.targets.size === 0) this.byKey.delete(key);
  }
}
