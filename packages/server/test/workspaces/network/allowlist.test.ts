import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { AddressPolicy } from '../../../src/machine/drivers/network/address-policy.ts';
import { TestMachine } from '../sandboxes.ts';

/** The answers of the proxy's resolver. Each name uses its answers in order, and repeats the last one. */
const answers = new Map<string, string[]>();
const resolve = (host: string) => {
  const left = answers.get(host) ?? [];
  const address = (left.length > 1 ? left.shift() : left[0]) ?? '';
  if (address === '') return Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`));
  return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
};

/** Stands for the public internet: the policy allows this loopback address, and no other. */
const PUBLIC = '127.0.0.9';
const machine = await TestMachine.start({
  addresses: new AddressPolicy([{ address: PUBLIC, prefix: 32 }], resolve),
});

/** The events of requests that the site does not answer. */
const held = new EventEmitter();
let seenHost = '';
const site = createServer((request, response) => {
  seenHost = request.headers.host ?? '';
  if (request.url === '/away') {
    response.writeHead(302, { location: `http://other.test:${port}/` }).end();
    return;
  }
  if (request.url === '/hang') {
    request.socket.once('close', () => held.emit('gone'));
    held.emit('asked');
    return;
  }
  let size = 0;
  request.on('data', (chunk: Buffer) => (size += chunk.length));
  request.on('end', () => response.end(`reached ${request.method} ${size}`));
});
/** Must not be reached. It listens on the machine's loopback. */
const secret = createServer((_, response) => response.end('SECRET'));
const port = await listening(site, PUBLIC);
const secretPort = await listening(secret, '127.0.0.1');
afterAll(() => {
  site.close();
  secret.close();
});

answers.set('allowed.test', [PUBLIC]);
answers.set('other.test', [PUBLIC]);
answers.set('inner.test', ['127.0.0.1']);
answers.set('mapped.test', ['::ffff:127.0.0.1']);
answers.set('loop6.test', ['::1']);
answers.set('metadata.test', ['169.254.169.254']);
answers.set('private.test', ['10.0.0.1']);
answers.set('ula.test', ['fd00::1']);

const hosts = ['inner', 'mapped', 'loop6', 'metadata', 'private', 'ula', 'rebind'];
const sandbox = await machine.open({
  network: {
    allowlist: [
      `allowed.test:${port}`,
      ...hosts.flatMap((host) => [`${host}.test`, `${host}.test:${secretPort}`]),
      `127.0.0.1:${secretPort}`,
      `localhost:${secretPort}`,
    ],
  },
});

async function listening(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the allowlist', () => {
  test('programs reach an allowed host over plain HTTP and through a tunnel', async () => {
    const plain = await sandbox.sh(`curl -sS --max-time 10 http://allowed.test:${port}/`);
    expect(plain.output).toBe('reached GET 0');
    const tunnel = await sandbox.sh(`curl -sS --max-time 10 -p http://allowed.test:${port}/`);
    expect(tunnel.output).toBe('reached GET 0');
  });

  test('bodies pass through', async () => {
    const { output } = await sandbox.sh(
      `head -c 3000000 /dev/zero | curl -sS --max-time 20 --data-binary @- http://allowed.test:${port}/`,
    );
    expect(output).toBe('reached POST 3000000');
  });

  test('the Host header is that of the checked URL', async () => {
    await sandbox.sh(`curl -sS --max-time 10 -H 'Host: fronted.test' http://allowed.test:${port}/`);
    expect(seenHost).toBe(`allowed.test:${port}`);
  });

  test.each([
    ['another host', `http://other.test:${port}/`],
    ['another port of an allowed host', `http://allowed.test:${secretPort}/`],
    ['the address of an allowed host', `http://${PUBLIC}:${port}/`],
    ['a host with user information', `http://allowed.test:${port}@other.test:${port}/`],
  ])('%s is refused', async (_what, url) => {
    for (const flag of ['', '-p']) {
      const { output } = await sandbox.sh(`curl -sS --max-time 10 ${flag} '${url}'`);
      expect(output).not.toContain('reached');
      expect(output).toMatch(
        /not on the network allowlist|CONNECT tunnel failed, response 40[03]|40[03] from proxy|Use CONNECT/,
      );
    }
  });

  test('a redirect to another host is checked again', async () => {
    const { output } = await sandbox.sh(
      `curl -sS --max-time 10 -L http://allowed.test:${port}/away`,
    );
    expect(output).toContain('is not on the network allowlist');
  });
});

