/** A semaphore with `places` places. Waiting users get places in turns; requests of one user are served in order. */
export class FairQueue {
  private readonly waiting = new Map<number, (() => void)[]>();
  /** Users that occupy a place; one element for each place. */
  private readonly inside: number[] = [];
  private readonly places: number;

  constructor(places = 1) {
    this.places = places;
  }

  /** True if a user occupies a place or waits for one. */
  has(user: number): boolean {
    return this.inside.includes(user) || this.waiting.has(user);
  }

  /** True if the next user need not wait. */
  get hasFreePlace(): boolean {
    return this.inside.length < this.places;
  }

  /** Resolves when the user has a place. The caller must call `leave` afterwards. */
  enter(user: number): Promise<void> {
    if (this.hasFreePlace) {
      this.inside.push(user);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const line = this.waiting.get(user);
      if (line === undefined) this.waiting.set(user, [resolve]);
      else line.push(resolve);
    });
  }

  /** Frees the place of a user and admits the first task of the next user. */
  leave(user: number): void {
    this.inside.splice(this.inside.indexOf(user), 1);
    for (const [next, line] of this.waiting) {
      this.waiting.delete(next);
      const first = line.shift();
      // Inserting the entry again moves the user behind all others.
      if (line.length > 0) this.waiting.set(next, line);
      this.inside.push(next);
      first?.();
      return;
    }
  }
}
