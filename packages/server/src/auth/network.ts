import { isIP } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Who counts as one. Whoever has one address of IPv6 has the 2^64 of its network; of IPv4 each counts for itself. */
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

/** An IPv4 address at the end stands for two groups; which ones is of no account here. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split(':');
