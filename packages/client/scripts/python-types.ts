import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readApiDescription, type Schema, type SchemaOperation } from '../../../scripts/schema-types.ts';

export const PYTHON_TYPES = new URL('../../../clients/python/src/cellwire/types.py', import.meta.url);

/**
 * Members of bodies and queries that are separate arguments of the client's methods, or that the methods set
 * themselves.
 */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  addSheet: ['name'],
  appendRecords: ['range', 'records'],
  appendValues: ['range', 'values'],
  batchGetAcrossDocuments: ['ranges', 'render'],
  batchGetValues: ['ranges', 'render'],
  batchUpdateValues: ['data'],
  changeStructure: ['operations'],
  clearValues: ['range'],
  copyDocument: ['title'],
  createDocument: ['title'],
  deleteRecords: ['range'],
  exportDocument: ['format', 'sheet', 'report'],
  getValues: ['render'],
  listChanges: ['since', 'incarnation', 'limit'],
  listDocuments: ['cursor', 'limit'],
  listProposals: ['state', 'cursor', 'limit'],
  nameRevision: ['name'],
  putValues: ['values'],
  queryRecords: ['range'],
  renameDocument: ['title'],
  renameSheet: ['name', 'hidden'],
  shareDocument: ['user', 'role'],
  updateRecords: ['range', 'set'],
  upsertRecords: ['range', 'records', 'key'],
};

/** Members of the query that turn a write into a proposal. */
const PROPOSE_OPTIONS: readonly string[] = ['propose', 'title', 'note'];
const PROPOSAL: Schema = { $ref: '#/components/schemas/Proposal' };

const HEADER = `# Generated from openapi.json by \`npm run client:types\`.
"""The shapes of the API's answers, and the options of the client's methods."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Sequence, TypedDict, Union

Value = Union[str, int, float, bool, None]


class CallOptions(TypedDict, total=False):
    """Options that every method takes."""

    timeout: float
    attempts: int
    idempotency_key: str
    headers: Mapping[str, str]
`;

/** Returns the Python client's types: named schemas, and the answer and options of each operation. */
export function formatPythonTypes(): string {
  const { components, paths } = readApiDescription();
  const types = new TypedDictWriter();
  for (const [name, schema] of Object.entries(components.schemas)) types.declare(name, schema);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    declareOperation(types, operation, components.schemas);
  }
  return `${[HEADER, ...types.declarations].join('\n\n\n')}\n`;
}

function declareOperation(
  types: TypedDictWriter,
  { operationId, parameters = [], requestBody, responses }: SchemaOperation,
  schemas: Readonly<Record<string, Schema>>,
): void {
  const name = operationId[0]?.toUpperCase() + operationId.slice(1);
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [name, schema] as const);
  const answerSchema = responses['200']?.content?.['application/json']?.schema;
  const isProposable = query.some(([member]) => member === 'propose');
  // A class can extend a response only if its members are named. Any other response permits the member anyway.
  const hasMembers = (schemas[getSchemaName(answerSchema?.$ref)] ?? answerSchema)?.properties !== undefined;
  if (answerSchema !== undefined && isProposable && hasMembers)
    types.declareExtension(`${name}Answer`, answerSchema, { proposal: PROPOSAL });
  else if (answerSchema !== undefined) types.declare(`${name}Answer`, answerSchema);
  const bodySchema = requestBody?.content['application/json']?.schema;
  const body = (schemas[getSchemaName(bodySchema?.$ref)] ?? bodySchema)?.properties;
  const members: Readonly<Record<string, Schema>> = {
    ...(body ?? Object.fromEntries(query)),
    ...(isProposable ? Object.fromEntries(query.filter(([member]) => PROPOSE_OPTIONS.includes(member))) : {}),
  };
  const argumentNames = ARGUMENTS[operationId] ?? [];
  const options = Object.entries(members)
    .map(([member, schema]) => [member.replace(/\[\]$/, ''), schema] as const)
    .filter(([member]) => !argumentNames.includes(member));
  types.declareOptions(`${name}Options`, options);
}

/** Collects classes. The classes of inner objects come before the classes that use them. */
class TypedDictWriter {
  readonly declarations: string[] = [];

  declare(name: string, schema: Schema): void {
    const isObject = schema.properties !== undefined && schema.type === 'object';
    if (isObject) this.declareObject(name, schema);
    else if (schema.properties !== undefined)
      this.declarations.push(`${name} = ${this.formatType(schema, `${name}Object`)}`);
    else this.declarations.push(`${name} = ${this.formatType(schema, name)}`);
  }

