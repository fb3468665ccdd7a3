import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * Address and prefix length: the blocks of IANA's special-purpose registries (RFC 6890) that reach internal machines.
 */
const INTERNAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const INTERNAL_V6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
/** IPv6 forms with an IPv4 address in their last 32 bits: mapped, translated (SIIT), compatible, NAT64. */
const EMBEDS_V4: readonly (readonly [string, number])[] = [
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
];
/** Tunnels with an IPv4 address elsewhere in the address (6to4, Teredo); their destination is unknown here. */
const TUNNELS: readonly (readonly [string, number])[] = [
  ['2002::', 16],
  ['2001::', 32],
];

const internalBlocks = createBlockList(INTERNAL_V4, [...INTERNAL_V6, ...TUNNELS]);
const embeddingBlocks = createBlockList([], EMBEDS_V4);

function createBlockList(
  v4: readonly (readonly [string, number])[],
  v6: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of v4) list.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of v6) list.addSubnet(address, prefix, 'ipv6');
  return list;
}

/** Decides which addresses may receive notifications. */
export interface Networks {
  /** True if an IP address, in any notation of `node:net`, is allowed. */
  allows(address: string): boolean;
  /**
   * True if a URL's host is allowed. A name is allowed unless it names this machine; its addresses are checked after
   * the name resolution.
   */
  allowsHost(hostname: string): boolean;
}

/**
 * The check of receivers' addresses. `allow` is the setting `notifications.allowPrivateNetworks`: true (all), false
 * (none), or CIDR blocks.
 */
export function createNetworks(allow: boolean | readonly string[]): Networks {
  const allowed = new BlockList();
  for (const block of typeof allow === 'boolean' ? [] : allow) addCidr(allowed, block);

  function allows(address: string): boolean {
    if (allow === true) return true;
    const plain = removeZone(address);
    const carried = findEmbeddedV4(plain);
    return [plain, ...carried].every((one) => !isInList(internalBlocks, one) || isInList(allowed, one));
  }

  function allowsHost(hostname: string): boolean {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    if (isIP(removeZone(host)) !== 0) return allows(host);
    return !isLocalName(host) || allows('127.0.0.1') || allows('::1');
  }

  return { allows, allowsHost };
}

/** Returns a predicate: true if an address is in one of the CIDR blocks. A text that is not an address is in none. */
export function createAddressSet(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) addCidr(list, block);
  return (address) => {
    // A dual-stack socket reports IPv4 clients in this form.
    const plain = removeZone(address).replace(/^::ffff:(?=\d+\.)/i, '');
    return isIP(plain) !== 0 && isInList(list, plain);
  };
}

function addCidr(list: BlockList, cidr: string): void {
  const [address = '', prefix] = cidr.split('/');
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
}

function isInList(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** An IPv6 address without its zone (`%eth0`). */
function removeZone(address: string): string {
  const zone = address.indexOf('%');
  return zone < 0 ? address : address.slice(0, zone);
}

/** The IPv4 address inside an IPv6 address, dotted; empty for the unspecified and the loopback address. */
function findEmbeddedV4(address: string): string[] {
  if (!isIPv6(address) || !embeddingBlocks.check(address, 'ipv6') || internalBlocks.check(address, 'ipv6')) return [];
  // The URL parser writes every IPv6 address as hexadecimal groups; the last two hold the IPv4 address.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  return [[high >> 8, high & 255, low >> 8, low & 255].join('.')];
}

/** True for names that mean this machine. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name.endsWith('.localhost') || name.startsWith('localhost.') || name === 'ip6-localhost'
  );
}
