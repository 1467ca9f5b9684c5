import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Channel } from '../../machine/link/channel.ts';
import { LINK_LIMITS } from '../../machine/link/limits.ts';
import { webSocketChannel } from '../../machine/link/web-socket-channel.ts';
import { FORWARDING_HEADER } from '../../machines/forwarding-key.ts';
import { FORWARDING_PATH } from '../../machines/machine-route.ts';

/** The machines that other replicas use through this one. */
export interface ForwardedMachines {
  problemWithForward(machineId: string, header: string | undefined): Promise<string | undefined>;
  holds(machineId: string): boolean;
  acceptForward(machineId: string, channel: Channel): void;
}

const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: LINK_LIMITS.message,
});

/** Answers a replica that uses a machine through this one. False: the request is another one. */
export function answerForwarding(
  machines: ForwardedMachines | undefined,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): boolean {
  if (machines === undefined || incoming.url?.startsWith(FORWARDING_PATH) !== true) return false;
  socket.on('error', () => socket.destroy());
  const machineId = incoming.url.slice(FORWARDING_PATH.length);
  const header = incoming.headers[FORWARDING_HEADER];
  const answer = (problem: string | undefined) => {
    if (problem !== undefined) refuse(socket, '401 Unauthorized', problem);
    else if (!machines.holds(machineId)) refuse(socket, '409 Conflict', 'not held by this replica');
    else {
      sockets.handleUpgrade(incoming, socket, head, (webSocket) =>
        machines.acceptForward(machineId, webSocketChannel(webSocket)),
      );
    }
  };
  machines
    .problemWithForward(machineId, String(header ?? ''))
    .then(answer, () => refuse(socket, '503 Service Unavailable', 'the database is unavailable'));
  return true;
}

function refuse(socket: Socket, status: string, detail: string): void {
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Listens on a separate port, because the processes of a group share the port of the server. */
export async function startForwardingServer(
  machines: ForwardedMachines,
  host: string,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server: Server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', (incoming, duplex, head) => {
    const socket = duplex as Socket;
    if (!answerForwarding(machines, incoming, socket, head)) socket.destroy();
  });
  server.listen({ host, port: 0, exclusive: true });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
