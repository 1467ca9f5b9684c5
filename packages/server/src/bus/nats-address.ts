import type { ConnectionOptions } from '@nats-io/transport-node';

export interface NatsAddress {
  /** For people: without the credentials. */
  readonly shown: string;
  readonly connection: ConnectionOptions;
  /** Before every subject: keeps deployments at one server apart. */
  readonly prefix: string;
}

/**
 * `nats://USER:PASSWORD@HOST:PORT/PREFIX`, or `nats://TOKEN@…`; `tls://…` insists on TLS. The credentials are
 * handed over apart from the address, so that no error can show them.
 */
export function readNatsUrl(url: string): NatsAddress {
  const { protocol, username, password, hostname, port, pathname } = new URL(url);
  const server = `${hostname === '' ? '127.0.0.1' : hostname}:${port === '' ? '4222' : port}`;
  const user = decodeURIComponent(username);
  const pass = decodeURIComponent(password);
  const prefix = decodeURIComponent(pathname.replace(/^\/+|\/+$/g, ''));
  return {
    shown: `${protocol}//${server}`,
    prefix: prefix === '' ? 'chatd' : prefix,
    connection: {
      servers: server,
      ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
      ...(protocol === 'tls:' && { tls: {} }),
    },
  };
}
