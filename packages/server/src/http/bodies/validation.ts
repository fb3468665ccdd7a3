import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchema, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { holdsCells } from '../../operations/schemas/requests.ts';
import { unknownFields } from './unknown-input.ts';

/**
 * Requests are never changed to fit their schema. The schemas themselves are verified in tests, because compiling the
 * verifier takes longer than compiling the validators of most requests.
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
 * Measures text in UTF-16 units, like the engine's limits: counting the code points of ten megabytes of cells takes 40
 * ms. The logger is off because the validator warns about this option at every start.
 */
const BY_UNITS = { ...AJV_OPTIONS, unicode: false, logger: false } as const;

type Checker = ReturnType<ReturnType<typeof AjvCompiler>>;
type Validate = ReturnType<Checker>;

const byCodePoints = checker(AJV_OPTIONS);
const byUnits = checker(BY_UNITS);
/** Validators by schema, shared by all services of this process. Schemas never change. */
const compiled = new WeakMap<FastifySchema, Validate>();

/**
 * The framework's validators, each compiled at the first request that needs it: compiling all of them took a sixth of
 * the processor time of a start. Unknown members are reported before other errors, several at a time, because a
 * misspelt name is often the reason why a required one is missing.
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

/** Returns a function that validates a body. It compiles the schema at its first call. */
export function schemaFits<Body>(schema: object): (data: unknown) => data is Body {
  let validate: Validate | null = null;
  return (data): data is Body => {
    validate ??= validatorOf(schema);
    return validate(data) === true;
  };
}

function validatorOf(schema: FastifySchema): Validate {
  const validator = compiled.get(schema);
  if (validator !== undefined) return validator;
  const validate = (holdsCells(schema) ? byUnits : byCodePoints)()({ schema });
  compiled.set(schema, validate);
  return validate;
}

/** The framework's validator, created on first use. */
function checker(customOptions: object): () => Checker {
  let compiler: Checker | null = null;
  return () => {
    compiler ??= AjvCompiler()({}, { customOptions });
    return compiler;
  };
}
