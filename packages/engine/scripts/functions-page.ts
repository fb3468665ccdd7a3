import { writeFileSync } from 'node:fs';
import { SPECIAL_FORMS } from '../src/calc/special-forms.ts';
import { FUNCTIONS } from '../src/functions/catalogue.ts';
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
  const all = [...FUNCTIONS.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const forms = [...SPECIAL_FORMS.keys()].sort();
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
    'Functions that need another service or program: cubes (`CUBEVALUE` and its kind), the web (`WEBSERVICE`, `FILTERXML`, `IMAGE`, `STOCKHISTORY`, `TRANSLATE`), add-ins and live data (`CALL`, `REGISTER.ID`, `RTD`), pivot tables (`GETPIVOTDATA` is `#REF!`). Of Google Sheets: `QUERY` and `IMPORTRANGE`, for now.',
    '',
  ].join('\n');
}

if (process.argv[2] === '--write')
  writeFileSync(new URL('../../../docs/functions.md', import.meta.url), functionsPage());
