import { mapMaybe } from '@cellwire/event-loop';
import type { FastifySchema } from 'fastify';
import type { Operation } from '../operations/operation.ts';
import { AnswerSender } from './answer-sender.ts';
import type { Api, App } from './api.ts';
import { acceptLines } from './bodies/line-bodies.ts';
import { acceptFiles } from './bodies/uploads.ts';
import { collectInput } from './call-conditions.ts';
import { HttpCall } from './http-call.ts';
import { createIdempotencyHook } from './idempotency-hook.ts';

/** Adds one route for each operation. A route only maps input and answer. */
export async function addOperationRoutes(app: App, api: Api, operations: readonly Operation[]): Promise<void> {
  const sender = new AnswerSender(api, app.eventStreams);
  app.addHook('preClose', async () => sender.endStreams());
  const parts = { sender, prefix: app.prefix };
  for (const operation of operations) {
    // Content types that only some operations accept are registered in a separate scope. Scopes for all operations would
    // take a quarter of the time in which the serving thread starts.
    if (operation.accepts === null) addRoute(app, api, operation, parts);
    else
      await app.register(async (scope) => {
        if (operation.accepts === 'lines') acceptLines(scope as App);
        if (operation.accepts === 'file') acceptFiles(scope as App);
        addRoute(scope as App, api, operation, parts);
      });
  }
}

interface RouteParts {
  readonly sender: AnswerSender;
  readonly prefix: string;
}

function addRoute(app: App, api: Api, operation: Operation, { sender, prefix }: RouteParts): void {
  const { http, requires, isKeyed, endsDocument, maxBodyBytes } = operation;
  app.route({
    method: http.method,
    url: toRoutePattern(http.path),
    config: { needs: requires, keyed: isKeyed, ends: endsDocument, operation },
    ...(isKeyed ? { preValidation: createIdempotencyHook(api) } : {}),
    ...(maxBodyBytes === null ? {} : { bodyLimit: maxBodyBytes }),
    schema: toRouteSchema(operation),
    handler: (request, reply) =>
      mapMaybe(operation.run(new HttpCall(api, request, reply, prefix), collectInput(request)), (answer) =>
        sender.sendAnswer(request, reply, answer),
      ),
  });
}

/** `/documents/{document}` in the router's notation: `/documents/:document`. */
export function toRoutePattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The schemas of an operation in the form of the framework. */
function toRouteSchema({ id, summary, tag, params, query, body, answers }: Operation): FastifySchema {
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(params === null ? {} : { params }),
    ...(query === null ? {} : { querystring: query }),
    ...(body === null ? {} : { body }),
    response: answers,
  };
}
