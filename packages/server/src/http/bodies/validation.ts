import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchema, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { holdsCells } from '../../operations/schemas/requests.ts';
import { unknownFields } from './unknown-input.ts';

/**
 * Nothing of a request is changed to fit its schema. The schemas themselves are checked by the tests: what checks them
 * takes longer to compile than the validators of most requests.
 */
const AJV_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: false,
  allowUnionTypes: true,
  validateSchema: false,
  meta: false,
} as const;

/**
 * Counts a text by its UTF-16 units, as the engine's own limits do: counting the code points of ten megabytes of cells
 * takes 40 ms. The checker says at every start that the option is not for everybody.
 */
const BY_UNITS = { ...AJV_OPTIONS, unicode: false, logger: false } as const;

type Checker = ReturnType<ReturnType<typeof AjvCompiler>>;
type Validate = ReturnType<Checker>;

const byCodePoints = checker(AJV_OPTIONS);
const byUnits = checker(BY_UNITS);
/** By their schemas, for all services of this process: a schema never changes. */
const compiled = new WeakMap<FastifySchema, Validate>();

/**
 * The framework's own validators, each compiled at the first request that needs it: compiling all of them took a sixth
 * of the processor time from an empty process to a service that listens. Unknown members are reported before anything
 * else that is wrong, and several at a time: a misspelt name is often the reason why a required one is missing.
 */
export const compileValidator: FastifySchemaCompiler<FastifySchema> = ({ schema }) => {
  let validate: Validate | null = null;
  return (data: unknown) => {
    validate ??= validatorOf(schema);
    if (validate(data) === true) return true;
    const unknown = unknownFields(schema, data);
    return { error: unknown.length > 0 ? unknown : (validate.errors as FastifySchemaValidationError[]) };
  };
};

/** Tells whether data fits the schema of a body, compiled at the first that is asked about. */
export function schemaFits<Body>(schema: object): (data: unknown) => data is Body {
  let validate: Validate | null = null;
  return (data): data is Body => {
    validate ??= validatorOf(schema);
    return validate(data) === true;
  };
}

function validatorOf(schema: FastifySchema): Validate {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validate = (holdsCells(schema) ? byUnits : byCodePoints)()({ schema });
  compiled.set(schema, validate);
  return validate;
}

/** The framework's checker, made when it is first needed. */
function checker(customOptions: object): () => Checker {
  let made: Checker | null = null;
  return () => {
    made ??= AjvCompiler()({}, { customOptions });
    return made;
  };
}
