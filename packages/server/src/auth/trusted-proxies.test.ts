import { expect, test } from 'vitest';
import { parseProxyRange, TrustedProxies } from './trusted-proxies.ts';

const ranges = (...texts: string[]) =>
  texts.map((text) => parseProxyRange(text)).filter((range) => range !== undefined);
const proxies = new TrustedProxies(ranges('10.0.0.0/8', '192.0.2.7', 'fd00::/8'));

test.each([
  ['127.0.0.1', { address: '127.0.0.1', prefix: 32 }],
  ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8 }],
  ['::1', { address: '::1', prefix: 128 }],
  ['fd00::/8', { address: 'fd00::', prefix: 8 }],
  ['10.0.0.0/33', undefined],
  ['0.0.0.0/0', undefined],
  ['::/0', undefined],
  ['10.0.0/8', undefined],
  ['proxy.example.org', undefined],
  ['10.0.0.1:80', undefined],
  ['', undefined],
])('%j is parsed as %j', (text, range) => {
  expect(parseProxyRange(text)).toEqual(range);
});

test.each([
  ['a direct connection', '203.0.113.1', undefined, '203.0.113.1'],
  ['a proxy without the header', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy that sends the client address', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
  ['a client that forges the header', '10.0.0.1', '9.9.9.9, 203.0.113.1', '203.0.113.1'],
  ['a client that forges a proxy address', '10.0.0.1', '10.0.0.9, 203.0.113.1', '203.0.113.1'],
  ['two proxies', '10.0.0.1', '9.9.9.9,203.0.113.1,192.0.2.7', '203.0.113.1'],
  ['a client within the trusted range', '10.0.0.1', '10.0.0.5', '10.0.0.5'],
  ['an untrusted peer', '203.0.113.1', '10.0.0.1', '203.0.113.1'],
  ['an address next to a trusted one', '192.0.2.8', '9.9.9.9', '192.0.2.8'],
  ['an invalid address', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['an invalid address behind a proxy', '10.0.0.1', '9.9.9.9, x, 192.0.2.7', '192.0.2.7'],
  ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ['an address with a port', '10.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
  ['IPv6 with a port', 'fd00::1', '[2001:DB8::1]:4711', '2001:db8::1'],
  ['an IPv4-mapped IPv6 address', '::ffff:10.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
])('the client address is determined for %s', (_, peer, forwarded, client) => {
  expect(proxies.clientOf(peer, forwarded)).toBe(client);
});

test('ignored client addresses of untrusted peers are reported once', () => {
  const ignored: string[] = [];
  const none = new TrustedProxies([], (peer) => ignored.push(peer));
  expect(none.clientOf('10.0.0.1', '203.0.113.1')).toBe('10.0.0.1');
  expect(none.clientOf('10.0.0.2', '203.0.113.1')).toBe('10.0.0.2');
  expect(ignored).toEqual(['10.0.0.1']);
});

test('the forwarded protocol is trusted from proxies, or from all peers if no proxies are configured', () => {
  expect(proxies.trustsProtocolOf('::ffff:10.0.0.1')).toBe(true);
  expect(proxies.trustsProtocolOf('203.0.113.1')).toBe(false);
  expect(new TrustedProxies([]).trustsProtocolOf('203.0.113.1')).toBe(true);
});
