import { Counter, type Registry } from 'prom-client';
import type { Bus } from './bus.ts';

/** The bus counts by itself; what it has counted is read when somebody looks. */
export function showBus(bus: Bus, registry: Registry): void {
  const messages: Counter<'kind'> = new Counter({
    name: 'chatd_bus_messages_total',
    help: 'Messages between replicas: published by this one, received from others, dropped before they got away',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const { published, received, dropped } = bus.stats;
      messages.reset();
      for (const [kind, count] of Object.entries({ published, received, dropped })) {
        messages.inc({ kind }, count);
      }
    },
  });
  const reconnects: Counter = new Counter({
    name: 'chatd_bus_reconnects_total',
    help: 'Connections of the bus that were lost and replaced',
    registers: [registry],
    collect() {
      reconnects.reset();
      reconnects.inc(bus.stats.reconnects);
    },
  });
}
