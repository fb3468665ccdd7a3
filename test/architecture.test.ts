import assert from 'node:assert/strict';
import { dirname, join, relative, sep } from 'node:path';
import { suite, test } from 'node:test';
import { FORMS, FUNCTIONS } from '../packages/engine/src/functions/catalogue.ts';
import {
  entryPoints,
  filesInCycles,
  importsOf,
  otherSources,
  type Source,
  sources,
  unusedExports,
  withoutComments,
} from './sources.ts';

/**
 * The layers of each package, the uppermost first: a folder may import itself and those in later rows, never one in an
 * earlier row or beside it. Files that lie beside the folders are the package's face and may import all.
 */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  engine: [
    ['workbook'],
    ['page'],
    ['records'],
    ['codec'],
    ['calc'],
    ['graph'],
    ['functions'],
    ['sheet'],
    ['formula'],
    ['locale'],
    ['grid'],
    ['value'],
  ],
  server: [
    ['main'],
    ['compose'],
    ['google', 'http'],
    ['mcp'],
    ['operations'],
    ['notify'],
    ['service'],
    ['access', 'documents'],
    ['config'],
    ['limits'],
  ],
  store: [
    ['examine'],
    ['transfer'],
    ['open'],
    ['postgres', 'sqlite'],
    ['migrations'],
    ['documents'],
    ['keys'],
    ['accounts', 'audit', 'proposals', 'webhooks'],
    ['stored-forms'],
    ['database'],
  ],
  files: [['xlsx', 'csv'], ['cells'], ['archive'], ['outcome'], ['limits']],
  'event-loop': [],
  client: [['resources'], ['streams'], ['http'], ['values'], ['errors'], ['generated']],
  console: [['types'], ['pages'], ['grid'], ['components'], ['data'], ['text'], ['styles']],
};

/** The layers inside the console's `grid`, the uppermost first. */
const GRID_LAYERS: readonly (readonly string[])[] = [
  ['host'],
  ['cell-editor', 'panels', 'sheets', 'versions'],
  ['clipboard', 'sort-and-filter'],
  ['editing', 'followers'],
  ['controller'],
  ['clipboard-formats', 'view'],
  ['formula'],
  ['session'],
  ['selection'],
];

/** Pairs that the layers allow and that must not be all the same: what a folder never imports. */
const NEVER: readonly (readonly [from: string, to: string, why: string])[] = [
  ['http', 'store', 'requests reach the database through use cases only'],
  ['http', 'documents', 'requests reach documents through use cases only'],
  ['google', 'store', 'requests reach the database through use cases only'],
];

/** Words of the wire, of formats and of the language that are functions' names too. */
const NO_FUNCTIONS: ReadonlySet<string> = new Set([
  'TRUE', // the booleans of formulas, files and typed input
  'FALSE',
  'ROWS', // `majorDimension`
  'COLUMNS',
  '_TRO_LEADING', // operators of the grammar, which files write as calls
  '_TRO_TRAILING',
  '_TRO_ALL',
]);

const MAX_LINES = 400;

/** Longer files, with the reason. */
const LONG_FILES: ReadonlyMap<string, string> = new Map([
  ['packages/client/src/generated/records.ts', 'generated from openapi.json, never edited'],
]);

/** The packages of ours that each package may import. */
const PACKAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  client: [],
  engine: [],
  'event-loop': [],
  files: ['engine'],
  store: ['engine', 'event-loop'],
  server: ['engine', 'event-loop', 'files', 'store'],
  console: ['client', 'engine'],
};

/** Modules whose exports need no importer here, with the reason. */
const OPEN_MODULES: ReadonlyMap<string, string> = new Map([
  ['packages/client/src/index.ts', 'the published package'],
  ['packages/engine/src/index.ts', 'the published package'],
  ['packages/engine/src/locale/locales.ts', 'the published package'],
]);

/** The folder of a package that a path lies in; null for the files beside the folders and outside the package. */
function folderOf(path: string, source: string): string | null {
  const [folder, ...rest] = relative(source, path).split(sep);
  return folder === undefined || folder === '..' || rest.length === 0 ? null : folder;
}

