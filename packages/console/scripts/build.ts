import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Plugin } from 'vite';
import { functionRows, localNames } from './functions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Smaller files gain nothing. */
const LEAST_BYTES = 1024;

await build({
  root: ROOT,
  base: '/',
  logLevel: 'warn',
  plugins: [
    virtual('virtual:functions/en', () => JSON.stringify(functionRows('en'))),
    virtual('virtual:functions/ru', () => JSON.stringify(functionRows('ru'))),
    virtual('virtual:local-names', () => JSON.stringify(localNames())),
    virtual('virtual:openapi', openapi),
  ],
  build: { outDir: DIST, emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false }, sourcemap: false },
});
compress(join(DIST, 'assets'));

/** A module of JSON text that the build makes. */
function virtual(name: string, text: () => string): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${text()};` : null),
  };
}

function openapi(): string {
  return readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');
}

/** The service sends a `.br` or `.gz` that lies beside a file to clients that take it. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    if (bytes.length < LEAST_BYTES) continue;
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
}
