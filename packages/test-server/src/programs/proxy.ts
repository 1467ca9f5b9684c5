import { PassThrough, type Transform } from 'node:stream';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP proxy for testing connection failures. */
export interface Proxy {
  readonly port: number;
  /** Silently drops all data of existing connections. New connections work. */
  cut(): void;
  /** Closes existing connections. */
  terminate(): void;
  /** Refuses new connections until `allow`. */
  refuse(): void;
  allow(target?: NetConnectOpts): void;
  /** The number of connections so far. */
  readonly connections: number;
  /** The number of refused connections. */
  readonly refused: number;
  close(): Promise<void>;
}

export async function startProxy(
  target: NetConnectOpts,
  /** Transforms the data from the server. */
  filter: () => Transform = () => new PassThrough(),
): Promise<Proxy> {
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let refusing = false;
  let connections = 0;
  let refused = 0;
  // Otherwise, each small write waits for the acknowledgment of the previous one.
  const proxy = createServer({ noDelay: true }, (client) => {
    client.on('error', () => undefined);
    if (refusing) {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    connections += 1;
    const server = connect({ ...target, noDelay: true });
    server.on('error', () => undefined);
    const pair = { client, server };
    pairs.add(pair);
    client.pipe(server);
    server.pipe(filter()).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => {
      client.destroy();
      pairs.delete(pair);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const terminate = () => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  return {
    port: address.port,
    get connections() {
      return connections;
    },
    get refused() {
      return refused;
    },
    cut() {
      for (const { client, server } of pairs) {
        client.unpipe(server);
        server.unpipe();
        // Read and discard.
        client.resume();
        server.resume();
      }
    },
    terminate,
    refuse() {
      refusing = true;
      terminate();
    },
    allow(now = target) {
      target = now;
      refusing = false;
    },
    async close() {
      terminate();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
