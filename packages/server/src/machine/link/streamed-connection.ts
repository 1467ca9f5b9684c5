import type { Connection, ConnectionHandlers } from '../drivers/driver.ts';
import type { LinkClient } from './link-client.ts';

/** A connection of a workspace that the stream of a request carries in both directions. */
export async function streamedConnection(
  link: LinkClient,
  operation: 'accept' | 'connect_port',
  params: object,
  handlers: ConnectionHandlers,
  signal?: AbortSignal,
): Promise<Connection> {
  let isClosed = false;
  const closed = () => {
    if (isClosed) return;
    isClosed = true;
    handlers.onClose();
  };
  const { stream } = await link.open(operation, params, {
    signal,
    onData: (bytes) => handlers.onData(bytes),
    onEnd: closed,
  });
  return {
    write(bytes) {
      stream.write(bytes);
      return stream.drained();
    },
    close() {
      stream.leave();
      closed();
    },
  };
}
