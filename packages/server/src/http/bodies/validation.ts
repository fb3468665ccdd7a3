import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchema, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { canHoldManyCells } from '../../operations/schemas/requests.ts';
import { findUnknownFields } from './unknown-input.ts';

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

type ValidatorFactory = ReturnType<ReturnType<typeof AjvCompiler>>;
type Validate = ReturnType<ValidatorFactory>;

const byCodePoints = createLazyValidatorFactory(AJV_OPTIONS);
const byUnits = createLazyValidatorFactory(BY_UNITS);
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
    validate ??= getValidator(schema);
    if (validate(data) === true) return true;
    const unknown = findUnknownFields(schema, data);
    return { error: unknown.length > 0 ? unknown : (validate.errors as FastifySchemaValidationError[]) };
  };
};

/** Returns a function that validates a body. It compiles the schema at its first call. */
export function createBodyCheck<Body>(schema: object): (data: unknown) => data is Body {
  let validate: Validate | null = null;
  return (data): data is Body => {
    validate ??= getValidator(schema);
    return validate(data) === true;
  };
}

/** The compiled validator of a schema. */
function getValidator(schema: FastifySchema): Validate {
  const validator = compiled.get(schema);
  if (validator !== undefined) return validator;
  const validate = (canHoldManyCells(schema) ? byUnits : byCodePoints)()({ schema });
  compiled.set(schema, validate);
  return validate;
}

/** Returns a function that creates the framework's validator on first use. */
function createLazyValidatorFactory(customOptions: object): () => ValidatorFactory {
  let compiler: ValidatorFactory | null = null;
  return () => {
    compiler ??= AjvCompiler()({}, { customOptions });
    return compiler;
  };
}
