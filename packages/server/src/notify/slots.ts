/** Who may send at once; see `limits/notify.ts`. */
interface SlotLimits {
  readonly subscription: number;
  readonly hostQuick: number;
  readonly hostSlow: number;
  readonly userQuick: number;
  readonly userSlow: number;
  readonly processQuick: number;
  readonly processSlow: number;
}

/** The host that an attempt goes to, and the user of its subscription. */
export interface Receiver {
  readonly host: string;
  /** The user who made the subscription; null: the subscription is deleted. */
  readonly user: number | null;
}

interface SlotUse {
  quick: number;
  slow: number;
}

const NO_USE: Readonly<SlotUse> = { quick: 0, slow: 0 };

/** One attempt's place. */
export interface Slot {
  /** The attempt takes long: it makes room for quick ones, if there is room for slow ones. */
  slowDown(): void;
  release(): void;
}

/**
 * Bounds attempts by subscription, host, user and process. Those that take long, and those of subscriptions whose last one
 * failed, have places of their own; the latter only half of them, so that a quick attempt that turns out to be slow
 * finds one. A subscription with a slow attempt gets no second one. Dead receivers can thus never hold the places that
 * live ones need.
 */
export class Slots {
  private readonly limits: SlotLimits;
  private readonly subscriptions = new Map<number, SlotUse>();
  private readonly hosts = new Map<string, SlotUse>();
  private readonly users = new Map<number | null, SlotUse>();
  private readonly all: SlotUse = { quick: 0, slow: 0 };

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  get inUse(): number {
    return this.all.quick + this.all.slow;
  }

  /** Whether there is room for another attempt, of a subscription whose last one failed or of others. */
  hasRoom({ host, user }: Receiver, failing: boolean): boolean {
    const { limits, all } = this;
    const { quick, slow } = this.hosts.get(host) ?? NO_USE;
    const users = this.users.get(user) ?? NO_USE;
    return failing
      ? slow < limits.hostSlow / 2 && users.slow < limits.userSlow / 2 && all.slow < limits.processSlow / 2
      : quick < limits.hostQuick && users.quick < limits.userQuick && all.quick < limits.processQuick;
  }

  /** Null: no room now. */
  take(subscription: number, { host, user }: Receiver, failing: boolean): Slot | null {
    const { limits, all } = this;
    const own = this.subscriptions.get(subscription) ?? { quick: 0, slow: 0 };
    if (own.slow > 0 || own.quick >= (failing ? 1 : limits.subscription)) return null;
    const use = this.hosts.get(host) ?? { quick: 0, slow: 0 };
    const users = this.users.get(user) ?? { quick: 0, slow: 0 };
    if (!this.hasRoom({ host, user }, failing)) return null;
    this.subscriptions.set(subscription, own);
    this.hosts.set(host, use);
    this.users.set(user, users);
    return this.occupy([own, use, users, all], failing ? 'slow' : 'quick', () => {
      if (own.quick + own.slow === 0) this.subscriptions.delete(subscription);
      if (use.quick + use.slow === 0) this.hosts.delete(host);
      if (users.quick + users.slow === 0) this.users.delete(user);
    });
  }

  private occupy(
    uses: readonly [own: SlotUse, host: SlotUse, user: SlotUse, all: SlotUse],
    first: keyof SlotUse,
    onRelease: () => void,
  ): Slot {
    const { limits } = this;
    const [, host, user, all] = uses;
    let lane: keyof SlotUse | null = null;
    const enter = (next: keyof SlotUse | null): void => {
      for (const use of uses) {
        if (lane !== null) use[lane]--;
        if (next !== null) use[next]++;
      }
      lane = next;
    };
    enter(first);
    return {
      slowDown: () => {
        const hasRoom = host.slow < limits.hostSlow && user.slow < limits.userSlow && all.slow < limits.processSlow;
        if (lane === 'quick' && hasRoom) enter('slow');
      },
      release: () => {
        if (lane === null) return;
        enter(null);
        onRelease();
      },
    };
  }
}
