/** Runs the tasks of one key one after another; different keys never wait for each other. */
export class KeyLocks {
  private readonly last = new Map<string, Promise<void>>();

  isHeld(key: string): boolean {
    return this.last.has(key);
  }

  /** Resolves when every task that holds the key or waits for it has finished. */
  async waitUntilIdle(key: string): Promise<void> {
    await this.last.get(key);
  }

  /** Runs the task after all earlier tasks with the same key. */
  async runExclusively<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const turn = Promise.withResolvers<void>();
    this.last.set(key, turn.promise);
    await before;
    try {
      return await task();
    } finally {
      if (this.last.get(key) === turn.promise) this.last.delete(key);
      turn.resolve();
    }
  }
}
