import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Of the API's description, as the contract gives it. */
const API_VERSION = '1.0.0';

/** Describes every route that is registered after it. Register it before the routes. */
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
  });
}

/** The description as a page for people, all of it served from here. */
export async function showApi(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
    theme: { title: 'Cellwire API' },
  });
}