for (const [name, layers] of Object.entries(LAYERS)) describeLayers(name, `packages/${name}/src`, layers);
describeLayers('the grid of the console', 'packages/console/src/grid', GRID_LAYERS);

/** `source`: the folder whose folders have layers. */
function describeLayers(name: string, source: string, layers: readonly (readonly string[])[]): void {
  suite(`the layers of ${name}`, () => {
    // Imports from a part of a package to its other parts are checked with the package.
    const packageSource = source.split('/').slice(0, 3).join('/');
    const files = sources(source);
    const rank = (folder: string) => layers.findIndex((layer) => layer.includes(folder));

    test('every folder has its place', () => {
      const folders = new Set(files.map((file) => folderOf(file.path, source)));
      const unknown = [...folders].filter((folder) => folder !== null && rank(folder) < 0);
      assert.deepEqual(unknown, []);
    });

    test('imports run downwards', () => {
      const wrong = files.flatMap((file) => {
        const from = folderOf(file.path, source);
        return importsOf(file)
          .filter((target) => from !== null && target.startsWith('.'))
          .map((target) => join(dirname(file.path), target).split(sep).join('/'))
          .filter((target) => target.startsWith(`${source}/`) || !target.startsWith(`${packageSource}/`))
          .map((target) => folderOf(target, source))
          .filter((to) => to !== from && (to === null || rank(to) <= rank(from ?? '')))
          .map((to) => `${file.path} imports ${to ?? 'a file outside the layers'}`);
      });
      assert.deepEqual(wrong, []);
    });
  });
}

