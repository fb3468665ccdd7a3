import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../limits/requests.ts';
import { FAILURES } from '../../operations/schemas/answers.ts';
import { isUndescribedBody } from '../bodies/unknown-input.ts';
import { describeOperations } from './describe.ts';
import type { DescriptionPart } from './named-schemas.ts';

/** Version of the API's description, as defined by the contract. */
const API_VERSION = '1.0.0';

/** Describes every route that is registered after this call. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Cellwire',
        version: API_VERSION,
        description: 'Read and write cells of spreadsheet documents; formulas are recalculated on the server.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
    transformObject: (document) =>
      'openapiObject' in document ? describeOperations(document.openapiObject as DescriptionPart) : {},
    transform: ({ schema, url, route }) => ({ url, schema: describeSentForm(schema, route) }),
  });
}

const KEY_HEADER = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
      description: 'A repetition with the same key gets the first answer and writes nothing.',
    },
  },
};

/** The framework can send this answer for any route with a body, so routes do not declare it. */
const TOO_LARGE = { 413: FAILURES[413] };
const BROKEN = { 500: FAILURES[500], 503: FAILURES[503] };

/**
 * Describes parts of a request that are parsed before validation in the form in which clients send them, and answers
 * that no route sends itself.
 */
function describeSentForm({ body, ...others }: FastifySchema, { config }: RouteOptions): FastifySchema {
  const schema = isUndescribedBody(body) ? others : { body, ...others };
  const query = schema.querystring as { properties?: Record<string, unknown>; required?: string[] } | undefined;
  const ranges = query?.properties?.['ranges'];
  const { ranges: _, ...single } = query?.properties ?? {};
  const listed = { ...query, properties: { 'ranges[]': ranges, ...single }, required: ['ranges[]'] };
  return {
    ...schema,
    response: {
      ...(schema.response as object),
      ...('body' in schema && schema.body !== undefined ? TOO_LARGE : {}),
      ...BROKEN,
    },
    ...(ranges === undefined ? {} : { querystring: listed }),
    ...(config?.keyed === true ? { headers: KEY_HEADER } : {}),
  };
}
