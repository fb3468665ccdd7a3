import { VALUES_CACHE_BYTES } from '../../limits/google.ts';

/**
 * Caches answers with values. The key describes everything that an answer shows. The oldest entries are removed first.
 */
export class ValuesCache {
  private readonly texts = new Map<string, Buffer>();
  private bytes = 0;

  findText(key: string): Buffer | null {
    return this.texts.get(key) ?? null;
  }

  cacheText(key: string, text: Buffer): void {
    if (text.length > VALUES_CACHE_BYTES / 4) return;
    this.dropText(key);
    this.texts.set(key, text);
    this.bytes += text.length;
    for (const oldest of this.texts.keys()) {
      if (this.bytes <= VALUES_CACHE_BYTES) return;
      this.dropText(oldest);
    }
  }

  private dropText(key: string): void {
    const text = this.texts.get(key);
    if (text === undefined) return;
    this.texts.delete(key);
    this.bytes -= text.length;
  }
}