suite('the server', () => {
  const files = sources('packages/server/src');

  for (const [from, to, why] of NEVER) {
    test(`${from} never imports ${to}: ${why}`, () => {
      const wrong = files
        .filter((file) => folderOf(file.path, 'packages/server/src') === from)
        .filter((file) =>
          importsOf(file).some((target) => target.includes(`/${to}/`) || target.startsWith(`@cellwire/${to}`)),
        );
      assert.deepEqual(
        wrong.map((file) => file.path),
        [],
      );
    });
  }

  test('knows the engine by its faces alone', () => {
    const inside = files.filter((file) =>
      importsOf(file).some(
        (target) =>
          target.includes('engine/src') ||
          (target.startsWith('@cellwire/engine/') && target !== '@cellwire/engine/locales'),
      ),
    );
    assert.deepEqual(
      inside.map((file) => file.path),
      [],
    );
  });

  test('is given the environment by what starts it, and names its settings in config alone', () => {
    const readers = files.filter((file) => file.text.includes('process.env')).map((file) => file.path);
    assert.deepEqual(readers, []);
    const namers = files.filter((file) => /\['CELLWIRE_|env\.CELLWIRE_/.test(file.text)).map((file) => file.path);
    assert.deepEqual(namers, ['packages/server/src/config/config.ts']);
  });

  test('leaves SQL to the store', () => {
    const speakers = files.filter((file) =>
      importsOf(file).some((target) => ['kysely', 'better-sqlite3', 'pg'].includes(target)),
    );
    assert.deepEqual(
      speakers.map((file) => file.path),
      [],
    );
  });
});

suite('the client', () => {
  test('imports nothing but its own files', () => {
    const wrong = sources('packages/client/src').flatMap((file) =>
      importsOf(file)
        .filter(
          (target) =>
            !target.startsWith('.') || !join(dirname(file.path), target).startsWith(join('packages', 'client')),
        )
        .map((target) => `${file.path} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });
});

suite('the engine', () => {
  const files = sources('packages/engine/src');

  test('is pure: no input or output, no clock, no chance', () => {
    const impure = /'node:|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\.|\bperformance\./;
    const found = files.filter((file) => impure.test(withoutComments(file.text)));
    assert.deepEqual(
      found.map((file) => file.path),
      [],
    );
  });
});

suite('the console', () => {
  test('takes nothing but types from the client', () => {
    const wrong = sources('packages/console/src').filter((file) =>
      importsOf({ ...file, text: withoutTypeImports(file.text) }).some((target) =>
        target.startsWith('@cellwire/client'),
      ),
    );
    assert.deepEqual(
      wrong.map((file) => file.path),
      [],
    );
  });
});

suite('packages', () => {
  for (const [name, allowed] of Object.entries(PACKAGE_IMPORTS)) {
    const files = sources(`packages/${name}/src`);

    test(`${name} has no cycle of imports, types included`, () => {
      assert.deepEqual(filesInCycles(files), []);
    });

    test(`${name} imports ${allowed.join(', ') || 'no package of ours'} by entry points`, () => {
      const entries = entryPoints();
      const own = `packages/${name}/src/`;
      const wrong = files.flatMap((file) =>
        importsOf(file)
          .filter((target) => {
            if (target.startsWith('.')) return !join(dirname(file.path), target).split(sep).join('/').startsWith(own);
            const [, other] = /^@cellwire\/([a-z-]+)/.exec(target) ?? [];
            return other !== undefined && !(allowed.includes(other) && entries.has(target));
          })
          .map((target) => `${file.path} imports ${target}`),
      );
      assert.deepEqual(wrong, []);
    });
  }

  test('export nothing that nobody imports', () => {
    const files = Object.keys(PACKAGE_IMPORTS).flatMap((name) => sources(`packages/${name}/src`));
    const checked = files.filter(({ path }) => !OPEN_MODULES.has(path));
    assert.deepEqual(unusedExports(checked, [...files, ...otherSources()], entryPoints()), []);
  });
});

suite('what a function is', () => {
  const names = new Set([...FUNCTIONS.keys(), ...FORMS.keys()]);
  const files = Object.keys(LAYERS)
    .flatMap((name) => sources(`packages/${name}/src`))
    .filter((file) => !file.path.startsWith('packages/engine/src/functions/'))
    // Google's API has words for types and places that are functions' names, too.
    .filter((file) => !file.path.startsWith('packages/server/src/google/'));

  test('stands in its specification alone: no other source names one', () => {
    const found = files.flatMap((file) =>
      [...quotedTexts(file)]
        .filter((text) => namesAmong(text, names).some((name) => !NO_FUNCTIONS.has(name)))
        .map((text) => `${file.path}: ${text.slice(0, 80)}`),
    );
    assert.deepEqual(found, []);
  });

  test('is found where it stands', () => {
    for (const text of ['SUM', 'TODAY NOW RAND', 'IF,IFS,SWITCH']) assert.notDeepEqual(namesAmong(text, names), []);
    for (const text of ['VALUE is not a name here', 'The range', 'sum']) assert.deepEqual(namesAmong(text, names), []);
  });
});

suite('every source', () => {
  const files = Object.keys(LAYERS).flatMap((name) => sources(`packages/${name}/src`));

  test(`has at most ${MAX_LINES} lines, or a reason`, () => {
    const long = files.filter((file) => file.text.split('\n').length > MAX_LINES + 1 && !LONG_FILES.has(file.path));
    assert.deepEqual(
      long.map((file) => file.path),
      [],
    );
  });

  test('has no any, no ignored errors, nothing left to do', () => {
    const any = /(?::|\bas|<|,)\s*any\b(?!\w)/;
    // The one place where these words may stand: they are what is looked for.
    const left = /\bTODO\b|\bFIXME\b|@ts-ignore|@ts-expect-error|biome-ignore/;
    const found = files.filter((file) => any.test(withoutTexts(file.text)) || left.test(file.text));
    assert.deepEqual(
      found.map((file) => file.path),
      [],
    );
  });
});

/** Without comments and quoted texts, where words of the language mean nothing. */
function withoutTexts(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
}

/** Without the imports and exports that are erased before the code runs. */
function withoutTypeImports(text: string): string {
  return text.replace(/^(?:import|export) type\b[^'"`;]*?from\s+['"][^'"]+['"]/gm, '');
}

/** The quoted texts of a source, comments left out. */
function* quotedTexts(file: Source): Iterable<string> {
  const quoted = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  for (const match of withoutComments(file.text).matchAll(quoted)) yield match[1] ?? match[2] ?? match[3] ?? '';
}

/** The functions that a text lists: it holds nothing but them, or three of them and more. */
function namesAmong(text: string, names: ReadonlySet<string>): readonly string[] {
  const words = text.split(/[\s,;|]+/).filter((word) => word !== '');
  const named = words.filter((word) => names.has(word));
  return named.length === words.length || named.length >= 3 ? named : [];
}
