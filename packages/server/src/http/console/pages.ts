import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../api.ts';
import { sendNotFound } from '../errors.ts';
import type { BuiltFile, ConsoleBuild } from './build.ts';

/** Addresses of the application's pages. The application itself routes each of them and everything below. */
const PAGES = [
  '/documents',
  '/invite',
  '/sign-in',
  '/tokens',
  '/webhooks',
  '/log',
  '/usage',
  '/users',
  '/account',
  '/docs',
] as const;

/** Only programs send requests below these paths, so unknown addresses get the API's error. */
const PROGRAMS = /^\/(?:api|console|assets)(?:\/|$)/;

/** Forbids content of other origins, inline code, and embedding in frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
};

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Shown by a checkout whose console was not built. The service itself does not need the console. */
const NOT_BUILT: BuiltFile = {
  bytes: Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cellwire</title>
<h1>Cellwire</h1>
<p>The service runs; its console is not built. <code>npm run build</code> in the checkout builds it.</p>
<p><a href="/api/v1/openapi.json">openapi.json</a> describes the API.</p>
</html>
`),
  type: 'text/html; charset=utf-8',
  encoding: null,
};

/**
 * The browser application. Its pages contain no user data; they load it through the API with a session. Unknown
 * addresses opened by a person also get the application, which shows an error.
 */
export function addPageRoutes(app: App, build: ConsoleBuild): void {
  const hidden = { schema: { hide: true } };
  const loadApplication = (request: FastifyRequest) =>
    build.findFile('index.html', readAcceptEncoding(request), { asset: false });
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendFile(reply.headers(PAGE_HEADERS), (await loadApplication(request)) ?? NOT_BUILT, 'no-cache');
  const handleNotFound = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const file = wantsPage(request) ? await loadApplication(request) : null;
    if (file === null) return sendNotFound(request, reply);
    return sendFile(reply.code(404).headers(PAGE_HEADERS), file, 'no-cache');
  };
  app.setNotFoundHandler(handleNotFound);
  app.get('/', hidden, sendPage);
  for (const path of PAGES) {
    app.get(path, hidden, sendPage);
    app.get(`${path}/*`, hidden, sendPage);
  }
  app.get<{ Params: { name: string } }>('/assets/:name', hidden, async (request, reply) => {
    const file = await build.findFile(request.params.name, readAcceptEncoding(request), { asset: true });
    return file === null ? sendNotFound(request, reply) : sendFile(reply, file, IMMUTABLE);
  });
  app.get<{ Params: { name: string } }>('/:name', hidden, async (request, reply) => {
    const file = await build.findFile(request.params.name, readAcceptEncoding(request), { asset: false });
    return file === null ? handleNotFound(request, reply) : sendFile(reply, file, 'no-cache');
  });
}

/** Browsers name HTML in `Accept` when they navigate; programs usually accept anything. */
function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /\btext\/html\b/i.test(headers.accept ?? '') && !PROGRAMS.test(url);
}

function readAcceptEncoding({ headers }: FastifyRequest): string {
  return String(headers['accept-encoding'] ?? '');
}

function sendFile(reply: FastifyReply, { bytes, type, encoding }: BuiltFile, caching: string): FastifyReply {
  reply.header('content-type', type).header('cache-control', caching).header('vary', 'accept-encoding');
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(bytes);
}
