import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { showBus } from './bus-metrics.ts';
import { MemoryBus } from './memory-bus.ts';

test('what the bus has counted is shown, however often one looks', async () => {
  const bus = new MemoryBus(pino({ level: 'silent' }));
  const registry = new Registry();
  showBus(bus, registry);
  for (const expected of [1, 2, 3]) {
    bus.publish('subject', null);
    const text = await registry.metrics();
    expect(text).toContain(`chatd_bus_messages_total{kind="published"} ${expected}\n`);
    expect(text).toContain('chatd_bus_messages_total{kind="dropped"} 0\n');
    expect(text).toContain('chatd_bus_reconnects_total 0\n');
  }
});
