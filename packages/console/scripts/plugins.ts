import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import type { GuideSection } from '../src/text/guide-section.ts';
import { listFunctionRows, listLocalNames } from './functions.ts';
import { parseGuide } from './markdown-guide.ts';

/** Virtual modules with JSON that the build generates from other parts of the repository. */
export function createGeneratedModules(): Plugin[] {
  return [
    createGeneratedModule('virtual:functions/en', () => JSON.stringify(listFunctionRows('en'))),
    createGeneratedModule('virtual:functions/ru', () => JSON.stringify(listFunctionRows('ru'))),
    createGeneratedModule('virtual:local-names', () => JSON.stringify(listLocalNames())),
    createGeneratedModule('virtual:clients-guide', () => JSON.stringify(CLIENT_PAGES.flatMap(readClientPage))),
    createGeneratedModule('virtual:openapi', () =>
      readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
    ),
  ];
}

/** Pages of `docs/clients`, in the order in which the console shows them. */
const CLIENT_PAGES = ['README', 'typescript', 'python'];

function readClientPage(name: string): readonly GuideSection[] {
  const text = readFileSync(new URL(`../../../docs/clients/${name}.md`, import.meta.url), 'utf8');
  return parseGuide(text, name === 'README' ? 'tasks' : name);
}

function createGeneratedModule(name: string, text: () => string): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${text()};` : null),
  };
}
