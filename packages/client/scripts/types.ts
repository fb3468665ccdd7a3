import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declarationOf, membersOf, type Operation, readApiDescription, typeOf } from '../../../scripts/schema-types.ts';

export const TYPES = new URL('../src/generated/api.ts', import.meta.url);

/** Returns the client's types: each named schema, and the query, body and answer of each operation. */
export function clientTypes(): string {
  const { components, paths } = readApiDescription();
  const named = Object.entries(components.schemas).map(([name, schema]) => declarationOf(name, schema));
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(
      (operation) => `/** ${operation.summary}. */\nreadonly ${operation.operationId}: ${operationType(operation)};`,
    );
  const all = `/** Query, body and answer of each operation. */\nexport interface Operations {\n${operations.join('\n')}\n}`;
  return `// Generated from openapi.json by \`npm run client:types\`.\n\n${[...named, all].join('\n\n')}\n`;
}

const JSON_TYPE = 'application/json';

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const members = membersOf({
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name.replace(/\[\]$/, ''), schema])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name.replace(/\[\]$/, '')),
  });
  const query = inQuery.length === 0 ? 'unknown' : members;
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const answer = responses['200']?.content?.[JSON_TYPE]?.schema;
  return `{\nreadonly query: ${query};\nreadonly body: ${body === undefined ? 'undefined' : typeOf(body)};\nreadonly answer: ${answer === undefined ? 'string' : typeOf(answer)};\n}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TYPES, clientTypes());
