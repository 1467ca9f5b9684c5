import { expect, test, vi } from 'vitest';
import { checkUrl, UrlNotAllowed } from './url-check.ts';

const NAMES: Record<string, string[]> = {
  'api.example': ['93.184.216.34', '2606:4700::1111'],
  'inside.example': ['10.0.0.5'],
  'half.example': ['93.184.216.34', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
};
const resolve = (host: string) => {
  const found = NAMES[host];
  return found === undefined
    ? Promise.reject(new Error(`ENOTFOUND ${host}`))
    : Promise.resolve(found.map((address) => ({ address })));
};
const check = (url: string, allowPrivate: boolean) => checkUrl(url, allowPrivate, resolve);

const PRIVATE = [
  'http://127.0.0.1:11434/v1',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://①②⑦.0.0.1/',
  'http://[::1]/v1',
  'http://[::ffff:7f00:1]/',
  'http://10.0.0.1/',
  'http://inside.example/v1',
  'http://half.example/v1',
];

test.each(PRIVATE)('%s leads to a private address', async (url) => {
  await expect(check(url, false)).rejects.toThrow(/private address.*CHATD_ALLOW_PRIVATE_URLS/);
  await check(url, true);
});

test.each([
  'http://169.254.169.254/latest',
  'http://[::ffff:a9fe:a9fe]/',
  'http://2852039166/',
  'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  'http://metadata.example/',
])('%s is never allowed', async (url) => {
  await expect(check(url, false)).rejects.toThrow(UrlNotAllowed);
  await expect(check(url, true)).rejects.toThrow(UrlNotAllowed);
});

test.each([
  'file:///etc/passwd',
  'ftp://api.example/',
  'api.example/v1',
  'https://user:password@api.example/',
  'https://api.example/v1?key=secret',
  'https://api.example/v1#x',
])('%s has a form that is refused', async (url) => {
  await expect(check(url, true)).rejects.toThrow(UrlNotAllowed);
});

test('a public address passes, and so does a host name that does not resolve yet', async () => {
  await check('https://api.example/v1', false);
  await check('https://93.184.216.34/v1', false);
  await check('https://not-yet.example/v1', false);
});

test('a host name passes if its DNS server does not answer in time', async () => {
  vi.useFakeTimers();
  try {
    const checked = checkUrl('https://slow.example/v1', false, () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(6000);
    await checked;
  } finally {
    vi.useRealTimers();
  }
});
