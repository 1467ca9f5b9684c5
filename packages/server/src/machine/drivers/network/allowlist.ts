const WEB_PORTS: readonly number[] = [80, 443];

interface AllowedHost {
  readonly host: string;
  readonly ports: readonly number[];
}

/** The hosts that a workspace may reach, from its template. */
export class Allowlist {
  readonly #hosts: readonly AllowedHost[];

  constructor(patterns: readonly string[]) {
    this.#hosts = patterns.map(parsePattern);
  }

  allows(host: string, port: number): boolean {
    const name = normalizeHost(host);
    return this.#hosts.some(
      (allowed) => allowed.ports.includes(port) && matches(allowed.host, name),
    );
  }
}

function parsePattern(pattern: string): AllowedHost {
  const [host = '', port] = pattern.split(':');
  return { host: host.toLowerCase(), ports: port === undefined ? WEB_PORTS : [Number(port)] };
}

/** Resolvers ignore case and a final dot, so the comparison does too. */
const normalizeHost = (host: string) => host.toLowerCase().replace(/\.$/, '');

function matches(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return host === pattern;
  const suffix = pattern.slice(1);
  return host.endsWith(suffix) && host.length > suffix.length;
}
