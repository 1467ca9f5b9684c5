/*
 * `npm run bench:sizing`: measures the resources of a replica and its database for docs/sizing.md. One server, an
 * external PostgreSQL and a scripted provider. Memory is read after garbage collection, and CPU as CPU time, so that other
 * load on the machine does not inflate the values.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { conclude } from '../report/conclude.ts';
import { type SizingData, sizingReport } from '../report/sizing.ts';
import { postgresVersion } from '../report/versions.ts';
import {
  answers,
  configureProvider,
  connect,
  freePort,
  ProcessGroup,
} from '../server/environment.ts';
import { usageOf } from '../server/usage.ts';
import type { Used } from './server.ts';
import type { Audience } from './viewers.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const HERE = import.meta.dirname;
const TOKEN = 'sizing-admin-token-0123456789';

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    /** Stored chats, and idle streams of them. */
    stored: { type: 'string', default: '400' },
    streams: { type: 'string', default: '1000' },
    /** Running chats, words per second and chat, and viewers. */
    chats: { type: 'string', default: '100' },
    rate: { type: 'string', default: '20' },
    viewers: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '20' },
  },
});
const stored = Number(values.stored);
const rate = Number(values.rate);
const seconds = Number(values.seconds);
/** Longer than any measurement; the end of the run stops it. */
const SPEECH_SECONDS = 3600;
/** A user message, and an answer of about 400 tokens. */
const QUESTION_BYTES = 200;
const ANSWER_BYTES = 1600;

const say = (line: string) => console.error(`bench:sizing: ${line}`);

