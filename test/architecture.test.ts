import assert from 'node:assert/strict';
import { dirname, join, relative, sep } from 'node:path';
import { suite, test } from 'node:test';
import { FORMS, FUNCTIONS } from '../packages/engine/src/functions/catalogue.ts';
import {
  findFilesInCycles,
  findMissingExports,
  findUnusedExports,
  listCodeWords,
  listComments,
  listEntryPoints,
  listImports,
  listOtherSources,
  listSources,
  removeComments,
  type Source,
} from './sources.ts';

/**
 * The layers of each package, the uppermost first. A folder may import its own files and lower layers, but neither
 * upper layers nor other folders of its layer. Files outside the folders are the package's interface and may import
 * all.
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

/** Imports that the layers would allow, but that are forbidden. */
const FORBIDDEN_IMPORTS: readonly (readonly [from: string, to: string, reason: string])[] = [
  ['http', 'store', 'requests reach the database through use cases only'],
  ['http', 'documents', 'requests reach documents through use cases only'],
  ['google', 'store', 'requests reach the database through use cases only'],
];

/** Words of formats and languages that are also names of functions. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  'TRUE', // booleans in formulas, files and typed input
  'FALSE',
  'ROWS', // `majorDimension`
  'COLUMNS',
  '_TRO_LEADING', // grammar operators, which files write as calls
  '_TRO_TRAILING',
  '_TRO_ALL',
]);

/** Names in comments that belong to other programs. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  'kInitialMaxFastElementArray', // V8
  'maxMem', // re2js
  'sessionIdGenerator', // the MCP SDK
]);

const MAX_LINES = 400;
const MAX_FILES = 40;

/** Files that may be longer, with the reason. */
const LONG_FILES: ReadonlyMap<string, string> = new Map([
  ['packages/client/src/generated/records.ts', 'generated from openapi.json, never edited'],
]);

/** Packages of this repository that each package may import. */
const PACKAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  client: [],
  engine: [],
  'event-loop': [],
  files: ['engine'],
  store: ['engine', 'event-loop'],
  server: ['engine', 'event-loop', 'files', 'store'],
  console: ['client', 'engine'],
};

/** Modules whose exports may be unused in this repository, with the reason. */
const OPEN_MODULES: ReadonlyMap<string, string> = new Map([
  ['packages/client/src/index.ts', 'the published package'],
  ['packages/engine/src/index.ts', 'the published package'],
  ['packages/engine/src/locale/locales.ts', 'the published package'],
]);

/** The folder of a package that contains a path; null for files outside folders and outside the package. */
function findFolder(path: string, source: string): string | null {
  const [folder, ...rest] = relative(source, path).split(sep);
  return folder === undefined || folder === '..' || rest.length === 0 ? null : folder;
}

for (const [name, layers] of Object.entries(LAYERS)) describeLayers(name, `packages/${name}/src`, layers);
describeLayers('the grid of the console', 'packages/console/src/grid', GRID_LAYERS);

/** `source`: the folder whose subfolders have layers. */
function describeLayers(name: string, source: string, layers: readonly (readonly string[])[]): void {
  suite(`the layers of ${name}`, () => {
    // Imports between this part and the rest of its package are checked together with the package.
    const packageSource = source.split('/').slice(0, 3).join('/');
    const files = listSources(source);
    const rank = (folder: string) => layers.findIndex((layer) => layer.includes(folder));

    test('every folder has a layer', () => {
      const folders = new Set(files.map((file) => findFolder(file.path, source)));
      const unknown = [...folders].filter((folder) => folder !== null && rank(folder) < 0);
      assert.deepEqual(unknown, []);
    });

    test('imports lead to lower layers', () => {
      const violations = files.flatMap((file) => {
        const from = findFolder(file.path, source);
        return listImports(file)
          .filter((target) => from !== null && target.startsWith('.'))
          .map((target) => join(dirname(file.path), target).split(sep).join('/'))
          .filter((target) => target.startsWith(`${source}/`) || !target.startsWith(`${packageSource}/`))
          .map((target) => findFolder(target, source))
          .filter((to) => to !== from && (to === null || rank(to) <= rank(from ?? '')))
          .map((to) => `${file.path} imports ${to ?? 'a file outside the layers'}`);
      });
      assert.deepEqual(violations, []);
    });
  });
}

