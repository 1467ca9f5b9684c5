import { Duplex } from 'node:stream';
import type { Connection, ConnectionHandlers } from './drivers/driver.ts';

/** Unread bytes at which a connection is closed, for drivers that cannot pause a port. */
const MAX_UNREAD = 64 * 1024 * 1024;

/** A connection of a workspace as a stream. */
export async function connectionSocket(
  open: (handlers: ConnectionHandlers) => Promise<Connection>,
): Promise<Duplex> {
  let connection: Connection | undefined;
  let read: (() => void) | undefined;
  const goOn = () => {
    read?.();
    read = undefined;
  };
  const socket = new Duplex({
    read: goOn,
    write(bytes: Buffer, _encoding, done) {
      void send(connection, bytes, done);
    },
    destroy(error, done) {
      goOn();
      connection?.close();
      done(error);
    },
  });
  connection = await open({
    onData(bytes) {
      if (socket.destroyed || socket.push(Buffer.from(bytes))) return;
      if (socket.readableLength > MAX_UNREAD) {
        socket.destroy(new Error('the client does not read'));
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = read;
      read = () => {
        before?.();
        resolve();
      };
      return promise;
    },
    onClose() {
      if (socket.destroyed) return;
      socket.push(null);
      socket.end();
    },
  });
  return socket;
}

async function send(
  connection: Connection | undefined,
  bytes: Buffer,
  done: (error?: Error) => void,
): Promise<void> {
  let problem: Error | undefined;
  try {
    await connection?.write(bytes);
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error));
  }
  done(problem);
}
