import { pino } from 'pino';
import { openBus } from '../bus/open-bus.ts';
import { type Check, fromError, ok } from './finding.ts';

const NAME = 'bus';
const TIMEOUT_MS = 3000;

/** Connects to the message bus and sends a message, as a server does at startup. */
export const busCheck: Check = {
  name: NAME,
  async look({ config, databaseUrl }) {
    const { busUrl, databaseDirectUrl } = config;
    if (busUrl === 'memory:')
      return [ok(NAME, 'In-process bus: only one server can use this database.')];
    if (busUrl === undefined && config.databaseUrl === undefined) {
      return [ok(NAME, 'In-process bus, because there is only one server.')];
    }
    if (databaseUrl === undefined && busUrl === undefined) return [];
    try {
      const bus = await openBus({
        busUrl,
        databaseUrl: databaseUrl ?? '',
        databaseDirectUrl,
        alone: false,
        log: pino({ level: 'silent' }),
        patienceMs: TIMEOUT_MS,
      });
      await bus.close();
      return [
        ok(
          NAME,
          busUrl === undefined ? 'PostgreSQL delivers notifications.' : 'NATS is reachable.',
        ),
      ];
    } catch (error) {
      return [fromError(NAME, error)];
    }
  },
};
