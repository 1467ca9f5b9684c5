import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { reachOf } from './address.ts';
import { checkReach } from './url-check.ts';

export type AllowPrivate = () => Promise<boolean>;

/** The resolver of the system, in the form in which sockets want it. */
export type Lookup = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const system: Lookup = (host, done) => lookup(host, { all: true }, done);

/**
 * Connections to providers. The address is checked when it is connected to: what a name resolved to when it was
 * configured, or a moment ago, proves nothing.
 */
export function guardedAgent(allowPrivate: AllowPrivate, resolve: Lookup = system): Agent {
  const connect = buildConnector({
    lookup: guardedLookup(allowPrivate, resolve),
    timeout: 15_000,
    keepAlive: true,
  });
  return new Agent({
    // A model may think for longer than any limit; the loop notices silence.
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 30_000,
    connect(options, done) {
      // Sockets do not look up what is an address already.
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(host) === 0) return connect(options, done);
      check([host], allowPrivate).then(
        () => connect(options, done),
        (error: Error) => done(error, null),
      );
    },
  });
}

function guardedLookup(allowPrivate: AllowPrivate, resolve: Lookup): LookupFunction {
  return (host, options, done) => {
    resolve(host, (error, addresses) => {
      if (error !== null) return done(error, '');
      const family = options.family === 4 || options.family === 6 ? options.family : undefined;
      const usable = addresses.filter((one) => family === undefined || one.family === family);
      check(
        usable.map(({ address }) => address),
        allowPrivate,
        host,
      ).then(
        () => {
          if (options.all === true) return done(null, [...usable]);
          const [first] = usable;
          return done(null, first?.address ?? '', first?.family);
        },
        (refusal: Error) => done(refusal, ''),
      );
    });
  };
}

/** One bad address among several is enough: which of them is used is not ours to say. */
async function check(
  addresses: readonly string[],
  allowPrivate: AllowPrivate,
  host = addresses[0] ?? '',
): Promise<void> {
  const reaches = addresses.map((address) => reachOf(address) ?? 'forbidden');
  if (reaches.every((reach) => reach === 'public')) return;
  const allowed = await allowPrivate();
  for (const reach of reaches) checkReach(reach, host, allowed);
}
