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
  const rest = spec.rest ? [...spec.rest.map((arg) => `[${arg.kind}]`), '…'] : [];
  return `${spec.name}(${[...spec.args.map(argument), ...rest].join('; ')})`;
}

/** The page of all functions, from the catalogue. */
export function functionsPage(): string {
  const all = [...FUNCTIONS.values()].filter(({ internal }) => !internal).sort((a, b) => (a.name < b.name ? -1 : 1));
  const forms = [...FORMS.keys()].sort();
  const sections = FAMILIES.flatMap(([family, title]) => {
    const list = all.filter((spec) => spec.family === family);
    return list.length === 0
      ? []
      : [`## ${title} (${list.length})`, '', list.map((s) => `\`${signature(s)}\``).join(' · '), ''];
  });
  return [
    '# Functions',
    '',
    `${all.length + forms.length} functions. This page is made from the catalogue by \`npm run docs:functions\`; the words in brackets are the kinds of arguments: \`number\`, \`text\` and so on take one value and, given an array, run once an element; \`value\` and \`matrix\` take ranges and arrays whole.`,
    '',
    `## Forms that evaluate only what they need (${forms.length})`,
    '',
    forms.map((name) => `\`${name}\``).join(' · '),
    '',
    ...sections,
    '## Differences worth knowing',
    '',
    '- `REGEXEXTRACT`, `REGEXREPLACE`, `REGEXTEST` and `REGEXMATCH` take patterns in RE2 syntax: named and numbered groups, classes and lazy repetition, but no look-around (`(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`) and no back references (`\\1`). Such a pattern is `#VALUE!`. No pattern can take longer than linear time.',
    '- `REGEXEXTRACT` follows Excel, not Google Sheets: it gives the whole match, also where the pattern has groups. Return mode 1 gives all matches, return mode 2 the groups of the first.',
    '- `CEILING` and `FLOOR` take two arguments, as in Excel. A third one in an `.xlsx` file of LibreOffice is read as `CEILING.MATH` and `FLOOR.MATH`.',
    '- Texts are equal if they differ in case only (Unicode, simple case folding): `ß` is `ẞ`, but not `ss`; `é` in one character is not `é` in two.',
    '- References from text (`INDIRECT`) never open a sheet whose values are hidden ([hidden sheets](hidden-sheets.md)).',
    '',
    '## Left out',
    '',
    'A call of a function that is left out is `#NAME?`. These functions of Excel are:',
    '',
    '| functions | why |',
    '|---|---|',
    '| `CUBEKPIMEMBER`, `CUBEMEMBER`, `CUBEMEMBERPROPERTY`, `CUBERANKEDMEMBER`, `CUBESET`, `CUBESETCOUNT`, `CUBEVALUE` | ask an OLAP server |',
    '| `WEBSERVICE`, `FILTERXML`, `IMAGE`, `IMPORTCSV`, `IMPORTTEXT`, `STOCKHISTORY`, `FIELDVALUE` | read from the web or from linked data types: a calculation here reads nothing but its document |',
    '| `TRANSLATE`, `DETECTLANGUAGE`, `COPILOT` | ask a model of Microsoft’s |',
    '| `CALL`, `REGISTER.ID`, `RTD`, `SQL.REQUEST`, `EUROCONVERT`, `PY` | run add-ins, native code or Python |',
    '| `ECMA.CEILING` | is `CEILING.PRECISE` under a name that Excel no longer offers |',
    '| `GETPIVOTDATA` | known, and `#REF!`: there are no pivot tables |',
    '',
    'These functions of Google Sheets are:',
    '',
    '| functions | why |',
    '|---|---|',
    '| `IMPORTDATA`, `IMPORTFEED`, `IMPORTHTML`, `IMPORTXML`, `GOOGLEFINANCE`, `IMAGE` | read from the web: a calculation here reads nothing but its document |',
    '| `IMPORTRANGE` | reads another document, whose rights would have to be checked for every reader; left out for now |',
    '| `QUERY` | has a query language of its own; `records/query` of the API, `FILTER`, `SORT` and `GROUPBY` do its work |',
    '| `GOOGLETRANSLATE`, `DETECTLANGUAGE`, `AI`, `GEMINI` | ask a model of Google’s |',
    '| `SPARKLINE` | draws a picture; a result here is a value |',
    '',
  ].join('\n');
}

if (process.argv[2] === '--write')
  writeFileSync(new URL('../../../docs/functions.md', import.meta.url), functionsPage());
