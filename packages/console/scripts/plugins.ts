import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { functionRows, localNames } from './functions.ts';

/** Virtual modules with JSON that the build generates from other parts of the repository. */
export function generatedModules(): Plugin[] {
  return [
    generated('virtual:functions/en', () => JSON.stringify(functionRows('en'))),
    generated('virtual:functions/ru', () => JSON.stringify(functionRows('ru'))),
    generated('virtual:local-names', () => JSON.stringify(localNames())),
    generated('virtual:openapi', () => readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')),
  ];
}

function generated(name: string, text: () => string): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${text()};` : null),
  };
}
