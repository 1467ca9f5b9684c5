/*
 * Runs in an empty network namespace, which stands for a machine with a public and a private address. A second one, at the
 * other end of a cable, stands for the internet and for the private network. Prints what a workspace reached, as JSON.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { HostDriver } from '../../../src/machine/drivers/host/host-driver.ts';
import { AddressPolicy } from '../../../src/machine/drivers/network/address-policy.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const PORT = 8080;
const MACHINE = '1.2.3.1';
const INTERNET = '1.2.3.4';
const PRIVATE = '10.99.0.4';
const ALLOWED_PRIVATE = '10.98.0.4';
const METADATA = '169.254.169.254';
const INTERNET6 = '2600::4';

const ATTEMPTS = {
  'a public address': [INTERNET],
  'a private range that the operator allows': [ALLOWED_PRIVATE],
  'a private address of the network': [PRIVATE],
  'a private address, bound to the device': [PRIVATE, 'tap0'],
  'the cloud metadata address': [METADATA],
  'the machine by its public address': [MACHINE],
  'the machine by its public address, bound to the device': [MACHINE, 'tap0'],
  'the loopback of the machine': ['127.0.0.1'],
  'the gateway': ['10.0.2.2'],
  'the gateway, bound to the device': ['10.0.2.2', 'tap0'],
  'another port of the resolver': ['10.0.2.3'],
  IPv6: [INTERNET6],
} as const;
export type Attempt = keyof typeof ATTEMPTS | 'changing the routes';

const ip = (...args: string[]) => execFileSync('ip', args);
const answer = (text: string) =>
  `require('net').createServer((socket) => socket.end('${text}')).listen(${PORT}, '::', () => console.log('up'))`;

ip('link', 'set', 'lo', 'up');
const internet = spawn('unshare', ['--net', process.execPath, '-e', answer('the internet')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
await once(internet.stdout, 'data');
const inInternet = (...args: string[]) =>
  execFileSync('nsenter', ['--target', String(internet.pid), '--net', 'ip', ...args]);
ip('link', 'add', 'cable', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(internet.pid));
for (const address of [`${MACHINE}/24`, '10.99.0.1/24', '10.98.0.1/24', '169.254.0.1/16']) {
  ip('address', 'add', address, 'dev', 'cable');
}
ip('-6', 'address', 'add', '2600::1/64', 'dev', 'cable', 'nodad');
ip('link', 'set', 'cable', 'up');
for (const address of [INTERNET, PRIVATE, ALLOWED_PRIVATE, METADATA]) {
  inInternet('address', 'add', `${address}/16`, 'dev', 'eth0');
}
inInternet('-6', 'address', 'add', `${INTERNET6}/64`, 'dev', 'eth0', 'nodad');
inInternet('link', 'set', 'eth0', 'up');
const machine = createServer((socket) => socket.end('the machine')).listen(PORT, '::');
await once(machine, 'listening');

/** Perl is on every Debian, and can bind a socket to a device. */
const CONNECT = `
use Socket; use Errno;
my ($host, $port, $device) = @ARGV;
my $six = $host =~ /:/;
socket(my $s, $six ? AF_INET6 : AF_INET, SOCK_STREAM, 0) or die;
my $failed = sub { my ($name) = grep { $!{$_} } keys %!; print "refused: ", $name || "timeout"; exit };
setsockopt($s, SOL_SOCKET, 25, $device) or $failed->() if $device;
$SIG{ALRM} = sub { print "refused: timeout"; exit }; alarm 2;
my $to = $six ? pack_sockaddr_in6($port, Socket::inet_pton(AF_INET6, $host)) : pack_sockaddr_in($port, inet_aton($host));
connect($s, $to) or $failed->();
my $text = ""; sysread($s, $text, 100) or do { print "refused: ECONNREFUSED"; exit };
print "reached $text";`;

const directory = await makeTemporaryDirectory();
const driver = new HostDriver({
  directory: join(directory, 'workspaces'),
  hidden: [directory],
  allowUnsandboxed: false,
  addresses: new AddressPolicy([{ address: '10.98.0.0', prefix: 16 }]),
});
const spec = { id: 'one', env: {}, limits: {}, network: 'internet' } as const;
await driver.create(spec);
const sandbox = await driver.open(spec);
const outputOf = async (argv: [string, ...string[]]) => {
  let output = '';
  const running = await sandbox.run({
    argv,
    onOutput: (bytes) => (output += Buffer.from(bytes).toString('utf8')),
  });
  await running.exit;
  return output.trim();
};
const outcomes = await Promise.all(
  Object.entries(ATTEMPTS).map(async ([attempt, [host, device = '']]) => [
    attempt,
    await outputOf(['perl', '-e', CONNECT, host, String(PORT), device]),
  ]),
);
outcomes.push([
  'changing the routes',
  await outputOf(['ip', 'route', 'del', 'unreachable', '10.0.0.0/8']),
]);
await sandbox.close();
machine.close();
internet.kill('SIGKILL');
await rm(directory, { recursive: true, force: true });
process.stdout.write(JSON.stringify(Object.fromEntries(outcomes)));
