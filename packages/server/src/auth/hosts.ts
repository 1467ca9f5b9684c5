/** Host names under which the server may be addressed. Any other is a sign of DNS rebinding. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Of an address to listen on: only this machine reaches it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

export interface HostAndPort {
  /** Lower case, IPv6 in brackets. */
  readonly host: string;
  readonly port: string | undefined;
}

/** Undefined when it is not what may stand in a Host header. */
function parseHost(value: string): HostAndPort | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?$/i.exec(value) ?? [];
  return host === undefined ? undefined : { host: withoutDot(host.toLowerCase()), port };
}

/** `example.org.` names the same host as `example.org`. */
const withoutDot = (host: string) => (host.endsWith('.') ? host.slice(0, -1) : host);

/** An entry without a port stands for all ports. IPv6 addresses may be given without brackets. */
export function parseAllowedHost(value: string): HostAndPort | undefined {
  const bare = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(value);
  return parseHost(bare ? `[${value}]` : value);
}

export class AllowedHosts {
  readonly #allowed: readonly HostAndPort[];

  /** Besides loopback: the address that the server listens on, when it is one, and what the operator named. */
  constructor(listen: string, named: readonly HostAndPort[]) {
    const own = [...LOOPBACK, listen].map((host) => parseAllowedHost(host));
    this.#allowed = [...own.filter((entry) => entry !== undefined), ...named];
  }

  allows(header: string | undefined): boolean {
    const found = parseHost(header ?? '');
    if (found === undefined) return false;
    return this.#allowed.some(
      ({ host, port }) => host === found.host && (port === undefined || port === found.port),
    );
  }
}
