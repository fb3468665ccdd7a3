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
    '## Left out',
    '',
    'Of Excel, what needs another service or program, or has nothing to do on a server:',
    '',
    '| functions | why |',
    '|---|---|',
    '| `CUBEKPIMEMBER`, `CUBEMEMBER`, `CUBEMEMBERPROPERTY`, `CUBERANKEDMEMBER`, `CUBESET`, `CUBESETCOUNT`, `CUBEVALUE` | ask an OLAP server |',
    '| `WEBSERVICE`, `FILTERXML`, `IMAGE`, `IMPORTCSV`, `IMPORTTEXT`, `STOCKHISTORY` | fetch from the web: a calculation here reads nothing but its document |',
    '| `TRANSLATE`, `DETECTLANGUAGE`, `COPILOT` | ask a model of Microsoft’s |',
    '| `CALL`, `REGISTER.ID`, `RTD`, `SQL.REQUEST`, `EUROCONVERT` | run add-ins or native code |',
    '| `GETPIVOTDATA` | known, and `#REF!`: there are no pivot tables |',
    '',
    'Of Google Sheets: `QUERY` and `IMPORTRANGE`, for now; `GOOGLEFINANCE`, `GOOGLETRANSLATE`, `DETECTLANGUAGE`, `SPARKLINE` and the other `IMPORT…` functions, as above. A call of a function that is left out is `#NAME?`.',
    '',
  ].join('\n');
}

if (process.argv[2] === '--write')
  writeFileSync(new URL('../../../docs/functions.md', import.meta.url), functionsPage());
