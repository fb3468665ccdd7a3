import type { FastifySchemaValidationError } from 'fastify';
import { MAX_UNKNOWN_FIELDS } from '../../limits/requests.ts';
import { ConditionsBody, defineBody, defineQuery } from '../../operations/schemas/requests.ts';
import { describeUnknownField } from '../../service/refusal.ts';
import type { App } from '../api.ts';

/** Schemas of a route without query parameters, and of one without a body. */
const NO_PARAMETERS = defineQuery({});
const NO_MEMBERS = { ...defineBody({}), type: ['object', 'null'] };
/** Methods whose bodies the framework reads. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Makes the routes added after this call refuse query parameters and bodies that their schemas do not define. */
export function refuseUnknownInput(app: App): void {
  app.addHook('onRoute', (route) => {
    const takesBody = [route.method].flat().some((method) => WITH_BODY.has(method));
    route.schema = {
      querystring: NO_PARAMETERS,
      ...(takesBody ? { body: NO_MEMBERS } : {}),
      ...route.schema,
    };
  });
}

/** Whether the API's description omits a body. */
export function isUndescribedBody(schema: unknown): boolean {
  return schema === NO_MEMBERS || schema === ConditionsBody;
}

/** The part of a schema that defines members. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly additionalProperties?: boolean;
  readonly items?: ObjectSchema;
}

/** Options of cell writes only. Without this refusal, a deletion sent with `dryRun` would delete the document. */
const CELL_WRITE_OPTIONS: Readonly<Record<string, string>> = {
  dryRun: 'Only writes of values, records, sheets and structure can be tried out',
  ifRevision: 'ifRevision is for writes of values, records, sheets and structure',
  expect: 'expect is for writes of values, records, sheets and structure',
};

/** The keyword of validation errors about members that a schema does not define. */
export const UNKNOWN_FIELD = 'unknownField';

/** The first members of a body or parameters of a query that the schema does not define. */
export function findUnknownFields(schema: object, data: unknown): FastifySchemaValidationError[] {
  const found: FastifySchemaValidationError[] = [];
  collectUnknownFields(schema as ObjectSchema, data, [], found);
  return found;
}

/** Adds an error for each field at any depth that the schema does not define, up to `MAX_UNKNOWN_FIELDS` of them. */
function collectUnknownFields(
  schema: ObjectSchema,
  data: unknown,
  path: readonly string[],
  unknownFields: FastifySchemaValidationError[],
): void {
  if (typeof data !== 'object' || data === null || !definesMembers(schema)) return;
  const { properties = {}, additionalProperties, items = {} } = schema;
  if (Array.isArray(data)) {
    if (!definesMembers(items)) return;
    for (let i = 0; i < data.length && unknownFields.length < MAX_UNKNOWN_FIELDS; i++) {
      collectUnknownFields(items, data[i], [...path, String(i)], unknownFields);
    }
    return;
  }
  for (const [name, value] of Object.entries(data)) {
    if (unknownFields.length >= MAX_UNKNOWN_FIELDS) return;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) collectUnknownFields(property, value, [...path, name], unknownFields);
    else if (additionalProperties === false) unknownFields.push(toUnknownFieldError(path, name, properties));
  }
}

/** Whether an object or list of this schema can contain a member that it does not define, at any depth. */
function definesMembers({ properties, additionalProperties, items }: ObjectSchema): boolean {
  if (additionalProperties === false) return true;
  return Object.values(properties ?? {}).some(definesMembers) || (items !== undefined && definesMembers(items));
}

/** The validator's error for an unknown member. Its message suggests a known member if one is similar. */
function toUnknownFieldError(path: readonly string[], name: string, properties: object): FastifySchemaValidationError {
  const isElsewhere = path.length === 0 && !('dryRun' in properties) && Object.hasOwn(CELL_WRITE_OPTIONS, name);
  const special = isElsewhere ? CELL_WRITE_OPTIONS[name] : undefined;
  return {
    keyword: UNKNOWN_FIELD,
    instancePath: '',
    schemaPath: '',
    params: { field: [...path, name].join('.') },
    message: special ?? describeUnknownField(name, Object.keys(properties)),
  };
}
