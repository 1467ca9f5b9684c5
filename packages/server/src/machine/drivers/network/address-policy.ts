import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { reachOf } from '../../../providers/fetch/address.ts';

export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
}

export type Resolver = (host: string) => Promise<readonly LookupAddress[]>;

const systemResolver: Resolver = (host) => lookup(host, { all: true, order: 'ipv4first' });

/** The destination of a workspace's connection is not allowed. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Which addresses workspaces may connect to: public addresses of other hosts, and private ranges that an operator
 * allows.
 */
export class AddressPolicy {
  readonly privateRanges: readonly AddressRange[];
  readonly #resolve: Resolver;
  readonly #allowedPrivate = new BlockList();

  constructor(privateRanges: readonly AddressRange[] = [], resolve: Resolver = systemResolver) {
    this.privateRanges = privateRanges;
    this.#resolve = resolve;
    for (const { address, prefix } of privateRanges) {
      this.#allowedPrivate.addSubnet(address, prefix, familyOf(address));
    }
  }

  /**
   * The addresses to connect to. The caller must not resolve the host again, so that a name whose address changes after
   * the check cannot bypass it.
   */
  async resolve(host: string): Promise<readonly string[]> {
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    const addresses =
      isIP(bare) === 0 ? (await this.#resolve(bare)).map(({ address }) => address) : [bare];
    const refused = addresses.find((address) => !this.#allows(address));
    if (refused !== undefined) {
      throw new AddressRefused(
        `Host "${host}" resolves to ${refused}, which is not a public address.`,
      );
    }
    return addresses;
  }

  #allows(address: string): boolean {
    if (this.#allowedPrivate.check(address, familyOf(address))) {
      return reachOf(address) !== 'forbidden';
    }
    return reachOf(address) === 'public' && !ownAddresses().includes(address);
  }
}

/** The addresses of this host. Services that listen on all of them are not meant for agents. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
