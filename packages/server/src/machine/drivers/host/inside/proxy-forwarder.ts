import { connect, createServer } from 'node:net';

/** Exposes the server's proxy, a Unix socket, as a port on the sandbox's loopback interface. */
export function forwardToProxy(socketPath: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path: socketPath, allowHalfOpen: true });
    for (const socket of [client, proxy]) {
      socket.once('error', () => {
        client.destroy();
        proxy.destroy();
      });
    }
    client.pipe(proxy).pipe(client);
  });
  server.once('error', reject).listen(port, '127.0.0.1', resolve);
  return promise;
}
