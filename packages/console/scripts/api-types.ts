import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OPENAPI = new URL('../../../openapi.json', import.meta.url);
export const TYPES = new URL('../src/data/api.ts', import.meta.url);

/** As much of JSON Schema as the description uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Types that TypeScript calls otherwise. */
const PLAIN: Readonly<Record<string, string>> = { integer: 'number' };

/** The named types of the API's description as TypeScript: `npm run openapi` writes them to `src/data/api.ts`. */
export function apiTypes(): string {
  const { components } = JSON.parse(readFileSync(OPENAPI, 'utf8')) as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const types = Object.entries(components.schemas).map(([name, schema]) =>
    schema.properties !== undefined && schema.type === 'object'
      ? `export interface ${name} ${membersOf(schema)}`
      : `export type ${name} = ${typeOf(schema)};`,
  );
  return `// Made of openapi.json by \`npm run openapi\`.\n\n${types.join('\n\n')}\n`;
}

function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? 'unknown';
  if (values !== undefined)
    return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
  if (anyOf !== undefined || oneOf !== undefined) return (anyOf ?? oneOf ?? []).map(typeOf).join(' | ');
  if (allOf !== undefined) return allOf.map(typeOf).join(' & ');
  const kinds = typeof type === 'string' ? [type] : (type ?? []);
  if (kinds.length === 0) return 'unknown';
  return kinds.map((kind) => kindOf(kind, schema)).join(' | ');
}

function kindOf(kind: string, schema: Schema): string {
  if (kind === 'object') return objectOf(schema);
  return kind === 'array' ? listOf(schema) : (PLAIN[kind] ?? kind);
}

function listOf({ items = {} }: Schema): string {
  const item = typeOf(items);
  return /[|&]/.test(item) ? `readonly (${item})[]` : `readonly ${item.startsWith('readonly ') ? `(${item})` : item}[]`;
}

function objectOf(schema: Schema): string {
  if (schema.properties !== undefined) return membersOf(schema);
  const { additionalProperties } = schema;
  return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>>`;
}

function membersOf({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
    return `${about}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`;
  });
  return `{\n${members.join('\n')}\n}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TYPES, apiTypes());
