// The program as plain JavaScript, in the folders that it has in a checkout: packages/server, engine and console.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** Modules of the engine that the server names by its package. */
const ENGINE = { '@cellwire/engine': 'engine/src/index.js', '@cellwire/engine/locales': 'engine/src/locale/locales.js' };
const ENGINE_NAME = /'(@cellwire\/engine(?:\/locales)?)'/g;
/** A module that is named as a file, to start a thread with. */
const MODULE_FILE = /(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g;
const COMMAND_IMPORT = /(import\('\.\.\/src\/[^']*|from '\.\.\/src\/[^']*)\.ts'/g;

/** Compiles the server and the engine into `to`/packages, and copies the command and the built console there. */
export function buildProgram(root, folder) {
  const packages = join(root, 'packages');
  const to = join(folder, 'packages');
  const config = join(to, 'tsconfig.json');
  mkdirSync(to, { recursive: true });
  writeFileSync(config, JSON.stringify(compilerOptions(packages, to)));
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), JSON.parse(readFileSync(typescript, 'utf8')).bin.tsc);
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
  rmSync(config);
  for (const file of filesBelow(to)) rewrite(file, (text) => withRelativeNames(text, file, to));
  cpSync(join(packages, 'server/bin'), join(to, 'server/bin'), { recursive: true });
  for (const file of filesBelow(join(to, 'server/bin'))) {
    rewrite(file, (text) => text.replace(COMMAND_IMPORT, "$1.js'"));
  }
  cpSync(join(packages, 'console/dist'), join(to, 'console/dist'), { recursive: true });
}

/** Types are checked by `npm run check`. */
function compilerOptions(packages, to) {
  return {
    extends: join(packages, '../tsconfig.base.json'),
    files: [join(packages, 'engine/src/index.ts'), join(packages, 'engine/src/locale/locales.ts')],
    include: [join(packages, 'server/src')],
    compilerOptions: {
      noCheck: true,
      noEmit: false,
      rewriteRelativeImportExtensions: true,
      rootDir: packages,
      outDir: to,
      types: ['node'],
      typeRoots: [join(packages, '../node_modules/@types')],
    },
  };
}

function withRelativeNames(text, file, to) {
  return text
    .replace(ENGINE_NAME, (_, name) => `'${relativeName(dirname(file), join(to, ENGINE[name]))}'`)
    .replace(MODULE_FILE, '$1.js$2');
}

function relativeName(from, file) {
  const path = relative(from, file).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}

function rewrite(file, change) {
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (/'\.[^'\n]*\.ts'/.test(changed.replace(/^\s*(?:\/\/|\*).*$/gm, ''))) throw new Error(`${file} names a .ts file`);
  if (changed !== text) writeFileSync(file, changed);
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
    .map(({ parentPath, path, name }) => join(parentPath ?? path, name));
}
