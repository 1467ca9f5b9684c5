import type { Clock } from '@chatd/loop';
import type { PriorDiscovery } from '@modelcontextprotocol/client';

/** As long as tool lists: both contain the instructions of the server. */
const MODERN_MS = 10 * 60_000;
/** A server that has been upgraded meanwhile still understands the older revisions. */
const LEGACY_MS = 60 * 60_000;

/** What one server supports. */
export interface ServerEra {
  get(): PriorDiscovery | undefined;
  /** Undefined: forget it. */
  put(era: PriorDiscovery | undefined): void;
}

/**
 * Whether servers support the revision 2026-07-28, shared by the chats of this process: the first connection asks, and
 * the others save the request.
 */
export class ProtocolEras {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, { readonly era: PriorDiscovery; readonly until: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** `key`: the server with its configuration, and the user if it requires a sign-in. */
  of(key: string): ServerEra {
    return {
      get: () => {
        const known = this.#known.get(key);
        return known !== undefined && known.until > this.#clock.now() ? known.era : undefined;
      },
      put: (era) => {
        const now = this.#clock.now();
        for (const [other, { until }] of this.#known) if (until <= now) this.#known.delete(other);
        if (era === undefined) this.#known.delete(key);
        else {
          const kept = era.kind === 'modern' ? MODERN_MS : LEGACY_MS;
          this.#known.set(key, { era, until: now + kept });
        }
      },
    };
  }
}
