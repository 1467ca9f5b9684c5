import { expect, test } from 'vitest';
import { reachOf } from './address.ts';

const CASES = {
  public: ['8.8.8.8', '[2606:4700::1111]', '::ffff:8.8.8.8', '64:ff9b::808:808'],
  private: [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    '[::1]',
    '::',
    'fc00::1',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:1::',
    '198.18.0.1',
  ],
  forbidden: [
    '169.254.169.254',
    '169.254.170.2',
    '[::ffff:a9fe:a9fe]',
    '::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '::ffff:192.0.0.192',
    'fd20:ce::254',
    '[fd20:00ce:0::0254]',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
  ],
} as const;

test.each(Object.entries(CASES).flatMap(([reach, all]) => all.map((one) => [one, reach] as const)))(
  '%s is %s',
  (address, reach) => expect(reachOf(address)).toBe(reach),
);

test('a host name is not an address', () => {
  expect(reachOf('localhost')).toBeUndefined();
  expect(reachOf('api.example')).toBeUndefined();
});
