import { BlockList, isIP } from 'node:net';

/** An address, or a range of them. */
export interface ProxyRange {
  readonly address: string;
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;
const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. Undefined when it is none of these; one that holds everybody is none, too. */
export function parseProxyRange(text: string): ProxyRange | undefined {
  const [, address = '', bits] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version !== 4 && version !== 6) return undefined;
  const most = BITS[version];
  const prefix = bits === undefined ? most : Number(bits);
  return prefix >= 1 && prefix <= most ? { address, prefix } : undefined;
}

/**
 * Proxies in front of us, whose word for where a request comes from counts. Whoever else says something about that
 * speaks for himself.
 */
export class TrustedProxies {
  readonly #ranges = new BlockList();
  readonly #any: boolean;
  readonly #onIgnored: (peer: string) => void;
  #told = false;

  /** `onIgnored` hears once of a peer that names a client and is not trusted: a proxy that was forgotten, or a liar. */
  constructor(ranges: readonly ProxyRange[], onIgnored: (peer: string) => void = () => undefined) {
    this.#any = ranges.length > 0;
    this.#onIgnored = onIgnored;
    for (const { address, prefix } of ranges) {
      this.#ranges.addSubnet(address, prefix, family(address));
    }
  }

  /**
   * Where a request comes from. Each proxy adds the address that it was called from at the end of X-Forwarded-For, so
   * that is read from there: the first address that is no proxy's is the client's, and whatever stands before it is
   * only what the client says.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string {
    let client = plain(peer);
    if (forwardedFor === undefined) return client;
    if (!this.#trusts(client)) {
      if (!this.#told) this.#onIgnored(client);
      this.#told = true;
      return client;
    }
    for (const word of forwardedFor.split(',').toReversed()) {
      const address = addressIn(word);
      if (address === undefined) break;
      client = address;
      if (!this.#trusts(client)) break;
    }
    return client;
  }

  /** Whether what a peer says about the connection of its client counts. Where no proxies were named, anybody may say it. */
  believes(peer: string): boolean {
    return !this.#any || this.#trusts(plain(peer));
  }

  #trusts(address: string): boolean {
    return isIP(address) !== 0 && this.#ranges.check(address, family(address));
  }
}

/** IPv4 as such, also where it came in over IPv6. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** Some proxies add the port. */
function addressIn(word: string): string | undefined {
  const text = word.trim();
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  const address = plain(bracketed ?? withPort ?? text);
  return isIP(address) === 0 ? undefined : address.toLowerCase();
}
