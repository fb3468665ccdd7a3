/** Lets one in at a time. Of those who wait users take turns, and of each user the first comes first. */
export class FairQueue {
  private readonly waiting = new Map<number, (() => void)[]>();
  /** Who is in; null: nobody. */
  private user: number | null = null;

  /** Whether a user is in, or waits. */
  has(user: number): boolean {
    return this.user === user || this.waiting.has(user);
  }

  /** Resolves when it is one's turn; `leave` must follow. */
  enter(user: number): Promise<void> {
    if (this.user === null) {
      this.user = user;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const line = this.waiting.get(user);
      if (line === undefined) this.waiting.set(user, [resolve]);
      else line.push(resolve);
    });
  }

  leave(): void {
    for (const [user, line] of this.waiting) {
      this.waiting.delete(user);
      const first = line.shift();
      // Behind all others.
      if (line.length > 0) this.waiting.set(user, line);
      this.user = user;
      first?.();
      return;
    }
    this.user = null;
  }
}