/** Sends a line to a process and reads one line as the response. */
class Line {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(child: ChildProcess) {
    if (child.stdout === null) throw new Error('the process has no stdout');
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async ask(text: string): Promise<string> {
    this.#child.stdin?.write(`${text}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('a benchmark process exited');
    return value;
  }
}

const processes = new ProcessGroup();
const postgres = await startExternalPostgres({
  settings: { fsync: 'on', synchronous_commit: 'on', max_connections: '200' },
});

/** CPU seconds of PostgreSQL so far. */
const postgresCpu = () => usageOf([postgres.pid]).cpuSeconds;

async function measure(): Promise<SizingData> {
  const [providerPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  processes.start(join(HERE, 'provider.ts'), {
    args: [String(providerPort), String(1000 / rate), String(SPEECH_SECONDS)],
  });
  const server = new Line(
    processes.start(join(HERE, 'server.ts'), {
      env: {
        DATABASE_URL: postgres.url,
        CHATD_BENCH_PORT: String(port),
        CHATD_BENCH_TOKEN: TOKEN,
        CHATD_BENCH_DATA: join(postgres.directory, 'data'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await answers(`${url}/readyz`);
  await configureProvider(url, TOKEN, {
    url: `http://127.0.0.1:${providerPort}/v1`,
    model: 'sizing',
  });
  const database = await connect(postgres.url);
  const used = async () => JSON.parse(await server.ask('used')) as Used;
  /** Words sent by the provider, and events received by viewers. */
  const counted = async () => {
    const said = await (await fetch(`http://127.0.0.1:${providerPort}/said`)).text();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
    const events = /^chatd_stream_events_total (\S+)$/m.exec(metrics)?.[1] ?? '0';
    return { deltas: Number(said), events: Number(events) };
  };
  const watched = async (ms: number) => {
    const [before, cpu, count] = [await used(), postgresCpu(), await counted()];
    await sleep(ms);
    const [after, cpuAfter, countAfter] = [await used(), postgresCpu(), await counted()];
    const elapsed = after.atSeconds - before.atSeconds;
    return {
      after,
      cores: (after.cpuSeconds - before.cpuSeconds) / elapsed,
      postgresCores: (cpuAfter - cpu) / elapsed,
      deltas: (countAfter.deltas - count.deltas) / elapsed,
      events: (countAfter.events - count.events) / elapsed,
    };
  };
  const viewers = () =>
    processes.start(join(HERE, 'viewers.ts'), { stdio: ['pipe', 'pipe', 'inherit'] });
  const number = async (sql: string) => {
    const { rows } = await database.query<{ value: string }>(sql);
    return Number(rows[0]?.value);
  };
  const post = async (path: string, body: object): Promise<string> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  };
  const quiet = async () => {
    while ((await number(`SELECT count(*) AS value FROM chats WHERE status <> 'waiting'`)) > 0) {
      await sleep(100);
    }
  };
  /** Database size without reusable free space. */
  const size = async () => {
    await database.query('VACUUM FULL');
    return await number('SELECT pg_database_size(current_database()) AS value');
  };
  const written = () => number(`SELECT pg_current_wal_lsn() - '0/0' AS value`);
  const question = (text: string) => text.padEnd(QUESTION_BYTES, ' and so on');

  say('idle server');
  await sleep(5000);
  const idle = await watched(10_000);

  say(`database size of ${stored} chats`);
  const ids: string[] = [];
  const grown = async (work: (index: number) => Promise<unknown>) => {
    const [bytes, wal] = [await size(), await written()];
    const [before, cpu] = [await used(), postgresCpu()];
    for (let at = 0; at < stored; at += 20) {
      const some = Array.from({ length: Math.min(20, stored - at) }, (_, offset) => at + offset);
      await Promise.all(some.map(work));
      await quiet();
    }
    const [walAfter, after, cpuAfter] = [await written(), await used(), postgresCpu()];
    return {
      cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1000) / stored,
      postgresCpuMs: ((cpuAfter - cpu) * 1000) / stored,
      bytes: ((await size()) - bytes) / stored,
      walBytes: (walAfter - wal) / stored,
    };
  };
  const first = await grown(async () => {
    ids.push(await post('/chats', { content: question(`say ${ANSWER_BYTES}`), title: 'Sizing' }));
  });
  const again = (text: string) => (index: number) =>
    post(`/chats/${ids[index]}/messages`, { content: question(text) });
  const turn = await grown(again(`say ${ANSWER_BYTES}`));
  const toolTurn = await grown(again(`add, then say ${ANSWER_BYTES}`));

  say(`${values.streams} idle streams`);
  const streamsOf = (chats: readonly string[], count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => `${url}/api/v1/chats/${chats[index % chats.length]}/stream`,
    );
  const audience = viewers();
  const before = await used();
  const open: Audience = { urls: streamsOf(ids, Number(values.streams)), token: TOKEN };
  await new Line(audience).ask(JSON.stringify(open));
  await sleep(3000);
  const streams = await watched(10_000);
  audience.kill();
  await sleep(2000);

  say(`${values.chats} running chats with ${rate} deltas per second each, no viewers`);
  const start = () =>
    Promise.all(
      Array.from({ length: Number(values.chats) }, () =>
        post('/chats', { content: 'speak', title: 'Sizing' }),
      ),
    );
  const rest = await used();
  const speaking = await start();
  await sleep(3000);
  const running = await watched((seconds - 3) * 1000);
  const connections = await number(
    `SELECT count(*) AS value FROM pg_stat_activity WHERE application_name LIKE 'chatd%'`,
  );

  say(`the same with ${values.viewers} viewers`);
  const crowd = viewers();
  const watch: Audience = { urls: streamsOf(speaking, Number(values.viewers)), token: TOKEN };
  await new Line(crowd).ask(JSON.stringify(watch));
  const viewed = await watched((seconds - 5) * 1000);
  crowd.kill();
  await database.end();

  return {
    idle: {
      residentMb: idle.after.residentMb,
      liveMb: idle.after.liveMb,
      cores: idle.cores,
      postgresCores: idle.postgresCores,
    },
    streams: {
      count: Number(values.streams),
      liveMb: streams.after.liveMb - before.liveMb,
      residentMb: streams.after.residentMb,
      cores: streams.cores,
    },
    running: {
      chats: Number(values.chats),
      rate,
      liveMb: running.after.liveMb - rest.liveMb,
      residentMb: running.after.residentMb,
      cores: running.cores,
      postgresCores: running.postgresCores,
      deltas: running.deltas,
      connections,
    },
    viewed: {
      viewers: Number(values.viewers),
      cores: viewed.cores,
      deltas: viewed.deltas,
      events: viewed.events,
    },
    database: {
      chats: stored,
      questionBytes: QUESTION_BYTES,
      answerBytes: ANSWER_BYTES,
      chatBytes: first.bytes,
      chatWalBytes: first.walBytes,
      turnBytes: turn.bytes,
      toolTurnBytes: toolTurn.bytes,
      turnCpuMs: turn.cpuMs,
      turnPostgresCpuMs: turn.postgresCpuMs,
      turnWalBytes: turn.walBytes,
      toolTurnWalBytes: toolTurn.walBytes,
    },
  };
}

try {
  const versions = { postgresql: await postgresVersion(postgres.url) };
  await conclude(sizingReport, { data: await measure(), versions }, { keep: values.keep });
} finally {
  await processes.close();
  await postgres.stop();
}
process.exit();
