import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { DNS_TIMEOUT_MS, DNS_TRIES } from '../limits/notify.ts';
import type { Networks } from '../service/networks.ts';

/** A receiver has no address that notifications may be sent to. */
export class BlockedAddress extends Error {
  constructor(host: string) {
    super(`${host} leads to an address that notifications may not be sent to`);
    this.name = 'BlockedAddress';
  }
}

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to its addresses. */
type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

/**
 * Creates a lookup function for connections that returns only allowed addresses. The connection uses exactly the
 * checked addresses, so that a name whose address changes between two lookups cannot bypass the check.
 */
export function createGuardedLookup(networks: Networks, resolve: ResolveHost = createResolver()): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const { family = 0 } = options;
        const addressFamily = family === 4 || family === 'IPv4' ? 4 : family === 6 || family === 'IPv6' ? 6 : 0;
        const allowed = addresses.filter(
          (one) => networks.allows(one.address) && (addressFamily === 0 || one.family === addressFamily),
        );
        const [first] = allowed;
        if (first === undefined) callback(new BlockedAddress(host), options.all ? [] : '', 0);
        else if (options.all) callback(null, [...allowed]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all ? [] : '', 0),
    );
  };
}

/**
 * Resolves names by querying the name servers directly. The system's function blocks one of a few threads while a dead
 * name server times out. It is used only for names that the servers do not know, such as entries of the hosts file.
 */
function createResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return (host) => resolveByServers(resolver, host);
}

/** Asks the DNS servers for the addresses of a host, then the system if they do not know the name. */
async function resolveByServers(resolver: Resolver, host: string): Promise<readonly ResolvedAddress[]> {
  const literal = isIP(host);
  if (literal !== 0) return [{ address: host, family: literal }];
  if (host === 'localhost' || host.endsWith('.localhost')) return resolveBySystem(host);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [...toResolvedAddresses(v4, 4), ...toResolvedAddresses(v6, 6)];
  if (found.length > 0) return found;
  if (isUnknownName(v4) && isUnknownName(v6)) return resolveBySystem(host);
  throw v4.status === 'rejected' && !isUnknownName(v4) ? v4.reason : (v6 as PromiseRejectedResult).reason;
}

/** The found addresses with their family, 4 or 6; none if the query failed. */
function toResolvedAddresses(result: PromiseSettledResult<string[]>, family: number): readonly ResolvedAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

/** Whether the name is not in the DNS: the name servers do not know it, or there are none. */
function isUnknownName(result: PromiseSettledResult<string[]>): boolean {
  return (
    result.status === 'rejected' && UNKNOWN_NAME_CODES.includes((result.reason as NodeJS.ErrnoException).code ?? '')
  );
}

const UNKNOWN_NAME_CODES: readonly string[] = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'];

/** All addresses that the operating system knows for the host. */
function resolveBySystem(host: string): Promise<readonly ResolvedAddress[]> {
  return new Promise((done, fail) => {
    systemLookup(host, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses)));
  });
}
