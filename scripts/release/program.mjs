// Builds the program as plain JavaScript, in the folders of a checkout: packages/server, the packages that it uses, and
// the console.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { PROGRAM_PACKAGES } from './dependencies.mjs';

/** Matches an import of a package. */
const PACKAGE_NAME = /'(@cellwire\/[a-z-]+(?:\/[a-z-]+)?)'/g;
/** Matches the file name of a module that starts a thread. */
const MODULE_FILE = /(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g;
const COMMAND_IMPORT = /(import\('\.\.\/src\/[^']*|from '\.\.\/src\/[^']*)\.ts'/g;

/** Compiles the packages of the program into `to`/packages, and copies the command and the built console there. */
export function buildProgram(root, folder) {
  const packages = join(root, 'packages');
  const to = join(folder, 'packages');
  const config = join(to, 'tsconfig.json');
  mkdirSync(to, { recursive: true });
  writeFileSync(config, JSON.stringify(createCompilerOptions(packages, to)));
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), JSON.parse(readFileSync(typescript, 'utf8')).bin.tsc);
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
  rmSync(config);
  cpSync(join(packages, 'server/bin'), join(to, 'server/bin'), { recursive: true });
  const modules = listEntryPoints(packages);
  for (const file of listFilesBelow(to)) rewriteFile(file, (text) => replacePackageImports(text, file, to, modules));
  cpSync(join(packages, 'console/dist'), join(to, 'console/dist'), { recursive: true });
}

/** Does not check types; `npm run check` does. */
function createCompilerOptions(packages, to) {
  return {
    extends: join(packages, '../tsconfig.base.json'),
    include: PROGRAM_PACKAGES.map((name) => join(packages, name, 'src')),
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

/** The built module of each entry point, such as `@cellwire/engine/locales` → `engine/src/locale/locales.js`. */
function listEntryPoints(packages) {
  const modules = PROGRAM_PACKAGES.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'));
    return Object.entries(exports).map(([entry, source]) => [
      `${name}${entry.slice(1)}`,
      join(folder, source).replace(/\.ts$/, '.js'),
    ]);
  });
  return new Map(modules);
}

function replacePackageImports(text, file, to, modules) {
  return text
    .replace(PACKAGE_NAME, (literal, name) => {
      const module = modules.get(name);
      return module === undefined ? literal : `'${toRelativeName(dirname(file), join(to, module))}'`;
    })
    .replace(MODULE_FILE, '$1.js$2')
    .replace(COMMAND_IMPORT, "$1.js'");
}

function toRelativeName(from, file) {
  const path = relative(from, file).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}

function rewriteFile(file, change) {
  const text = readFileSync(file, 'utf8');
  const newText = change(text);
  if (/'\.[^'\n]*\.ts'/.test(newText.replace(/^\s*(?:\/\/|\*).*$/gm, ''))) throw new Error(`${file} still refers to a .ts file`);
  if (newText !== text) writeFileSync(file, newText);
}

function listFilesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
    .map(({ parentPath, path, name }) => join(parentPath ?? path, name));
}
