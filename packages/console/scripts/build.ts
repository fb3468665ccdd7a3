import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { createGeneratedModules } from './plugins.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Smaller files are not compressed. */
const LEAST_BYTES = 1024;

await build({
  root: ROOT,
  base: '/',
  logLevel: 'warn',
  plugins: createGeneratedModules(),
  build: { outDir: DIST, emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false }, sourcemap: false },
});
compress(join(DIST, 'assets'));

/** Compresses the files of a folder. The service sends `name.br` or `name.gz` to clients that accept the encoding. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    if (bytes.length < LEAST_BYTES) continue;
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
}
