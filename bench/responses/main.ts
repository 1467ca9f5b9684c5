/*
 * `npm run bench:responses`: the CPU time of the server for a streamed answer through `/v1/responses`, compared with the
 * native stream of `POST /api/v1/chats`. Both create a chat and read the answer to its end. The variants alternate in short
 * rounds, so that other load on the machine affects both. See bench/README.md.
 */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { conclude } from '../report/conclude.ts';
import { type ResponsesData, responsesReport } from '../report/responses.ts';
import { median } from '../report/statistics.ts';
import { concurrently } from '../server/conversations.ts';
import {
  answers as isUp,
  configureProvider,
  createDatabase,
  freePort,
  pidOf,
  ProcessGroup,
} from '../server/environment.ts';
import { usageOf } from '../server/usage.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    /** Answers of each variant per round. */
    answers: { type: 'string', default: '100' },
    concurrency: { type: 'string', default: '8' },
    /** Model calls per answer, all but the last with a tool call. */
    steps: { type: 'string', default: '1,5' },
    keep: { type: 'boolean', default: false },
  },
});

/** Until V8 has optimized the code of both variants. */
const WARM_UP_ROUNDS = 10;

const TOKEN = 'bench-admin-token-0123456789';
const SERVER = join(import.meta.dirname, '..', 'server');
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Variant {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** The end of a complete stream has this text. */
  readonly end: string;
}

const VARIANTS: readonly Variant[] = [
  {
    name: 'native stream',
    path: '/api/v1/chats',
    end: '"status":"waiting"',
    body: { content: 'Count.' },
  },
  {
    name: 'through /v1/responses',
    path: '/v1/responses',
    end: '"type":"response.completed"',
    body: { input: 'Count.', stream: true },
  },
];

/** Reads one answer to its end and returns its size. */
function stream(url: string, { path, body, end }: Variant): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'text/event-stream',
  };
  const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    response.on('end', () => {
      if (text.includes(end)) resolve(text.length);
      else reject(new Error(`${path} ended early: ${text.slice(-500)}`));
    });
  });
  sent.on('error', reject);
  sent.end(JSON.stringify(body));
  return promise;
}

const processes = new ProcessGroup();
const postgres = await startExternalPostgres({ settings: { max_connections: '100' } });
try {
  const [providerPort, port] = [await freePort(), await freePort()];
  const [providerUrl, url] = [`http://127.0.0.1:${providerPort}`, `http://127.0.0.1:${port}`];
  processes.start(join(SERVER, 'provider.ts'), { args: [String(providerPort)] });
  await isUp(`${providerUrl}/stats`);
  const server = processes.start(join(SERVER, 'chatd.ts'), {
    env: {
      DATABASE_URL: await createDatabase(postgres.url, 'responses'),
      CHATD_BENCH_PORT: String(port),
      CHATD_BENCH_TOKEN: TOKEN,
      CHATD_BENCH_DATA: join(postgres.directory, 'responses'),
    },
  });
  await isUp(`${url}/healthz`);
  await configureProvider(url, TOKEN, { url: `${providerUrl}/v1`, model: 'scripted' });

  const count = Number(values.answers);
  const run = async (variant: Variant) => {
    const before = usageOf([pidOf(server)]).cpuSeconds;
    const sizes = await concurrently(
      Number(values.concurrency),
      Array.from({ length: count }, (_, index) => String(index)),
      () => stream(url, variant),
    );
    const seconds = usageOf([pidOf(server)]).cpuSeconds - before;
    return { cpuMs: (seconds * 1000) / count, bytes: median(sizes) };
  };
  const rows: ResponsesData['rows'][number][] = [];
  for (const steps of values.steps.split(',')) {
    await fetch(`${providerUrl}/steps`, { method: 'PUT', body: steps });
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
      for (const variant of VARIANTS) await run(variant);
    }
    const taken = VARIANTS.map((variant) => ({
      variant,
      rounds: [] as { cpuMs: number; bytes: number }[],
    }));
    for (let round = 0; round < Number(values.rounds); round += 1) {
      process.stderr.write(`${steps} steps, round ${round + 1} of ${values.rounds} …\n`);
      for (const { variant, rounds } of taken) rounds.push(await run(variant));
    }
    for (const { variant, rounds } of taken) {
      rows.push({
        steps: Number(steps),
        variant: variant.name,
        cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)),
        bytes: median(rounds.map(({ bytes }) => bytes)),
      });
    }
  }
  const data = { rounds: Number(values.rounds), answers: count, rows };
  await conclude(responsesReport, { data }, values);
} finally {
  agent.destroy();
  await processes.close();
  await postgres.stop();
}
process.exit();
