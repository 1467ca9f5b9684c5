import { BlockList, isIP } from 'node:net';

/** An address or a range of addresses. */
export interface ProxyRange {
  readonly address: string;
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;
const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. Undefined if invalid, and for /0. */
export function parseProxyRange(text: string): ProxyRange | undefined {
  const [, address = '', bits] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version !== 4 && version !== 6) return undefined;
  const most = BITS[version];
  const prefix = bits === undefined ? most : Number(bits);
  return prefix >= 1 && prefix <= most ? { address, prefix } : undefined;
}

/** The proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted. */
export class TrustedProxies {
  readonly #ranges = new BlockList();
  readonly #any: boolean;
  readonly #onIgnored: (peer: string) => void;
  #reported = false;

  /** `onIgnored` is called once for an untrusted peer that sends X-Forwarded-For: perhaps a proxy missing in the settings. */
  constructor(ranges: readonly ProxyRange[], onIgnored: (peer: string) => void = () => undefined) {
    this.#any = ranges.length > 0;
    this.#onIgnored = onIgnored;
    for (const { address, prefix } of ranges) {
      this.#ranges.addSubnet(address, prefix, family(address));
    }
  }

  /**
   * The address of the client. Each proxy appends the address of its caller to X-Forwarded-For, so the header is read
   * from the end: the first address that is not a trusted proxy is the client. Anything before it is forgeable.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string {
    let client = plain(peer);
    if (forwardedFor === undefined) return client;
    if (!this.#trusts(client)) {
      if (!this.#reported) this.#onIgnored(client);
      this.#reported = true;
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

  /** Whether to trust X-Forwarded-Proto of a peer. Without configured proxies, every peer is trusted. */
  trustsProtocolOf(peer: string): boolean {
    return !this.#any || this.#trusts(plain(peer));
  }

  #trusts(address: string): boolean {
    return isIP(address) !== 0 && this.#ranges.check(address, family(address));
  }
}

/** Unwraps IPv4-mapped IPv6 addresses. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** Some proxies append the port. */
function addressIn(word: string): string | undefined {
  const text = word.trim();
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  const address = plain(bracketed ?? withPort ?? text);
  return isIP(address) === 0 ? undefined : address.toLowerCase();
}
