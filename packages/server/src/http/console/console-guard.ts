import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { parseBearerToken } from '../../access/secrets.ts';
import { KNOWN_DEVICE_MS, SESSION_LIFE_MS } from '../../limits/console.ts';
import type { ServiceContext } from '../../service/context.ts';
import { FOREIGN_HOST, FOREIGN_ORIGIN, type Refusal, UNAUTHENTICATED } from '../../service/refusal.ts';
import type { Api } from '../api.ts';
import { sendRefusal } from '../errors.ts';

type ConsoleGuardConfig = Pick<ServiceContext['config'], 'publicUrl' | 'allowedHosts' | 'host'>;

/** Names of the local machine. No other site can have them. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that listen on all interfaces. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
/** Schemes of pages served by a host. */
const WEB: ReadonlySet<string> = new Set(['http:', 'https:']);
/** Methods without side effects. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Entry point for browsers. Browsers attach cookies to cross-site requests. State-changing requests must therefore have
 * our own `Origin`, and every request one of our own names as `Host`, because another site's name can be made to
 * resolve to this machine (DNS rebinding). Tokens are not accepted here, and cookies are not accepted on the entry
 * point for programs.
 */
export class ConsoleGuard {
  private readonly cookie: string;
  private readonly isSecure: boolean;
  private readonly publicOrigin: string | null;
  private readonly publicName: string | null;
  private readonly names: ReadonlySet<string>;

  constructor({ publicUrl, allowedHosts, host }: ConsoleGuardConfig) {
    const address = publicUrl === null ? null : new URL(publicUrl);
    this.isSecure = address?.protocol === 'https:';
    // Browsers accept a cookie with this prefix only from this host, over https, and without a domain.
    this.cookie = this.isSecure ? '__Host-cellwire' : 'cellwire';
    this.publicOrigin = address?.origin ?? null;
    this.publicName = address?.hostname ?? null;
    this.names = listOwnNames({ publicUrl, allowedHosts, host });
  }

  /** Refuses requests that cannot come from one of our pages. Must run before everything else. */
  readonly refuseForeignRequest = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void => {
    const refusal = this.checkRequestOrigin(request);
    if (refusal === null) done();
    else void sendRefusal(reply, refusal);
  };

  readonly readCredentials: Api['readCredentials'] = ({ headers }) => ({
    kind: 'session',
    secret: readCookie(headers.cookie, this.cookie),
  });

  /** Sends the session cookie. Scripts cannot read it, and browsers do not send it with requests of other sites. */
  setSessionCookie(reply: FastifyReply, secret: string): void {
    this.setCookie(reply, this.cookie, secret, SESSION_LIFE_MS);
  }

  clearSessionCookie(reply: FastifyReply): void {
    this.setCookie(reply, this.cookie, '', 0);
  }

  /** Sends a cookie that identifies the browser at its next sign-in. Signing out keeps it. */
  setDeviceCookie(reply: FastifyReply, devicePass: string): void {
    this.setCookie(reply, this.deviceCookie, devicePass, KNOWN_DEVICE_MS);
  }

  /** The secret in the cookie of a device from which the user signed in before; null if there is none. */
  readDevicePass({ headers }: FastifyRequest): string | null {
    return readCookie(headers.cookie, this.deviceCookie);
  }

  private get deviceCookie(): string {
    return `${this.cookie}-device`;
  }

  private setCookie(reply: FastifyReply, name: string, value: string, lifeMs: number): void {
    const secure = this.isSecure ? '; Secure' : '';
    const life = `Max-Age=${lifeMs / 1_000}`;
    reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; ${life}${secure}`);
  }

  /**
   * Refuses requests to another host, with a token, or of another site's page; null if it may come from one of our
   * pages.
   */
  private checkRequestOrigin({ headers, method }: FastifyRequest): Refusal | null {
    const host = headers.host ?? '';
    const name = URL.parse(`http://${host}`)?.hostname ?? '';
    if (!this.names.has(name) && !name.endsWith('.localhost')) return FOREIGN_HOST;
    if (parseBearerToken(headers.authorization) !== null) return UNAUTHENTICATED;
    return SAFE.has(method) || this.isOwnOrigin(headers.origin, host) ? null : FOREIGN_ORIGIN;
  }

  private isOwnOrigin(origin: string | undefined, host: string): boolean {
    if (origin === undefined) return false;
    if (origin === this.publicOrigin) return true;
    const page = URL.parse(origin);
    // For `data:`, `chrome-extension:` and other schemes the parsed origin is `null` for any host.
    if (page === null || !WEB.has(page.protocol) || page.origin !== origin) return false;
    // If the public address is https, a page loaded from the same name over plain HTTP may have been forged.
    if (this.isSecure && page.hostname === this.publicName) return false;
    return page.origin === URL.parse(`${page.protocol}//${host}`)?.origin;
  }
}

/** Host names under which pages of this service may be loaded. */
export function listOwnNames({ publicUrl, allowedHosts, host }: ConsoleGuardConfig): ReadonlySet<string> {
  const own = ANY_ADDRESS.has(host) ? [] : [host.includes(':') ? `[${host}]` : host.toLowerCase()];
  const address = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return new Set([...LOOPBACK, ...own, ...allowedHosts, ...address]);
}

/** The value of a cookie, RFC 6265 §4.2.1; null if there is none of that name. */
function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
