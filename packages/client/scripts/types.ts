import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  findReferencedSchemas,
  formatDeclaration,
  formatMembers,
  formatType,
  readApiDescription,
  type Schema,
  type SchemaOperation,
} from '../../../scripts/schema-types.ts';

/** The folder of the generated files. */
export const TYPES = new URL('../src/generated/', import.meta.url);

const HEAD = '// Generated from openapi.json by `npm run client:types`.\n\n';
const SHARED = 'shared';

/**
 * Returns the client's types by file name. Each tag of the API has a file with its operations (query, body and answer)
 * and the schemas that only they use. `shared.ts` has all other schemas, and `api.ts` exports everything.
 */
export function formatClientTypes(): ReadonlyMap<string, string> {
  const { components, paths } = readApiDescription();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const byTag = Map.groupBy(operations, ({ tags: [tag = SHARED] }) => tag);
  const modules = assignModules(components.schemas, byTag);
  const schemasOf = (module: string) => Object.keys(components.schemas).filter((name) => modules.get(name) === module);
  const declare = (name: string) => formatDeclaration(name, components.schemas[name] ?? {});

  const files = new Map<string, string>();
  files.set(`${SHARED}.ts`, schemasOf(SHARED).map(declare).join('\n\n'));
  for (const [tag, taggedOperations] of byTag) {
    const own = schemasOf(tag).map(declare);
    const text = [...own, formatOperationsType(tag, taggedOperations)].join('\n\n');
    const sharedNames = schemasOf(SHARED)
      .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
      .sort();
    const imports =
      sharedNames.length === 0 ? '' : `import type { ${sharedNames.join(', ')} } from './${SHARED}.ts';\n\n`;
    files.set(`${toFileName(tag)}.ts`, imports + text);
  }
  files.set('api.ts', formatApiModule([...byTag.keys()]));
  return new Map([...files].map(([name, text]) => [name, `${HEAD}${text}\n`]));
}

/** Returns for each schema the only tag whose operations use it, or `SHARED`. */
function assignModules(
  schemas: Readonly<Record<string, Schema>>,
  byTag: ReadonlyMap<string, readonly SchemaOperation[]>,
): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const [tag, operations] of byTag) {
    for (const name of findReferencedSchemas(operations, schemas)) modules.set(name, modules.has(name) ? SHARED : tag);
  }
  for (const name of Object.keys(schemas)) if (!modules.has(name)) modules.set(name, SHARED);
  return modules;
}

function formatOperationsType(tag: string, operations: readonly SchemaOperation[]): string {
  const members = operations.map(
    (operation) =>
      `/** ${operation.summary}. */\nreadonly ${operation.operationId}: ${formatOperationType(operation)};`,
  );
  return `/** Query, body and answer of each operation. */\nexport interface ${toTypeName(tag)} {\n${members.join('\n')}\n}`;
}

function formatApiModule(tags: readonly string[]): string {
  const sortedTags = tags.toSorted();
  const imports = sortedTags.map((tag) => `import type { ${toTypeName(tag)} } from './${toFileName(tag)}.ts';`);
  const names = [SHARED, ...tags.map(toFileName)].sort();
  const exportLines = names.map((name) => `export type * from './${name}.ts';`);
  const index = `/** Query, body and answer of each operation of the API. */\nexport interface Operations extends ${tags.map(toTypeName).join(', ')} {}`;
  return [imports.join('\n'), exportLines.join('\n'), index].join('\n\n');
}

function toFileName(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

function toTypeName(tag: string): string {
  return `${tag.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())}Operations`;
}

const JSON_TYPE = 'application/json';

function formatOperationType({ parameters = [], requestBody, responses }: SchemaOperation): string {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const members = formatMembers({
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name.replace(/\[\]$/, ''), schema])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name.replace(/\[\]$/, '')),
  });
  const query = inQuery.length === 0 ? 'unknown' : members;
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const answerSchema = responses['200']?.content?.[JSON_TYPE]?.schema;
  return `{\nreadonly query: ${query};\nreadonly body: ${body === undefined ? 'undefined' : formatType(body)};\nreadonly answer: ${answerSchema === undefined ? 'string' : formatType(answerSchema)};\n}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = formatClientTypes();
  for (const name of readdirSync(TYPES)) if (!files.has(name)) rmSync(new URL(name, TYPES));
  for (const [name, text] of files) writeFileSync(new URL(name, TYPES), text);
}
