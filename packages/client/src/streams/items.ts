import type { CallOptions } from '../http/options.ts';

/** Items that are read page by page. Iterate with `for await`, or await it to get an array of all items. */
export class Items<T> implements AsyncIterable<T>, Promise<T[]> {
  readonly [Symbol.toStringTag] = 'Items';
  private readonly iterate: () => AsyncGenerator<T, void>;

  constructor(iterate: () => AsyncGenerator<T, void>) {
    this.iterate = iterate;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return this.iterate();
  }

  then<A = T[], B = never>(
    fulfilled?: ((items: T[]) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.readAll().then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T[] | B> {
    return this.readAll().catch(rejected);
  }

  finally(settled?: (() => void) | null): Promise<T[]> {
    return this.readAll().finally(settled);
  }

  private async readAll(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this.iterate()) items.push(item);
    return items;
  }
}

/**
 * Yields the items of pages by cursor, at most `limit`. If an item moves to a later page meanwhile, it is yielded only
 * once.
 */
export async function* readByCursor<T extends { readonly id: string }>(
  readPage: (
    cursor: string | undefined,
  ) => Promise<{ readonly entries: readonly T[]; readonly nextCursor?: string | null | undefined }>,
  { limit = Number.POSITIVE_INFINITY, signal }: { readonly limit?: number | undefined } & Pick<CallOptions, 'signal'>,
): AsyncGenerator<T, void> {
  const yieldedIds = new Set<string>();
  let cursor: string | null | undefined;
  do {
    const { entries, nextCursor } = await readPage(cursor ?? undefined);
    for (const item of entries) {
      if (yieldedIds.has(item.id)) continue;
      if (yieldedIds.size >= limit) return;
      yieldedIds.add(item.id);
      yield item;
      signal?.throwIfAborted();
    }
    cursor = nextCursor;
  } while (cursor != null);
}

/** Yields the items of pages by offset. If an item moves to a later page meanwhile, it is yielded only once. */
export async function* readByOffset<T>(
  readPage: (offset: number) => Promise<{ readonly entries: readonly T[]; readonly total: number }>,
  getId: (item: T) => string | number,
  { signal }: Pick<CallOptions, 'signal'>,
): AsyncGenerator<T, void> {
  const yieldedIds = new Set<string | number>();
  for (let offset = 0; ; ) {
    const { entries, total } = await readPage(offset);
    for (const item of entries) {
      if (yieldedIds.has(getId(item))) continue;
      yieldedIds.add(getId(item));
      yield item;
      signal?.throwIfAborted();
    }
    offset += entries.length;
    if (entries.length === 0 || offset >= total) return;
  }
}
