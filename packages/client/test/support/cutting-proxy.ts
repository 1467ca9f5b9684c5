import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How many bytes of an answer get through before the connection is cut; undefined: all of them. */
export type Cuts = (connection: number) => number | undefined;

export interface CuttingProxy {
  readonly url: string;
  /** Bytes that went to the client, by connection. */
  readonly sent: number[];
  close(): Promise<void>;
}

/** A TCP proxy that cuts connections at an exact byte of what the server says. */
export async function startCuttingProxy(target: string, cuts: Cuts): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sent: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const index = sent.push(0) - 1;
    const limit = cuts(index) ?? Infinity;
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    if (limit === 0) client.destroy();
    upstream.on('data', (bytes) => {
      const before = sent[index] ?? 0;
      const allowed = bytes.subarray(0, Math.max(0, limit - before));
      sent[index] = before + allowed.length;
      // What was let through arrives before the end of the connection does.
      if (allowed.length < bytes.length) client.end(allowed, () => upstream.destroy());
      else client.write(allowed);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // As the server is called in its list of hosts.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
