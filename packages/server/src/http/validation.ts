import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchema, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { WRITES_OF_CELLS } from './schemas.ts';

/** Nothing of a request is changed to fit its schema. */
const AJV_OPTIONS = { coerceTypes: false, removeAdditional: false, allErrors: false, allowUnionTypes: true } as const;

/**
 * Counts a text by its UTF-16 units, as the engine's own limits do: counting the code points of ten megabytes of cells
 * takes 40 ms. The checker says at every start that the option is not for everybody.
 */
const BY_UNITS = { ...AJV_OPTIONS, unicode: false, logger: false } as const;

/**
 * The framework's own validators, each compiled at the first request that needs it: compiling all of them took a sixth
 * of the processor time from an empty process to a service that listens.
 */
export function validatorCompiler(): FastifySchemaCompiler<FastifySchema> {
  const byCodePoints = checker(AJV_OPTIONS);
  const byUnits = checker(BY_UNITS);
  return ({ schema }) => {
    let validate: ReturnType<Checker> | null = null;
    return (data: unknown) => {
      validate ??= (WRITES_OF_CELLS.has(schema) ? byUnits : byCodePoints)()({ schema });
      return validate(data) === true ? true : { error: validate.errors as FastifySchemaValidationError[] };
    };
  };
}

type Checker = ReturnType<ReturnType<typeof AjvCompiler>>;

/** The framework's checker, made when it is first needed. */
function checker(customOptions: object): () => Checker {
  let made: Checker | null = null;
  return () => {
    made ??= AjvCompiler()({}, { customOptions });
    return made;
  };
}
