/** Maximum numbers of simultaneous attempts; see `limits/notify.ts`. */
interface SlotLimits {
  readonly subscription: number;
  readonly hostQuick: number;
  readonly hostSlow: number;
  readonly userQuick: number;
  readonly userSlow: number;
  readonly processQuick: number;
  readonly processSlow: number;
}

/** The host of an attempt, and the user of its subscription. */
export interface AttemptReceiver {
  readonly host: string;
  /** The user who created the subscription; null: the subscription is deleted. */
  readonly user: number | null;
}

interface SlotUse {
  quick: number;
  slow: number;
}

const NO_USE: Readonly<SlotUse> = { quick: 0, slow: 0 };

/** The slot of one attempt. */
export interface AttemptSlot {
  /** Moves a long attempt to a slow slot if one is free, so that its quick slot becomes free. */
  moveToSlowSlot(): void;
  release(): void;
}

/**
 * Limits simultaneous attempts by subscription, host, user and process. Long attempts, and attempts of subscriptions
 * whose last attempt failed, use separate slow slots. Failing subscriptions may use only half of them, so that a quick
 * attempt that becomes slow finds a free one. A subscription with a slow attempt gets no second slot. Dead receivers
 * can therefore never block the slots of working ones.
 */
export class AttemptSlots {
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

  /** Whether a slot is free. `failing`: the subscription's last attempt failed. */
  hasFreeSlot({ host, user }: AttemptReceiver, failing: boolean): boolean {
    const { limits, all } = this;
    const { quick, slow } = this.hosts.get(host) ?? NO_USE;
    const users = this.users.get(user) ?? NO_USE;
    return failing
      ? slow < limits.hostSlow / 2 && users.slow < limits.userSlow / 2 && all.slow < limits.processSlow / 2
      : quick < limits.hostQuick && users.quick < limits.userQuick && all.quick < limits.processQuick;
  }

  /** Takes a slot; null: none is free. */
  takeSlot(subscription: number, { host, user }: AttemptReceiver, failing: boolean): AttemptSlot | null {
    const { limits, all } = this;
    const own = this.subscriptions.get(subscription) ?? { quick: 0, slow: 0 };
    if (own.slow > 0 || own.quick >= (failing ? 1 : limits.subscription)) return null;
    const use = this.hosts.get(host) ?? { quick: 0, slow: 0 };
    const users = this.users.get(user) ?? { quick: 0, slow: 0 };
    if (!this.hasFreeSlot({ host, user }, failing)) return null;
    this.subscriptions.set(subscription, own);
    this.hosts.set(host, use);
    this.users.set(user, users);
    return this.occupySlots([own, use, users, all], failing ? 'slow' : 'quick', () => {
      if (own.quick + own.slow === 0) this.subscriptions.delete(subscription);
      if (use.quick + use.slow === 0) this.hosts.delete(host);
      if (users.quick + users.slow === 0) this.users.delete(user);
    });
  }

  /** Counts an attempt in one lane of all four uses, until the returned slot is released. */
  private occupySlots(
    uses: readonly [own: SlotUse, host: SlotUse, user: SlotUse, all: SlotUse],
    first: keyof SlotUse,
    onRelease: () => void,
  ): AttemptSlot {
    const { limits } = this;
    const [, host, user, all] = uses;
    let lane: keyof SlotUse | null = null;
    const enterUse = (next: keyof SlotUse | null): void => {
      for (const use of uses) {
        if (lane !== null) use[lane]--;
        if (next !== null) use[next]++;
      }
      lane = next;
    };
    enterUse(first);
    return {
      moveToSlowSlot: () => {
        const hasRoom = host.slow < limits.hostSlow && user.slow < limits.userSlow && all.slow < limits.processSlow;
        if (lane === 'quick' && hasRoom) enterUse('slow');
      },
      release: () => {
        if (lane === null) return;
        enterUse(null);
        onRelease();
      },
    };
  }
}
