import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Json } from '@chatd/protocol';
import type { Bus } from '../../packages/server/src/bus/bus.ts';
import { type BusData, busReport, type BusRow } from '../report/bus.ts';
import { conclude } from '../report/conclude.ts';
import { median } from '../report/statistics.ts';
import { type Broker, BROKERS, openAt } from './brokers.ts';
import { receive, type Received } from './receiver.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * Publishes notifications from one process to another over each bus, at the rate of a busy server and in a burst.
 * Measures the CPU time of the publisher, the receiver and all processes of the broker.
 */
const { values: options } = parseArgs({
  options: {
    messages: { type: 'string', default: '50000' },
    pace: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    keep: { type: 'boolean', default: false },
  },
});
const MESSAGES = Number(options.messages);
const PACE = Number(options.pace);
const SECONDS = Number(options.seconds);
const ROUNDS = Number(options.rounds);

interface Result {
  readonly seconds: number;
  readonly publisherCpu: number;
  readonly brokerCpu: number;
  readonly received: Received | undefined;
  readonly messages: number;
}

interface Listener {
  next(): Promise<Received>;
  close(): Promise<void>;
}

const hint = (): Json => ({
  at: String(process.hrtime.bigint()),
  hint: {
    command: 'commit_step',
    id: '01990000-0000-7000-8000-000000000000',
    owner_id: '01990000-0000-7000-8000-000000000001',
    status: 'running',
    snapshot_version: 123_456,
  },
});

async function atOnce(bus: Bus): Promise<number> {
  for (let sent = 0; sent < MESSAGES; sent += 1) {
    bus.publish('bench', hint());
    // Yield to the event loop between batches, as a server does between requests.
    if (sent % 500 === 499) await new Promise(setImmediate);
  }
  return MESSAGES;
}

async function paced(bus: Bus): Promise<number> {
  const start = performance.now();
  let sent = 0;
  for (let elapsed = 0; elapsed < SECONDS; elapsed = (performance.now() - start) / 1000) {
    for (; sent < elapsed * PACE; sent += 1) bus.publish('bench', hint());
    await sleep(1);
  }
  return sent;
}

/** Starts a receiver in another process, or in this one for the in-memory bus. */
async function startListener(broker: Broker, bus: Bus): Promise<Listener> {
  if (broker.url === undefined) {
    const reports = new EventEmitter();
    await receive(bus, (received) => reports.emit('report', received));
    return {
      async next() {
        const [received] = (await once(reports, 'report')) as [Received];
        return received;
      },
      close: async () => undefined,
    };
  }
  const child = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)), [broker.url], {
    execArgv: ['--conditions=chatd-source'],
  });
  await messageOf(child);
  return {
    next: async () => (await messageOf(child)) as Received,
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as unknown[];
  return message;
}

async function measure(
  broker: Broker,
  bus: Bus,
  listener: Listener | undefined,
  publish: (bus: Bus) => Promise<number>,
): Promise<Result> {
  bus.publish('bench', 'begin');
  const cpu = process.cpuUsage();
  const brokerCpu = broker.cpuSeconds();
  const start = performance.now();
  const reported = listener?.next();
  const messages = await publish(bus);
  bus.publish('bench', 'end');
  const received = await reported;
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds,
    publisherCpu: (user + system) / 1e6,
    brokerCpu: broker.cpuSeconds() - brokerCpu,
    received,
    messages,
  };
}

function row(bus: string, what: string, results: readonly Result[]): BusRow {
  const of = (value: (result: Result) => number) => median(results.map(value));
  const micros = (value: (result: Result) => number) =>
    of((result) => (value(result) * 1e6) / result.messages);
  const heard = results.every(({ received }) => received !== undefined);
  const lost = results.reduce(
    (sum, { messages, received }) => sum + messages - (received?.messages ?? messages),
    0,
  );
  // The in-memory bus runs in one process, whose CPU time counts as the publisher's.
  const alone = bus === 'memory';
  return {
    bus,
    what,
    perSecond: of((result) => result.messages / result.seconds),
    publisherMicros: micros((result) => result.publisherCpu),
    receiverMicros: heard && !alone ? micros((result) => result.received?.cpuSeconds ?? 0) : null,
    brokerMicros: alone ? null : micros((result) => result.brokerCpu),
    p50Ms: heard ? of((result) => result.received?.delays.p50 ?? Number.NaN) : null,
    p99Ms: heard ? of((result) => result.received?.delays.p99 ?? Number.NaN) : null,
    lost: heard ? lost : null,
  };
}

async function rows(broker: Broker): Promise<BusRow[]> {
  const bus = await openAt(broker.url);
  const table: BusRow[] = [];
  const run = async (
    what: string,
    listener: Listener | undefined,
    publish: (bus: Bus) => Promise<number>,
  ) => {
    const results: Result[] = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      process.stderr.write(`${broker.name}, ${what} …\n`);
      const result = await measure(broker, bus, listener, publish);
      // The first run is a warm-up.
      if (round >= 0) results.push(result);
    }
    table.push(row(broker.name, what, results));
  };
  try {
    if (broker.url !== undefined) await run(`${PACE}/s, no subscriber`, undefined, paced);
    const listener = await startListener(broker, bus);
    await run(`${PACE}/s`, listener, paced);
    await run('burst', listener, atOnce);
    await listener.close();
  } finally {
    await bus.close();
  }
  return table;
}

const table: BusRow[] = [];
const versions: Record<string, string> = {};
for (const start of BROKERS) {
  const broker = await start();
  try {
    Object.assign(versions, await broker.versions());
    table.push(...(await rows(broker)));
  } finally {
    await broker.stop();
  }
}
const data: BusData = { rounds: ROUNDS, messages: MESSAGES, pace: PACE, rows: table };
await conclude(busReport, { data, versions }, options);
