import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declarationOf, readApiDescription } from '../../../scripts/schema-types.ts';

export const TYPES = new URL('../src/data/api.ts', import.meta.url);

/** Returns the named types of the API description as TypeScript. `npm run openapi` writes them to `src/data/api.ts`. */
export function apiTypes(): string {
  const { components } = readApiDescription();
  const types = Object.entries(components.schemas).map(([name, schema]) => declarationOf(name, schema));
  return `// Made of openapi.json by \`npm run openapi\`.\n\n${types.join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TYPES, apiTypes());
