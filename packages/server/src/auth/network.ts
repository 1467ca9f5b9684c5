import { isIP } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The key for limits per address: the /64 network of an IPv6 address, because one client owns all of it; else the address. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return address;
  const [before = '', after] = plain.split('::');
  const head = groupsOf(before);
  const tail = groupsOf(after ?? '');
  const left = Array.from({ length: GROUPS - head.length - tail.length }, () => '0');
  const groups = [...head, ...left, ...tail].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 suffix replaces the last two groups, which are not part of the network. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split(':');
