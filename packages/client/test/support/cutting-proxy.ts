import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The number of response bytes before a connection is cut. Undefined: it is not cut. */
export type Cuts = (connection: number) => number | undefined;

export interface CuttingProxy {
  readonly url: string;
  /** The bytes sent to the client, by connection. */
  readonly sent: number[];
  close(): Promise<void>;
}

/** A TCP proxy that cuts connections at an exact byte of the response. */
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
      // The allowed bytes arrive before the end of the connection.
      if (allowed.length < bytes.length) client.end(allowed, () => upstream.destroy());
      else client.write(allowed);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A host that the server allows.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
