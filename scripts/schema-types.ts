import { readFileSync } from 'node:fs';

const OPENAPI = new URL('../openapi.json', import.meta.url);

/** The part of JSON Schema that `openapi.json` uses. */
export interface Schema {
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

type ContentByType = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface SchemaOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: ContentByType };
  readonly responses: Readonly<Record<string, { readonly content?: ContentByType }>>;
}

/** The parts of an OpenAPI description from which types are generated. */
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, SchemaOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function readApiDescription(): ApiDescription {
  return JSON.parse(readFileSync(OPENAPI, 'utf8')) as ApiDescription;
}

/** Returns the names of all schemas that a part of the description refers to, directly or through other schemas. */
export function findReferencedSchemas(part: unknown, schemas: Readonly<Record<string, Schema>>): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      collect(schemas[name]);
    }
  };
  collect(part);
  return names;
}

/** Returns a named schema as an exported TypeScript type. */
export function formatDeclaration(name: string, schema: Schema): string {
  return schema.properties !== undefined && schema.type === 'object'
    ? `export interface ${name} ${formatMembers(schema)}`
    : `export type ${name} = ${formatType(schema)};`;
}

/** JSON Schema types that have another name in TypeScript. */
const TYPE_NAMES: Readonly<Record<string, string>> = { integer: 'number' };

/** Returns the TypeScript type that a schema describes. */
export function formatType(schema: Schema): string {
  const { $ref, enum: values, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? 'unknown';
  if (values !== undefined)
    return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
  if (anyOf !== undefined || oneOf !== undefined) return (anyOf ?? oneOf ?? []).map(formatType).join(' | ');
  if (allOf !== undefined) return allOf.map(formatType).join(' & ');
  const kinds = typeof type === 'string' ? [type] : (type ?? []);
  if (kinds.length === 0) return 'unknown';
  return kinds.map((kind) => formatTypeOfKind(kind, schema)).join(' | ');
}

function formatTypeOfKind(kind: string, schema: Schema): string {
  if (kind === 'object') return formatObjectType(schema);
  return kind === 'array' ? formatArrayType(schema) : (TYPE_NAMES[kind] ?? kind);
}

function formatArrayType({ items = {} }: Schema): string {
  const item = formatType(items);
  return /[|&]/.test(item) ? `readonly (${item})[]` : `readonly ${item.startsWith('readonly ') ? `(${item})` : item}[]`;
}

function formatObjectType(schema: Schema): string {
  if (schema.properties !== undefined) return formatMembers(schema);
  const { additionalProperties } = schema;
  return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? formatType(additionalProperties) : 'unknown'}>>`;
}

export function formatMembers({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${about}readonly ${key}${required.includes(name) ? '' : '?'}: ${formatType(schema)};`;
  });
  return `{\n${members.join('\n')}\n}`;
}
