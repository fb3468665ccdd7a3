import type { Static, TSchema, Type as Whole } from 'typebox';

export type { Static, TSchema };

type Used =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unsafe';

type Schema = Readonly<Record<string, unknown>>;

/** Properties that may be absent. */
const optional = new WeakSet<object>();

function requiredOf(properties: Readonly<Record<string, object>>): readonly string[] {
  return Object.keys(properties).filter((name) => !optional.has(properties[name] as object));
}

/**
 * Schemas of requests and answers as JSON Schema, with typebox's types: `Static` tells what a value of one looks like.
 * The twelve of its functions that are used here stand here: with them it loads hundreds of modules, a fifth of the
 * processor's time from an empty process to a service that listens.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object(properties: Readonly<Record<string, object>>, options?: Schema) {
    const required = requiredOf(properties);
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  /** A copy: the schema itself may be required elsewhere. */
  Optional(schema: Schema) {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  /** Of texts by any names. */
  Record: (_names: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
} as unknown as Pick<typeof Whole, Used>;
