/** Who may send at once; see `limits/notify.ts`. */
interface SlotLimits {
  readonly subscription: number;
  readonly hostQuick: number;
  readonly hostSlow: number;
  readonly processQuick: number;
  readonly processSlow: number;
}

interface Use {
  quick: number;
  slow: number;
}

/** One attempt's place. */
export interface Slot {
  /** The attempt takes long: it makes room for quick ones, if there is room for slow ones. */
  slowDown(): void;
  release(): void;
}

/**
 * Bounds attempts by subscription, host and process. Those that take long, and those of subscriptions whose last one
 * failed, have places of their own; the latter only half of them, so that a quick attempt that turns out to be slow
 * finds one. A subscription with a slow attempt gets no second one. Dead receivers can thus never hold the places that
 * live ones need.
 */
export class Slots {
  private readonly limits: SlotLimits;
  private readonly subscriptions = new Map<number, Use>();
  private readonly hosts = new Map<string, Use>();
  private readonly all: Use = { quick: 0, slow: 0 };

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  get inUse(): number {
    return this.all.quick + this.all.slow;
  }

  /** Whether a host has room for another attempt, of a subscription whose last one failed or of others. */
  hasRoom(host: string, failing: boolean): boolean {
    const { limits, all } = this;
    const { quick, slow } = this.hosts.get(host) ?? { quick: 0, slow: 0 };
    return failing
      ? slow < limits.hostSlow / 2 && all.slow < limits.processSlow / 2
      : quick < limits.hostQuick && all.quick < limits.processQuick;
  }

  /** Null: no room now. */
  take(subscription: number, host: string, failing: boolean): Slot | null {
    const { limits, all } = this;
    const own = this.subscriptions.get(subscription) ?? { quick: 0, slow: 0 };
    if (own.slow > 0 || own.quick >= (failing ? 1 : limits.subscription)) return null;
    const use = this.hosts.get(host) ?? { quick: 0, slow: 0 };
    if (!this.hasRoom(host, failing)) return null;
    this.subscriptions.set(subscription, own);
    this.hosts.set(host, use);
    return this.occupy([own, use, all], failing ? 'slow' : 'quick', () => {
      if (own.quick + own.slow === 0) this.subscriptions.delete(subscription);
      if (use.quick + use.slow === 0) this.hosts.delete(host);
    });
  }

  private occupy(uses: readonly [own: Use, host: Use, all: Use], first: keyof Use, onRelease: () => void): Slot {
    const { limits } = this;
    const [, host, all] = uses;
    let lane: keyof Use | null = null;
    const enter = (next: keyof Use | null): void => {
      for (const use of uses) {
        if (lane !== null) use[lane]--;
        if (next !== null) use[next]++;
      }
      lane = next;
    };
    enter(first);
    return {
      slowDown: () => {
        if (lane === 'quick' && host.slow < limits.hostSlow && all.slow < limits.processSlow) enter('slow');
      },
      release: () => {
        if (lane === null) return;
        enter(null);
        onRelease();
      },
    };
  }
}
