import type { Bus } from '../../packages/server/src/bus/bus.ts';
import { quantile } from '../report/statistics.ts';
import { openAt } from './brokers.ts';

/** The result of one run at the receiver. */
export interface Received {
  readonly messages: number;
  readonly cpuSeconds: number;
  readonly delays: { readonly p50: number; readonly p99: number };
}

export interface Sent {
  /** Nanoseconds of the monotonic clock, which all processes share. */
  readonly at: string;
  readonly hint: unknown;
}

/** Reports after the last message of each run. */
export async function receive(bus: Bus, report: (received: Received) => void): Promise<void> {
  let delays: number[] = [];
  let cpu = process.cpuUsage();
  await bus.subscribe('bench', (message) => {
    if (message === 'begin') {
      delays = [];
      cpu = process.cpuUsage();
    } else if (message === 'end') {
      const { user, system } = process.cpuUsage(cpu);
      report({
        messages: delays.length,
        cpuSeconds: (user + system) / 1e6,
        delays: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) },
      });
    } else {
      const { at } = message as unknown as Sent;
      delays.push(Number(process.hrtime.bigint() - BigInt(at)) / 1e6);
    }
  });
}

if (process.send !== undefined) {
  const bus = await openAt(process.argv[2]);
  await receive(bus, (received) => process.send?.(received));
  process.send('ready');
  process.once('disconnect', () => void bus.close());
}
