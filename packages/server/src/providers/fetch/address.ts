import ipaddr from 'ipaddr.js';

/**
 * `private`: not on the public internet, allowed only by an admin. `forbidden`: never allowed, because it is a cloud
 * metadata address or not a unicast address.
 */
export type Reach = 'public' | 'private' | 'forbidden';

/** Cloud metadata addresses outside 169.254.0.0/16, which is forbidden as a whole. */
const METADATA = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

const NOWHERE = new Set(['multicast', 'broadcast']);

/** IPv6 ranges that embed an IPv4 address, and its position. */
const EMBEDDED: readonly [range: string, bits: number, at: number][] = [
  ['::ffff:0:0', 96, 12],
  ['64:ff9b::', 96, 12],
  ['64:ff9b:1::', 48, 12],
  ['::', 96, 12],
  ['2002::', 16, 2],
];

/** Undefined: a host name, not an address. The host may be in brackets, as in a URL. */
export function reachOf(host: string): Reach | undefined {
  const text = host.startsWith('[') ? host.slice(1, -1) : host;
  const bare = text.split('%')[0] ?? text;
  return ipaddr.isValid(bare) ? judged(ipaddr.parse(bare)) : undefined;
}

function judged(address: ipaddr.IPv4 | ipaddr.IPv6): Reach {
  if (address instanceof ipaddr.IPv6) {
    const inner = embedded(address);
    if (inner !== undefined) return judged(inner);
  }
  if (METADATA.has(address.toString())) return 'forbidden';
  const range = address.range();
  if (range === 'unicast') return 'public';
  if (range === 'linkLocal' && address.kind() === 'ipv4') return 'forbidden';
  return NOWHERE.has(range) ? 'forbidden' : 'private';
}

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  // These two are addresses of their own.
  if (['::', '::1'].includes(address.toString())) return undefined;
  const found = EMBEDDED.find(([range, bits]) => address.match(ipaddr.IPv6.parse(range), bits));
  return found && new ipaddr.IPv4(bytes.slice(found[2], found[2] + 4));
}
