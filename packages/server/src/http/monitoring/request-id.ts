import { isIP, type Socket } from 'node:net';
import { MAX_REQUEST_ID_LENGTH } from '../../limits/http.ts';
import { createAddressSet } from '../../service/networks.ts';
import { createRequestId } from '../../service/request-id.ts';
import type { HttpRequest } from '../http-exchange.ts';

/** Characters that need no escaping in a log, a header or JSON. */
const HARMLESS = /^[A-Za-z0-9._:-]+$/;
/** W3C Trace Context, §3.2: version, trace id, parent id, flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

/** Determines the client's address and the ids of requests. Only headers of trusted proxies are used. */
export class RequestOrigins {
  private readonly trusted: (address: string) => boolean;
  /** Whether the peer of a connection is a trusted proxy. */
  private readonly trustedPeers = new WeakMap<Socket, boolean>();

  /** `trustedProxies`: CIDR blocks. */
  constructor(trustedProxies: readonly string[]) {
    this.trusted = createAddressSet(trustedProxies);
  }

  /** The id that a trusted proxy sent in `X-Request-Id`, or else a new one. */
  chooseRequestId(request: HttpRequest): string {
    const sentId = request.headers['x-request-id'];
    if (typeof sentId !== 'string' || sentId.length > MAX_REQUEST_ID_LENGTH || !HARMLESS.test(sentId))
      return createRequestId();
    return this.isFromTrusted(request) ? sentId : createRequestId();
  }

  /** The trace id of a trusted proxy's `traceparent`; null without one. */
  readTraceId(request: HttpRequest): string | null {
    const header = request.headers['traceparent'];
    if (typeof header !== 'string' || !this.isFromTrusted(request)) return null;
    return TRACEPARENT.exec(header)?.[1] ?? null;
  }

  /** The client's address: the last one of `X-Forwarded-For` that is not a trusted proxy, or else the peer's. */
  findClientAddress(request: HttpRequest): string {
    const peer = request.socket.remoteAddress ?? '';
    const forwarded = request.headers['x-forwarded-for'];
    if (typeof forwarded !== 'string' || !this.isFromTrusted(request)) return peer;
    let address = peer;
    for (const hop of forwarded.split(',').reverse()) {
      const next = hop.trim();
      if (isIP(next) === 0) return address;
      address = next;
      if (!this.trusted(address)) return address;
    }
    return address;
  }

  /** True if the peer is a proxy that the operator trusts. */
  private isFromTrusted({ socket }: HttpRequest): boolean {
    const cached = this.trustedPeers.get(socket);
    if (cached !== undefined) return cached;
    const isTrusted = this.trusted(socket.remoteAddress ?? '');
    this.trustedPeers.set(socket, isTrusted);
    return isTrusted;
  }
}
