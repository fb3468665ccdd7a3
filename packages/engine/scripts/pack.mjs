// Runs before and after `npm pack` and `npm publish`. `before` builds JavaScript and declarations and changes the manifest
// to use them, because Node does not strip types under node_modules. `after` restores the manifest of the repository.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MANIFEST = join(PACKAGE, 'package.json');
const KEPT = join(PACKAGE, 'package.json.kept');
const LICENSE = join(PACKAGE, 'LICENSE');
/** The file of `@cellwire/engine/locales` for resolvers that do not support `exports`. */
const LOCALES = join(PACKAGE, 'locales');
/**
 * The libraries that the engine uses, as one file each. They are copied into the package, which therefore has no
 * dependencies.
 */
const LIBRARIES = {
  numfmt: { dist: ['dist/index.mjs', 'dist/index.d.mts'], 'dist/cjs': ['dist/index.js', 'dist/index.d.ts'] },
  re2js: { dist: ['build/index.js', 'build/index.d.ts'], 'dist/cjs': ['build/index.cjs', 'build/index.d.cts'] },
};
const LIBRARY_NAME = /(?<=from |require\()(['"])(numfmt|re2js)\1/g;
/** ECMAScript modules for Node, Deno, Bun, browsers and bundlers. */
const MODULES = [];
/** CommonJS for programs that `require`. */
const COMMONJS = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'];

const step = { before: prepareManifest, after: restoreManifest }[process.argv[2]];
if (!step) throw new Error('usage: node scripts/pack.mjs before|after');
step();

function prepareManifest() {
  restoreManifest();
  build('dist', MODULES);
  build('dist/cjs', COMMONJS);
  writeJson(join(PACKAGE, 'dist/cjs/package.json'), { type: 'commonjs' });
  mkdirSync(LOCALES);
  writeJson(join(LOCALES, 'package.json'), {
    main: '../dist/cjs/locale/locales.js',
    types: '../dist/cjs/locale/locales.d.ts',
  });
  copyFileSync(join(PACKAGE, '../../LICENSE'), LICENSE);
  const {
    scripts: _,
    exports: __,
    files: ___,
    dependencies: ____,
    ...manifest
  } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  renameSync(MANIFEST, KEPT);
  writeJson(MANIFEST, {
    ...manifest,
    files: ['dist', 'locales'],
    main: './dist/cjs/index.js',
    types: './dist/cjs/index.d.ts',
    exports: {
      '.': builtAt('index'),
      './locales': builtAt('locale/locales'),
      './package.json': './package.json',
    },
  });
}

/** Types are checked by `npm run check`. */
function build(to, options) {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), JSON.parse(readFileSync(typescript, 'utf8')).bin.tsc);
  const args = [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', to, ...options];
  execFileSync(process.execPath, args, { cwd: PACKAGE, stdio: 'inherit' });
  for (const file of filesBelow(join(PACKAGE, to))) {
    if (file.startsWith(join(PACKAGE, 'dist/cjs')) === (to === 'dist/cjs')) nameLibraries(file, join(PACKAGE, to));
  }
  for (const [name, files] of Object.entries(LIBRARIES)) carry(name, files[to], join(PACKAGE, to, 'libraries'));
}

/** Changes imports of libraries to the files that were copied into the package. */
function nameLibraries(file, folder) {
  const text = readFileSync(file, 'utf8');
  const newText = text.replace(LIBRARY_NAME, (_, quote, name) => {
    const path = relative(dirname(file), join(folder, 'libraries', `${name}.js`)).replaceAll('\\', '/');
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
  if (newText !== text) writeFileSync(file, newText);
}

function carry(name, [module, types], to) {
  const from = dirname(findManifest(name));
  mkdirSync(to, { recursive: true });
  const code = readFileSync(join(from, module), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
  writeFileSync(join(to, `${name}.js`), code);
  copyFileSync(join(from, types), join(to, `${name}.d.ts`));
  copyFileSync(join(from, 'LICENSE'), join(to, `${name}.LICENSE`));
}

/** Finds the manifest of a package in the folders above, because not every package lets its manifest be resolved. */
function findManifest(name) {
  const manifestPath = createRequire(import.meta.url)
    .resolve.paths(name)
    .map((folder) => join(folder, name, 'package.json'))
    .find((file) => existsSync(file));
  if (manifestPath === undefined) throw new Error(`${name} is not installed`);
  return manifestPath;
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.(?:js|d\.ts)$/.test(name))
    .map((name) => join(folder, name));
}

function builtAt(module) {
  return { import: inFolder('dist', module), require: inFolder('dist/cjs', module) };
}

function inFolder(folder, module) {
  return { types: `./${folder}/${module}.d.ts`, default: `./${folder}/${module}.js` };
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Restores the manifest, also after a build that was interrupted. */
function restoreManifest() {
  try {
    renameSync(KEPT, MANIFEST);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  for (const builtPath of [LICENSE, LOCALES, join(PACKAGE, 'dist')])
    rmSync(builtPath, { recursive: true, force: true });
}
