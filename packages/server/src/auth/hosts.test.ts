import { expect, test } from 'vitest';
import { AllowedHosts, parseAllowedHost } from './hosts.ts';

const named = (...hosts: string[]) =>
  hosts.map(parseAllowedHost).filter((host) => host !== undefined);

test('loopback is always allowed, on any port', () => {
  const hosts = new AllowedHosts('127.0.0.1', []);
  for (const host of ['localhost', 'LocalHost:80', '127.0.0.1:7717', '[::1]', '[::1]:7717']) {
    expect(hosts.allows(host), host).toBe(true);
  }
});

test('other hosts are refused, including lookalikes of loopback', () => {
  const hosts = new AllowedHosts('127.0.0.1', []);
  for (const host of [
    undefined,
    '',
    'example.org',
    'localhost.example.org',
    'localhost@example.org',
    'localhost:80:80',
    'localhost:x',
    '::1',
    '127.0.0.2',
    '2130706433',
    ' localhost',
  ]) {
    expect(hosts.allows(host), String(host)).toBe(false);
  }
});

test('configured hosts are allowed, only on their port if they have one', () => {
  const hosts = new AllowedHosts(
    '127.0.0.1',
    named('Chat.example.org', 'other.org:8443', 'fe80::1'),
  );
  expect(hosts.allows('chat.example.org:443')).toBe(true);
  expect(hosts.allows('chat.example.org.')).toBe(true);
  expect(hosts.allows('other.org:8443')).toBe(true);
  expect(hosts.allows('other.org')).toBe(false);
  expect(hosts.allows('[fe80::1]:7717')).toBe(true);
});

test('the listen address is allowed', () => {
  expect(new AllowedHosts('192.168.1.5', []).allows('192.168.1.5:7717')).toBe(true);
  expect(new AllowedHosts('fd00::5', []).allows('[fd00::5]:7717')).toBe(true);
});
