import { quoteSheetName } from '@cellwire/engine';

/** The parts of an OpenAPI 3.1 description that the reference shows. */
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, ApiSchema>> };
}

interface ApiOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: ApiSchema }>> };
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}

interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: ApiSchema;
}

export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
}

/** An operation with its method, path and id. */
export interface Endpoint {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

const JSON_TYPE = 'application/json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Lists the operations of a description, with the schemas of their JSON bodies. */
export function listEndpoints({ paths, components = {} }: ApiDescription): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      if (operation === undefined) return [];
      return [
        {
          id: operation.operationId ?? `${method} ${path}`,
          method: method.toUpperCase(),
          path,
          operation: inlineBodySchema(operation, components),
        },
      ];
    }),
  );
}

/** Returns an operation with its named JSON body schema replaced by the schema itself. */
function inlineBodySchema(
  operation: ApiOperation,
  { schemas = {} }: NonNullable<ApiDescription['components']>,
): ApiOperation {
  const { requestBody } = operation;
  const media = requestBody?.content[JSON_TYPE];
  const schema = schemas[media?.schema?.$ref?.split('/').at(-1) ?? ''];
  if (requestBody === undefined || schema === undefined) return operation;
  const content = { ...requestBody.content, [JSON_TYPE]: { ...media, schema: schema } };
  return { ...operation, requestBody: { ...requestBody, content } };
}

/** Returns a schema's type in words. */
export function describeType(schema: ApiSchema | undefined): string {
  if (schema === undefined) return '';
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(describeType).join(' | ');
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  const type = typeof schema.type === 'string' ? schema.type : (schema.type?.join(' | ') ?? '');
  return schema.items === undefined ? type : `${type} of ${describeType(schema.items)}`;
}

/** Example bodies by operation id. Other bodies are generated from the required members. */
const createExampleBodies = (sheet: string): Readonly<Record<string, unknown>> => ({
  putValues: { values: [['text', 12.5, '=1+1']] },
  batchUpdateValues: { data: [{ range: 'A1', values: [['text', 12.5]] }] },
  appendValues: { range: 'A:C', values: [['text', 12.5, '=1+1']] },
  clearValues: { range: 'A1:B2' },
  createSheet: { name: 'New sheet' },
  changeStructure: { operations: [{ insertRows: { sheet, before: 3, count: 1 } }] },
  queryRecords: { range: quoteSheetName(sheet), limit: 5 },
});

/** Returns an example body for a document with this sheet, as JSON text; empty if the operation has no body. */
export function createExampleBody({ id, operation }: Endpoint, sheet: string): string {
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  if (schema === undefined) return '';
  const example =
    createExampleBodies(sheet)[id] ?? schema.example ?? schema.examples?.[0] ?? createExampleValue(schema);
  return JSON.stringify(example, null, 2);
}

/** Creates an example value for a schema: its own example, default or first choice, else a value of its type. */
function createExampleValue(schema: ApiSchema): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') {
    const { properties = {}, required = [] } = schema;
    return Object.fromEntries(required.map((name) => [name, createExampleValue(properties[name] ?? {})]));
  }
  if (type === 'array') return schema.items === undefined ? [] : [createExampleValue(schema.items)];
  return { integer: 1, number: 1, boolean: true, string: 'text' }[type ?? ''] ?? null;
}

/** Returns the initial value of a parameter for a document with this sheet; empty if the person has to enter it. */
export function chooseInitialValue(name: string, sheet: string): string {
  return { range: 'A1:C5', ranges: 'A1:C5', revision: '1', sheet }[name.replace('[]', '')] ?? '';
}
