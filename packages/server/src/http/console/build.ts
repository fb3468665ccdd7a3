import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Output folder of the console's build. */
const FOLDER = fileURLToPath(new URL('../../../../console/dist/', import.meta.url));

/** Valid file names; excludes path separators and other special characters. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  json: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
};

/** Precompressed variants of a file, the smallest first. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** A file of the build in the form in which it is sent. */
export interface BuiltFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Null: not encoded. */
  readonly encoding: string | null;
}

/** The files of the build. They are read on first use and kept, because there are few. */
export class ConsoleBuild {
  private readonly folder: string;
  private readonly kept = new Map<string, Buffer>();

  constructor(folder = FOLDER) {
    this.folder = folder;
  }

  /**
   * The built file in the best accepted encoding; null if there is none. `asset` files have a hash of the content in
   * their name.
   */
  async findFile(name: string, accepted: string, { asset }: { readonly asset: boolean }): Promise<BuiltFile | null> {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined || !NAME.test(name)) return null;
    const path = asset ? `assets/${name}` : name;
    for (const { name: encoding, ending } of ENCODINGS) {
      if (!acceptsEncoding(accepted, encoding)) continue;
      const bytes = await this.readBuiltFile(path + ending);
      if (bytes !== null) return { bytes, type, encoding };
    }
    const bytes = await this.readBuiltFile(path);
    return bytes === null ? null : { bytes, type, encoding: null };
  }

  /** The content of a file of the built console; null if it does not exist. */
  private async readBuiltFile(path: string): Promise<Buffer | null> {
    const cachedFile = this.kept.get(path);
    if (cachedFile !== undefined) return cachedFile;
    try {
      const bytes = await readFile(this.folder + path);
      this.kept.set(path, bytes);
      return bytes;
    } catch (error) {
      if (error instanceof Error && 'code' in error && MISSING.has(String(error.code))) return null;
      throw error;
    }
  }
}

const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/** Whether an `Accept-Encoding` names an encoding and does not exclude it, RFC 9110 §12.5.3. */
function acceptsEncoding(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
