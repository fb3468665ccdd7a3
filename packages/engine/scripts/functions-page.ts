import { writeFileSync } from 'node:fs';
import { FORMS, FUNCTIONS } from '../src/functions/catalogue.ts';
import type { ArgumentSpec, FunctionSpec } from '../src/functions/spec.ts';

const FAMILIES = [
  ['math', 'Mathematics'],
  ['statistical', 'Statistics'],
  ['lookup', 'Lookup and reference'],
  ['text', 'Text'],
  ['date', 'Date and time'],
  ['logical', 'Logic'],
  ['information', 'Information'],
  ['array', 'Arrays'],
  ['financial', 'Finance'],
  ['engineering', 'Engineering'],
  ['database', 'Databases'],
  ['compatibility', 'Compatibility'],
  ['google', 'From Google Sheets'],
] as const;

function argument(spec: ArgumentSpec): string {
  return spec.optional ? `[${spec.kind}]` : spec.kind;
}

function signature(spec: FunctionSpec): string {
  const repeatedArguments = spec.rest ? [...spec.rest.map((arg) => `[${arg.kind}]`), '…'] : [];
  return `${spec.name}(${[...spec.args.map(argument), ...repeatedArguments].join('; ')})`;
}

/** Writes the page of all functions from the catalogue. */
export function functionsPage(): string {
  const functions = [...FUNCTIONS.values()]
    .filter(({ internal }) => !internal)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const forms = [...FORMS.keys()].sort();
  const sections = FAMILIES.flatMap(([family, title]) => {
    const list = functions.filter((spec) => spec.family === family);
    return list.length === 0
      ? []
      : [`## ${title} (${list.length})`, '', list.map((s) => `\`${signature(s)}\``).join(' · '), ''];
  });
  return [
    '# Functions',
    '',
    `${functions.length + forms.length} functions. This page lists every function of formulas with its arguments. \`npm run docs:functions\` generates it from the catalogue. The words in brackets are the kinds of arguments: \`number\`, \`text\` and similar kinds take one value, and an array calls the function once per element; \`value\` and \`matrix\` take whole ranges and arrays.`,
    '',
    `## Forms that evaluate only the arguments they need (${forms.length})`,
    '',
    forms.map((name) => `\`${name}\``).join(' · '),
    '',
    ...sections,
    '## Differences from Excel and Google Sheets',
    '',
    '- `REGEXEXTRACT`, `REGEXREPLACE`, `REGEXTEST` and `REGEXMATCH` take patterns in RE2 syntax: named and numbered groups, classes and lazy repetition, but no look-around (`(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`) and no back references (`\\1`). Such a pattern is `#VALUE!`. Every pattern takes linear time at most.',
    '- `REGEXEXTRACT` follows Excel, not Google Sheets: it returns the whole match, also if the pattern has groups. Return mode 1 returns all matches, return mode 2 the groups of the first match.',
    '- `CEILING` and `FLOOR` take two arguments, as in Excel. A third one in an `.xlsx` file of LibreOffice is read as `CEILING.MATH` and `FLOOR.MATH`.',
    '- Texts are equal if they differ only in case (Unicode, simple case folding): `ß` is `ẞ`, but not `ss`; `é` in one character is not `é` in two.',
    '- References from text (`INDIRECT`) never open a sheet whose values are hidden ([hidden sheets](hidden-sheets.md)).',
    '',
    '## Unsupported functions',
    '',
    'A call of an unsupported function is `#NAME?`. Functions of Excel:',
    '',
    '| functions | reason |',
    '|---|---|',
    '| `CUBEKPIMEMBER`, `CUBEMEMBER`, `CUBEMEMBERPROPERTY`, `CUBERANKEDMEMBER`, `CUBESET`, `CUBESETCOUNT`, `CUBEVALUE` | query an OLAP server |',
    '| `WEBSERVICE`, `FILTERXML`, `IMAGE`, `IMPORTCSV`, `IMPORTTEXT`, `STOCKHISTORY`, `FIELDVALUE` | read from the web or from linked data types; calculations read only their document |',
    '| `TRANSLATE`, `DETECTLANGUAGE`, `COPILOT` | call a model of Microsoft |',
    '| `CALL`, `REGISTER.ID`, `RTD`, `SQL.REQUEST`, `EUROCONVERT`, `PY` | run add-ins, native code or Python |',
    '| `ECMA.CEILING` | another name of `CEILING.PRECISE` that Excel no longer offers |',
    '| `GETPIVOTDATA` | always `#REF!`, because there are no pivot tables |',
    '',
    'Functions of Google Sheets:',
    '',
    '| functions | reason |',
    '|---|---|',
    '| `IMPORTDATA`, `IMPORTFEED`, `IMPORTHTML`, `IMPORTXML`, `GOOGLEFINANCE`, `IMAGE` | read from the web; calculations read only their document |',
    '| `IMPORTRANGE` | reads another document, whose rights would have to be checked for every reader |',
    '| `QUERY` | has its own query language; use `records/query` of the API, `FILTER`, `SORT` or `GROUPBY` |',
    '| `GOOGLETRANSLATE`, `DETECTLANGUAGE`, `AI`, `GEMINI` | call a model of Google |',
    '| `SPARKLINE` | draws a picture; results are values |',
    '',
  ].join('\n');
}

if (process.argv[2] === '--write')
  writeFileSync(new URL('../../../docs/functions.md', import.meta.url), functionsPage());
