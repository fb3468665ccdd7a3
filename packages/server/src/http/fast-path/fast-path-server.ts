import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { DirectConnections } from '../connections/direct-connections.ts';
import { DirectResponse } from '../connections/direct-response.ts';
import { ProtocolServer } from '../connections/protocol-errors.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import type { ResponseHeaders } from '../response-headers.ts';
import type { AuthorizationCache } from './authorization-cache.ts';
import type { FastPath } from './fast-path.ts';
import { RequestBatcher } from './request-batcher.ts';

interface FastPathServerParts {
  readonly fastPath: FastPath;
  readonly authorizations: AuthorizationCache;
  readonly direct: DirectConnections;
  readonly origins: RequestOrigins;
  readonly headers: ResponseHeaders;
}

/** Creates a server that offers each request to the fast path first. `handler`: the framework. */
export function createFastPathServer(
  options: ServerOptions,
  { fastPath, authorizations, direct, origins, headers }: FastPathServerParts,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const passOn = (response: HttpResponse): void => {
    if (response instanceof DirectResponse) response.passOn();
    else handler((response as ServerResponse).req, response as ServerResponse);
  };
  const batcher = new RequestBatcher<HttpResponse>((response, now) =>
    fastPath.handle(response, now, () => passOn(response)),
  );
  const onRequest = (response: ServerResponse): void => {
    const { req: request } = response;
    const passedOn = direct.takePassedOn(request.socket);
    if (passedOn === null) return batcher.queueRequest(response);
    authorizations.moveDecision(passedOn, request);
    handler(request, response);
  };
  const { server, onClientError } = new ProtocolServer(options, { origins, headers, onRequest });
  direct.attachTo(server, {
    isDirect: (method, url) => fastPath.mayAnswer(method, url),
    queueRequest: (response) => batcher.queueRequest(response),
  });
  return server.on('clientError', onClientError);
}
