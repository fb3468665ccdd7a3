import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLoggers } from '../../src/compose/logger.ts';
import { MemoryBudget } from '../../src/http/bodies/memory-budget.ts';
import { AuthorizationCache } from '../../src/http/fast-path/authorization-cache.ts';
import { FastCalls } from '../../src/http/fast-path/fast-calls.ts';
import { RequestBatcher } from '../../src/http/fast-path/request-batcher.ts';
import { RequestOrigins } from '../../src/http/monitoring/request-id.ts';
import { ResponseHeaders } from '../../src/http/response-headers.ts';
import { LongAnswers } from '../../src/http/streams/long-answers.ts';
import { ANSWER_CAPACITY_BYTES } from '../../src/limits/http.ts';
import { sendHttp } from './send.ts';
import type { Api, ApiResponse, World } from './support.ts';

/** A header without effect, which makes the fast path pass a request to the framework. */
export const FRAMEWORK_ONLY = { 'content-encoding': 'identity' };
/** Headers that differ in every response. */
const VOLATILE_HEADERS: ReadonlySet<string> = new Set(['x-request-id', 'date']);

/** The parts of a response that do not depend on the path that answered it. */
export function toComparable({ status, headers, body }: ApiResponse) {
  const fields = Object.entries(JSON.parse(String(headers)) as Record<string, string>);
  return { status, body, fields: Object.fromEntries(fields.filter(([name]) => !VOLATILE_HEADERS.has(name))) };
}

/** Sends a request twice. Returns by how many requests the second one lowered the remaining rate. */
export async function measureSpentRequests(send: () => Promise<ApiResponse>): Promise<number> {
  for (;;) {
    const spent = readRemainingRequests(await send()) - readRemainingRequests(await send());
    // A new window may start between two requests. Then repeat.
    if (spent >= 0) return spent;
  }
}

function readRemainingRequests({ headers }: ApiResponse): number {
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

/** Reads from the metrics how many requests of a route were answered with a status. */
export async function countRequests({ base }: Api, method: string, route: string, status: number): Promise<number> {
  const { text } = await sendHttp(`${base}/metrics`);
  const series = `requests_total{method="${method}",route="${route}",status="${status}"}`;
  const line = text.split('\n').find((one) => one.includes(series));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** The status of a request that the fast path passed on, in a test of the fast path alone. */
export const PASSED_ON_STATUS = 299;

/** The fast path without the framework. It answers a passed-on request with `PASSED_ON_STATUS` and the body in hex. */
interface FastPathAlone {
  /** The same caller and document, at the address of this server. */
  toApi(api: Api): Api;
  close(): Promise<void>;
}

/** Starts a server with only the fast path for requests with a body. */
export async function startFastPathAlone({ server: { service } }: World): Promise<FastPathAlone> {
  const { context, access, gate } = service;
  const loggers = createLoggers('silent');
  const answers = new MemoryBudget(ANSWER_CAPACITY_BYTES);
  const calls = new FastCalls({
    context,
    access,
    gate,
    origins: new RequestOrigins([]),
    authorizations: new AuthorizationCache(gate),
    prefix: '/api/v1',
    headers: new ResponseHeaders({ isSecure: false, vary: null }),
    answers,
    longAnswers: new LongAnswers(answers),
    logger: loggers.main,
    onAnswered: () => {},
  });
  const batcher = new RequestBatcher<ServerResponse>((response, now) => {
    const { req: request } = response;
    calls.handleCall(request, response, now, () => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () =>
        response.writeHead(PASSED_ON_STATUS).end(JSON.stringify(Buffer.concat(parts).toString('hex'))),
      );
    });
  });
  const server = createServer((_request, response) => batcher.queueRequest(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    toApi: (api) => Object.assign(Object.create(Object.getPrototypeOf(api)), api, { base }) as Api,
    close: async () => {
      server.close();
      await loggers.close();
    },
  };
}
