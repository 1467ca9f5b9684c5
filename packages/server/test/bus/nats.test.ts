import { describe, expect, onTestFinished, test } from 'vitest';
import { openBus, openNatsBus } from '../../src/bus/open-bus.ts';
import { StartError } from '../../src/start-error.ts';
import { describeContract } from './contract.ts';
import {
  findNatsServer,
  type NatsServer,
  startNatsServer,
  startProxy,
} from '@chatd/test-server/programs';
import { describeOutages } from './outages.ts';
import { type BrokerHarness, type BusHarness, Mailbox, recordingLog, silent } from './world.ts';

const missing = findNatsServer() === undefined;
if (missing) {
  process.stderr.write(
    '\nNOT TESTED: the bus on NATS, as there is no nats-server. Install it: apt-get install nats-server\n\n',
  );
}

describe.skipIf(missing)('with a NATS server', () => {
  describeContract('on NATS', () => startHarness());
  describeContract('on NATS with a small maximum message size', () =>
    startHarness('max_payload: 1KB'),
  );
  describeOutages('on NATS', () => startBrokerHarness());

  test('the password in the URL is used, and does not appear in errors', async () => {
    const server = await startServer('authorization { user: chatd, password: correct-horse }');
    const bus = await openNatsBus({
      url: `nats://chatd:correct-horse@127.0.0.1:${server.port}`,
      log: silent,
    });
    await bus.close();

    const { log, records } = recordingLog();
    const progress: string[] = [];
    const refused: unknown = await openBus({
      busUrl: `nats://chatd:battery-staple@127.0.0.1:${server.port}`,
      databaseUrl: 'postgresql://nobody@127.0.0.1/nothing',
      databaseDirectUrl: undefined,
      alone: false,
      log,
      onProgress: (line) => progress.push(line),
    }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StartError);
    expect(refused).toMatchObject({
      kind: 'bus_unreachable',
      message: expect.stringContaining(
        `nats://127.0.0.1:${server.port} cannot be used: Authorization`,
      ),
    });
    const shown = JSON.stringify([everythingIn(refused), records, progress]);
    expect(shown).not.toContain('battery');
    expect(shown).not.toContain('chatd:');
  });

  test('a token in the URL is used', async () => {
    const server = await startServer('authorization { token: "s3cret token" }');
    const url = `nats://${encodeURIComponent('s3cret token')}@127.0.0.1:${server.port}`;
    const bus = await openNatsBus({ url, log: silent });
    await bus.close();
  });

  test('deployments with different paths in the URL are isolated', async () => {
    const server = await startServer('');
    const open = async (path: string) => {
      const bus = await openNatsBus({ url: `nats://127.0.0.1:${server.port}${path}`, log: silent });
      onTestFinished(() => bus.close());
      return bus;
    };
    const [one, same, other] = [await open('/one'), await open('/one'), await open('')];
    const [heard, unheard] = [
      await Mailbox.on(same, 'changes'),
      await Mailbox.on(other, 'changes'),
    ];
    one.publish('changes', 'ours');
    await heard.has('ours');
    other.publish('changes', 'theirs');
    expect(await unheard.has('theirs')).toEqual(['theirs']);
    expect(heard.messages).toEqual(['ours']);
  });

  test('a user without permission to subscribe fails at startup', async () => {
    const server = await startServer(
      `authorization { users: [{ user: chatd, password: pw, permissions: { subscribe: "nothing" } }] }`,
    );
    const opened = openNatsBus({ url: `nats://chatd:pw@127.0.0.1:${server.port}`, log: silent });
    await expect(opened).rejects.toThrow(/no permission to subscribe to chatd\.inbox/);
  });
});

/** Stops at the end of the test. */
async function startServer(config: string): Promise<NatsServer> {
  const server = await startNatsServer(config);
  onTestFinished(() => server.stop());
  return server;
}

async function startHarness(config: string = ''): Promise<BusHarness> {
  const server = await startNatsServer(config);
  const url = `nats://127.0.0.1:${server.port}`;
  return {
    open: ({ log = silent } = {}) => openNatsBus({ url, log }),
    close: () => server.stop(),
  };
}

async function startBrokerHarness(): Promise<BrokerHarness> {
  const server = await startNatsServer();
  const url = `nats://127.0.0.1:${server.port}`;
  return {
    close: () => server.stop(),
    open: ({ log = silent, ...options } = {}) => openNatsBus({ url, log, ...options }),
    async openRemote({ log = silent, ...options } = {}) {
      const proxy = await startProxy({ host: '127.0.0.1', port: server.port });
      onTestFinished(() => proxy.close());
      const through = `nats://127.0.0.1:${proxy.port}`;
      return { bus: await openNatsBus({ url: through, log, ...options }), proxy };
    },
    unreachable: /connection refused/,
    stopServer: () => server.stop(),
    startServer: () => server.start(),
  };
}

/** The messages and stacks of an error and its causes. */
function everythingIn(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return [error.message, error.stack ?? '', ...everythingIn(error.cause)];
}