describe('private addresses are refused after resolution', () => {
  test.each(['inner', 'mapped', 'loop6', 'metadata', 'private', 'ula'])('%s.test', async (host) => {
    const { output } = await sandbox.sh(
      `curl -sS --max-time 10 http://${host}.test:${secretPort}/; curl -sS --max-time 10 -p http://${host}.test:${secretPort}/`,
    );
    expect(output).toContain('is not a public address');
    expect(output).not.toContain('SECRET');
  });

  test.each(['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]'])(
    'the spelling %s',
    async (host) => {
      answers.set('localhost', ['127.0.0.1']);
      const { output } = await sandbox.sh(
        `curl -g -sS --max-time 10 --noproxy '' http://${host}:${secretPort}/`,
      );
      expect(output).not.toContain('SECRET');
      expect(output).toMatch(/is not a public address|not on the network allowlist/);
    },
  );

  test('a name that changes its address after the check is not resolved again', async () => {
    answers.set('rebind.test', [PUBLIC, '127.0.0.1']);
    // The first answer passes the check; the connection goes to it, where nothing listens on this port.
    const first = await sandbox.sh(`curl -sS --max-time 10 http://rebind.test:${secretPort}/`);
    expect(first.output).not.toContain('SECRET');
    expect(first.output).toContain('ECONNREFUSED');
    const second = await sandbox.sh(`curl -sS --max-time 10 http://rebind.test:${secretPort}/`);
    expect(second.output).toContain('is not a public address');
  });
});

const node = (program: string) => `/run/chatd/node -e '${program}'`;

describe('ways around the proxy', () => {
  test('the loopback of the machine is not the loopback of the workspace', async () => {
    const direct = await sandbox.sh(
      `curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${secretPort}/`,
    );
    expect(direct.output).toMatch(/refused|Could not connect|Failed to connect/i);
  });

  test('there is no route and no name server', async () => {
    const { output } = await sandbox.sh(
      `curl -sS --noproxy '*' --max-time 5 http://192.0.2.1/; curl -gsS --noproxy '*' --max-time 5 'http://[2001:db8::1]/'; getent hosts allowed.test || echo unresolved`,
    );
    expect(output.match(/Network is unreachable|Could not connect|Couldn't connect/g)).toHaveLength(
      2,
    );
    expect(output).toContain('unresolved');
  });

  test('/proc/net shows only the sockets of the workspace', async () => {
    const hex = secretPort.toString(16).toUpperCase().padStart(4, '0');
    const { output } = await sandbox.sh('cat /proc/net/tcp /proc/net/tcp6 /proc/net/dev');
    expect(output).toContain('lo:');
    expect(output).not.toContain(`:${hex} `);
    expect(output).not.toMatch(/eth|ens|tap/);
  });

  test('abstract Unix sockets of the machine are out of reach', async () => {
    const name = `\0chatd-test-${process.pid}`;
    const server = createTcpServer((socket) => socket.end('SECRET')).listen(name);
    await once(server, 'listening');
    const { output } = await sandbox.sh(
      node(
        `require("net").connect("\\0chatd-test-${process.pid}").on("error", (e) => console.log(e.code)).on("data", (d) => console.log(String(d)))`,
      ),
    );
    server.close();
    expect(output).toContain('ECONNREFUSED');
  });

  test('raw, packet and vsock sockets cannot be created', async () => {
    const { output } = await sandbox.sh(
      `perl -e 'for ([2, 3], [17, 3], [40, 1]) {
         print socket(my $s, $$_[0], $$_[1], 1) ? "made\\n" : "refused " . ($! + 0) . "\\n";
       }'`,
    );
    expect(output.trim().split('\n')).toEqual(['refused 1', 'refused 97', 'refused 97']);
  });

  test('the socket of the proxy leads to the proxy only', async () => {
    const { output } = await sandbox.sh(
      `curl -sS --max-time 5 --noproxy '*' --unix-socket /run/chatd/proxy.sock http://127.0.0.1:${secretPort}/; ls /run/chatd`,
    );
    expect(output).not.toContain('SECRET');
    expect(output).toContain('proxy.sock');
  });
});

test('the connections of a workspace end with it', async () => {
  const own = await machine.open({ network: { allowlist: [`allowed.test:${port}`] } });
  const gone = once(held, 'gone');
  const asked = once(held, 'asked');
  const running = await own.sandbox.run({
    argv: ['curl', '-sS', `http://allowed.test:${port}/hang`],
    onOutput: () => undefined,
  });
  await asked;
  await own.sandbox.close();
  await gone;
  expect((await running.exit).signal).toBe('SIGKILL');
});
