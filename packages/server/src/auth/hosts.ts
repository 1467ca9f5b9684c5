/** Always allowed. A Host header with an unknown name is a sign of DNS rebinding. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only this machine can reach a listen address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

export interface HostAndPort {
  /** Lower case, IPv6 in brackets. */
  readonly host: string;
  readonly port: string | undefined;
}

/** Undefined for an invalid Host header. */
function parseHost(value: string): HostAndPort | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?$/i.exec(value) ?? [];
  return host === undefined ? undefined : { host: withoutDot(host.toLowerCase()), port };
}

/** `example.org.` names the same host as `example.org`. */
const withoutDot = (host: string) => (host.endsWith('.') ? host.slice(0, -1) : host);

/** An entry without a port allows all ports. IPv6 addresses may omit the brackets. */
export function parseAllowedHost(value: string): HostAndPort | undefined {
  const bare = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(value);
  return parseHost(bare ? `[${value}]` : value);
}

export class AllowedHosts {
  readonly #allowed: readonly HostAndPort[];

  /** Allows loopback, the listen address unless it is a wildcard, and the configured hosts. */
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
