import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector } from 'undici';
import { reachOf } from './address.ts';
import { checkReach } from './url-check.ts';

export type AllowPrivate = () => Promise<boolean>;

/** The system resolver, replaceable in tests. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

const system: Lookup = (host) => lookup(host, { all: true });

/**
 * Connections to providers. Addresses are checked on connect, because a host name may resolve to another address than
 * before.
 */
export function guardedAgent(allowPrivate: AllowPrivate, resolve: Lookup = system): Agent {
  const connect = buildConnector({
    lookup: guardedLookup(allowPrivate, resolve),
    timeout: 15_000,
    keepAlive: true,
  });
  const checkLiteral = callbackify((host: string) => check(host, [host], allowPrivate));
  return new Agent({
    // No timeout: a model may think for long, and the loop detects silence.
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 30_000,
    connect(options, done) {
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(host) === 0) return connect(options, done);
      // Sockets do not resolve literal addresses.
      checkLiteral(host, (error) => (error ? done(error, null) : connect(options, done)));
    },
  });
}

function guardedLookup(allowPrivate: AllowPrivate, resolve: Lookup): LookupFunction {
  const find = callbackify(async (host: string) => {
    const found = await resolve(host);
    const addresses = found.map(({ address }) => address);
    await check(host, addresses, allowPrivate);
    return found;
  });
  return (host, options, done) => {
    find(host, (error, found) => {
      if (error) return done(error, '');
      const usable = found.filter(({ family }) => !options.family || options.family === family);
      if (options.all === true) return done(null, usable);
      const [first] = usable;
      return done(null, first?.address ?? '', first?.family);
    });
  };
}

/** One blocked address is enough, because any of them may be used. */
async function check(
  host: string,
  addresses: readonly string[],
  allowPrivate: AllowPrivate,
): Promise<void> {
  const reaches = addresses.map((address) => reachOf(address) ?? 'forbidden');
  if (reaches.every((reach) => reach === 'public')) return;
  const allowed = await allowPrivate();
  for (const reach of reaches) checkReach(reach, host, allowed);
}