suite('the server', () => {
  const files = listSources('packages/server/src');

  for (const [from, to, reason] of FORBIDDEN_IMPORTS) {
    test(`${from} never imports ${to}: ${reason}`, () => {
      const violations = files
        .filter((file) => findFolder(file.path, 'packages/server/src') === from)
        .filter((file) =>
          listImports(file).some((target) => target.includes(`/${to}/`) || target.startsWith(`@cellwire/${to}`)),
        );
      assert.deepEqual(
        violations.map((file) => file.path),
        [],
      );
    });
  }

  test('imports only entry points of the engine', () => {
    const violations = files.filter((file) =>
      listImports(file).some(
        (target) =>
          target.includes('engine/src') ||
          (target.startsWith('@cellwire/engine/') && target !== '@cellwire/engine/locales'),
      ),
    );
    assert.deepEqual(
      violations.map((file) => file.path),
      [],
    );
  });

  test('receives environment variables as an argument, and reads settings only in config', () => {
    const readers = files.filter((file) => file.text.includes('process.env')).map((file) => file.path);
    assert.deepEqual(readers, []);
    const settingReaders = files
      .filter((file) => /\['CELLWIRE_|env\.CELLWIRE_/.test(file.text))
      .map((file) => file.path);
    assert.deepEqual(settingReaders, ['packages/server/src/config/config.ts']);
  });

  test('contains no SQL', () => {
    const violations = files.filter((file) =>
      listImports(file).some((target) => ['kysely', 'better-sqlite3', 'pg'].includes(target)),
    );
    assert.deepEqual(
      violations.map((file) => file.path),
      [],
    );
  });
});

suite('the client', () => {
  test('imports only its own files', () => {
    const violations = listSources('packages/client/src').flatMap((file) =>
      listImports(file)
        .filter(
          (target) =>
            !target.startsWith('.') || !join(dirname(file.path), target).startsWith(join('packages', 'client')),
        )
        .map((target) => `${file.path} imports ${target}`),
    );
    assert.deepEqual(violations, []);
  });
});

suite('the engine', () => {
  const files = listSources('packages/engine/src');

  test('is pure: no input, output, clock or randomness', () => {
    const impure = /'node:|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\.|\bperformance\./;
    const violations = files.filter((file) => impure.test(removeComments(file.text)));
    assert.deepEqual(
      violations.map((file) => file.path),
      [],
    );
  });
});

suite('the console', () => {
  test('imports only types from the client', () => {
    const violations = listSources('packages/console/src').filter((file) =>
      listImports({ ...file, text: removeTypeImports(file.text) }).some((target) =>
        target.startsWith('@cellwire/client'),
      ),
    );
    assert.deepEqual(
      violations.map((file) => file.path),
      [],
    );
  });
});

suite('packages', () => {
  for (const [name, allowed] of Object.entries(PACKAGE_IMPORTS)) {
    const files = listSources(`packages/${name}/src`);

    test(`${name} has no import cycles, including type imports`, () => {
      assert.deepEqual(findFilesInCycles(files), []);
    });

    test(`${name} imports ${allowed.join(', ') || 'no other package of the repository'} only by entry points`, () => {
      const entries = listEntryPoints();
      const own = `packages/${name}/src/`;
      const violations = files.flatMap((file) =>
        listImports(file)
          .filter((target) => {
            if (target.startsWith('.')) return !join(dirname(file.path), target).split(sep).join('/').startsWith(own);
            const [, other] = /^@cellwire\/([a-z-]+)/.exec(target) ?? [];
            return other !== undefined && !(allowed.includes(other) && entries.has(target));
          })
          .map((target) => `${file.path} imports ${target}`),
      );
      assert.deepEqual(violations, []);
    });
  }

  test('have no unused exports', () => {
    const files = Object.keys(PACKAGE_IMPORTS).flatMap((name) => listSources(`packages/${name}/src`));
    const checked = files.filter(({ path }) => !OPEN_MODULES.has(path));
    assert.deepEqual(findUnusedExports(checked, [...files, ...listOtherSources()], listEntryPoints()), []);
  });
});

suite('benches and scripts', () => {
  test('import names that exist', () => {
    const others = listOtherSources();
    const modules = [...Object.keys(PACKAGE_IMPORTS).flatMap((name) => listSources(`packages/${name}/src`)), ...others];
    const unchecked = others.filter(({ path }) => path.endsWith('.mjs'));
    assert.deepEqual(findMissingExports(unchecked, modules, listEntryPoints()), []);
  });
});

suite('names of functions', () => {
  const names = new Set([...FUNCTIONS.keys(), ...FORMS.keys()]);
  const files = Object.keys(LAYERS)
    .flatMap((name) => listSources(`packages/${name}/src`))
    .filter((file) => !file.path.startsWith('packages/engine/src/functions/'))
    // Google's API has words for types and positions that are also names of functions.
    .filter((file) => !file.path.startsWith('packages/server/src/google/'));

  test('occur only in their specifications', () => {
    const violations = files.flatMap((file) =>
      [...findQuotedTexts(file)]
        .filter((text) => findListedNames(text, names).some((name) => !OTHER_WORDS.has(name)))
        .map((text) => `${file.path}: ${text.slice(0, 80)}`),
    );
    assert.deepEqual(violations, []);
  });

  test('are recognised in texts', () => {
    for (const text of ['SUM', 'TODAY NOW RAND', 'IF,IFS,SWITCH'])
      assert.notDeepEqual(findListedNames(text, names), []);
    for (const text of ['VALUE is not a name here', 'The range', 'sum'])
      assert.deepEqual(findListedNames(text, names), []);
  });
});

suite('every source', () => {
  const files = Object.keys(LAYERS).flatMap((name) => listSources(`packages/${name}/src`));

  test(`has at most ${MAX_LINES} lines unless a reason is given`, () => {
    const long = files.filter((file) => file.text.split('\n').length > MAX_LINES + 1 && !LONG_FILES.has(file.path));
    assert.deepEqual(
      long.map((file) => file.path),
      [],
    );
  });

  test(`is in a folder with at most ${MAX_FILES} files`, () => {
    const counts = Map.groupBy(files, ({ path }) => dirname(path));
    const large = [...counts].filter(([, list]) => list.length > MAX_FILES);
    assert.deepEqual(
      large.map(([folder, list]) => `${folder}: ${list.length}`),
      [],
    );
  });

  test('contains no any, no suppressed errors and no TODO', () => {
    const any = /(?::|\bas|<|,)\s*any\b(?!\w)/;
    // This file contains the words for which it searches.
    const forbiddenWords = /\bTODO\b|\bFIXME\b|@ts-ignore|@ts-expect-error|biome-ignore/;
    const violations = files.filter(
      (file) => any.test(removeCommentsAndTexts(file.text)) || forbiddenWords.test(file.text),
    );
    assert.deepEqual(
      violations.map((file) => file.path),
      [],
    );
  });
});

suite('comments', () => {
  const files = Object.keys(LAYERS)
    .flatMap((name) => listSources(`packages/${name}/src`))
    .filter(({ path }) => !path.startsWith('packages/client/src/generated/'))
    .map((file) => ({ path: file.path, comments: listComments(file), words: listCodeWords(file) }));

  test('describe parameters and members by the names that they have in the code', () => {
    const violations = files.flatMap(({ path, comments, words }) =>
      comments
        .flatMap((comment) => [...comment.matchAll(/(?:[.;]|\/\*\*) `([a-z]\w*)`: /g)])
        .filter(([, name = '']) => !words.has(name))
        .map(([, name]) => `${path}: ${name}`),
    );
    assert.deepEqual(violations, []);
  });

  test('name no function or member that does not exist', () => {
    const words = new Set(files.flatMap((file) => [...file.words]));
    const violations = files.flatMap(({ path, comments }) =>
      comments
        .flatMap((comment) => [...comment.matchAll(/`(?:[A-Z]\w*\.)?([a-z]+[A-Z]\w*)(?:\(\))?`/g)])
        .filter(([, name = '']) => !words.has(name) && !FOREIGN_NAMES.has(name))
        .map(([, name]) => `${path}: ${name}`),
    );
    assert.deepEqual(violations, []);
  });
});

/** A source without comments and quoted texts. */
function removeCommentsAndTexts(text: string): string {
  return removeComments(text).replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
}

/** A source without imports and exports of types. */
function removeTypeImports(text: string): string {
  return text.replace(/^(?:import|export) type\b[^'"`;]*?from\s+['"][^'"]+['"]/gm, '');
}

/** The quoted texts of a source outside comments. */
function* findQuotedTexts(file: Source): Iterable<string> {
  const quoted = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  for (const match of removeComments(file.text).matchAll(quoted)) yield match[1] ?? match[2] ?? match[3] ?? '';
}

/** Finds the function names in a text, if the text contains only names or at least three of them. */
function findListedNames(text: string, names: ReadonlySet<string>): readonly string[] {
  const words = text.split(/[\s,;|]+/).filter((word) => word !== '');
  const functionNames = words.filter((word) => names.has(word));
  return functionNames.length === words.length || functionNames.length >= 3 ? functionNames : [];
}