  /** Adds a class that extends a named schema by optional members. */
  declareExtension(name: string, base: Schema, members: Readonly<Record<string, Schema>>): void {
    const further = Object.entries(members).map(([member, schema]) => ({
      member,
      type: this.formatType(schema, name),
    }));
    this.declareClass(name, `${this.formatType(base, name)}, total=False`, further);
  }

  /** Adds a class of options as keyword arguments, in snake case and optional. */
  declareOptions(name: string, members: readonly (readonly [string, Schema])[]): void {
    const lines = members.map(
      ([member, schema]) => `    ${toSnakeCase(member)}: ${this.formatType(schema, `${name}_${member}`, true)}`,
    );
    this.declarations.push(
      `class ${name}(CallOptions, total=False):\n${lines.length > 0 ? lines.join('\n') : '    pass'}`,
    );
  }

  private declareObject(name: string, { properties = {}, required = [] }: Schema): void {
    const members = Object.entries(properties).map(([member, schema]) => ({
      member,
      type: this.formatType(schema, name + member[0]?.toUpperCase() + member.slice(1)),
      isRequired: required.includes(member),
    }));
    const requiredMembers = members.filter(({ isRequired }) => isRequired);
    const optionalMembers = members.filter(({ isRequired }) => !isRequired);
    // A keyword of Python cannot be a member of a class.
    if (members.some(({ member }) => KEYWORDS.has(member))) {
      const text = members.map(({ member, type }) => `"${member}": ${type}`).join(', ');
      this.declarations.push(
        `${name} = TypedDict("${name}", {${text}}${requiredMembers.length === 0 ? ', total=False' : ''})`,
      );
      return;
    }
    // Python 3.9 has no `NotRequired`, so required members are in a separate base class.
    const base = requiredMembers.length > 0 && optionalMembers.length > 0 ? `_${name}` : name;
    if (requiredMembers.length > 0) this.declareClass(base, 'TypedDict', requiredMembers);
    if (optionalMembers.length > 0)
      this.declareClass(name, `${requiredMembers.length > 0 ? base : 'TypedDict'}, total=False`, optionalMembers);
    if (members.length === 0) this.declareClass(name, 'TypedDict', []);
  }

  private declareClass(
    name: string,
    bases: string,
    members: readonly { readonly member: string; readonly type: string }[],
  ): void {
    const lines = members.map(({ member, type }) => `    ${member}: ${type}`);
    this.declarations.push(`class ${name}(${bases}):\n${lines.length > 0 ? lines.join('\n') : '    pass'}`);
  }

  private formatType(schema: Schema, name: string, isInput = false): string {
    const { $ref, enum: values, anyOf, oneOf, type } = schema;
    if ($ref !== undefined) return getSchemaName($ref);
    if (values !== undefined) return formatEnumeration(values);
    const several = anyOf ?? oneOf;
    if (several !== undefined)
      return formatUnion(several.map((alternative, i) => this.formatType(alternative, `${name}${i}`, isInput)));
    const kinds = typeof type === 'string' ? [type] : (type ?? []);
    return kinds.length === 0
      ? 'Any'
      : formatUnion(kinds.map((kind) => this.formatTypeOfKind(kind, schema, name, isInput)));
  }

  private formatTypeOfKind(kind: string, schema: Schema, name: string, isInput: boolean): string {
    if (kind === 'array')
      return `${isInput ? 'Sequence' : 'List'}[${this.formatType(schema.items ?? {}, `${name}Item`, isInput)}]`;
    if (kind !== 'object') return PLAIN[kind] ?? 'Any';
    if (schema.properties === undefined) return isInput ? 'Mapping[str, Any]' : 'Dict[str, Any]';
    this.declareObject(name, schema);
    return name;
  }
}

/** Returns the name of the schema to which a reference refers. */
function getSchemaName($ref = ''): string {
  return $ref.split('/').at(-1) ?? '';
}

const KEYWORDS: ReadonlySet<string> = new Set(['from', 'in', 'is', 'as', 'or', 'and', 'not', 'if', 'for']);

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Returns the type of an enumeration. `true` and `false` in a query are booleans in the client. */
function formatEnumeration(values: readonly unknown[]): string {
  if (values.join() === 'true,false') return 'bool';
  return `Literal[${values.map((value) => formatLiteral(value)).join(', ')}]`;
}

function formatLiteral(value: unknown): string {
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}

function formatUnion(types: readonly string[]): string {
  const [first = 'Any', ...otherTypes] = [...new Set(types)];
  return otherTypes.length === 0 ? first : `Union[${[first, ...otherTypes].join(', ')}]`;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PYTHON_TYPES, formatPythonTypes());
