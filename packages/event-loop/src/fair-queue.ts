/** Lets so many in at a time. Of those who wait users take turns, and of each user the first comes first. */
export class FairQueue {
  private readonly waiting = new Map<number, (() => void)[]>();
  /** Who is in, once for each time. */
  private readonly inside: number[] = [];
  private readonly places: number;

  constructor(places = 1) {
    this.places = places;
  }

  /** Whether a user is in, or waits. */
  has(user: number): boolean {
    return this.inside.includes(user) || this.waiting.has(user);
  }

  /** Resolves when it is one's turn; `leave` must follow. */
  enter(user: number): Promise<void> {
    if (this.inside.length < this.places) {
      this.inside.push(user);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const line = this.waiting.get(user);
      if (line === undefined) this.waiting.set(user, [resolve]);
      else line.push(resolve);
    });
  }

  leave(user: number): void {
    this.inside.splice(this.inside.indexOf(user), 1);
    for (const [next, line] of this.waiting) {
      this.waiting.delete(next);
      const first = line.shift();
      // Behind all others.
      if (line.length > 0) this.waiting.set(next, line);
      this.inside.push(next);
      first?.();
      return;
    }
  }
}
