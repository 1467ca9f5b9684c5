import { pino } from 'pino';
import { openBus } from '../bus/open-bus.ts';
import { type Check, fromError, ok } from './finding.ts';

const NAME = 'bus';
const PATIENCE_MS = 3000;

/** Where replicas meet: connected to, and a message sent around, as a server does at its start. */
export const busCheck: Check = {
  name: NAME,
  async look({ config, databaseUrl }) {
    const { busUrl, databaseDirectUrl } = config;
    if (busUrl === 'memory:') return [ok(NAME, 'within the process: there may be one server only')];
    if (busUrl === undefined && config.databaseUrl === undefined) {
      return [ok(NAME, 'within the process, as there is one server only')];
    }
    if (databaseUrl === undefined && busUrl === undefined) return [];
    try {
      const bus = await openBus({
        busUrl,
        databaseUrl: databaseUrl ?? '',
        databaseDirectUrl,
        alone: false,
        log: pino({ level: 'silent' }),
        patienceMs: PATIENCE_MS,
      });
      await bus.close();
      return [
        ok(NAME, busUrl === undefined ? 'PostgreSQL passes notifications on' : 'NATS answers'),
      ];
    } catch (error) {
      return [fromError(NAME, error)];
    }
  },
};
