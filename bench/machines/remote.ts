import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import {
  PROTOCOL,
  receiveHello,
  sendWelcome,
} from '../../packages/server/src/machine/link/handshake.ts';
import { LINK_LIMITS } from '../../packages/server/src/machine/link/limits.ts';
import { LinkClient } from '../../packages/server/src/machine/link/link-client.ts';
import { RemoteMachine } from '../../packages/server/src/machine/link/remote-machine.ts';
import { webSocketChannel } from '../../packages/server/src/machine/link/web-socket-channel.ts';
import { systemClock } from '@chatd/loop';

/** A machine in another process, connected over a WebSocket on loopback, as a replica uses it. */
export async function startRemote(
  directory: string,
): Promise<{ machine: RemoteMachine; close(): Promise<void> }> {
  const id = 'remote';
  const linked = Promise.withResolvers<LinkClient>();
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  const sockets = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    maxPayload: LINK_LIMITS.message,
  });
  sockets.on('connection', (socket) => {
    void (async () => {
      const channel = webSocketChannel(socket);
      await receiveHello(channel);
      sendWelcome(channel, { protocol: PROTOCOL.newest, machine: { id, name: id } });
      linked.resolve(new LinkClient({ channel, clock: systemClock }));
    })();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const child = spawn(
    process.execPath,
    ['--conditions=chatd-source', join(import.meta.dirname, 'machine-process.ts'), url, directory],
    { stdio: 'inherit' },
  );
  const link = await linked.promise;
  const machine = new RemoteMachine({
    id,
    name: id,
    source: { link: () => Promise.resolve(link) },
  });
  return {
    machine,
    async close() {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      sockets.close();
      http.close();
      http.closeAllConnections();
    },
  };
}
