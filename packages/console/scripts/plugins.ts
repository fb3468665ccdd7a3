import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import type { GuideSection } from '../src/text/guide-section.ts';
import { functionRows, localNames } from './functions.ts';
import { guideOfMarkdown } from './markdown-guide.ts';

/** Virtual modules with JSON that the build generates from other parts of the repository. */
export function generatedModules(): Plugin[] {
  return [
    generated('virtual:functions/en', () => JSON.stringify(functionRows('en'))),
    generated('virtual:functions/ru', () => JSON.stringify(functionRows('ru'))),
    generated('virtual:local-names', () => JSON.stringify(localNames())),
    generated('virtual:clients-guide', () => JSON.stringify(CLIENT_PAGES.flatMap(clientPage))),
    generated('virtual:openapi', () => readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')),
  ];
}

/** Pages of `docs/clients`, in the order in which the console shows them. */
const CLIENT_PAGES = ['README', 'typescript', 'python'];

function clientPage(name: string): readonly GuideSection[] {
  const text = readFileSync(new URL(`../../../docs/clients/${name}.md`, import.meta.url), 'utf8');
  return guideOfMarkdown(text, name === 'README' ? 'tasks' : name);
}

function generated(name: string, text: () => string): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${text()};` : null),
  };
}
