/* One measurement: many conversations with one running program, and their cost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { quantile } from '../report/statistics.ts';
import type { Measurement } from '../report/server-data.ts';
import {
  concurrently,
  converse,
  MESSAGE_SIZE,
  newChats,
  type ProviderStats,
} from './conversations.ts';
import { foreignShare, machineBusySeconds, usageOf } from './usage.ts';

/** Turns in a chat with earlier messages, so that it does not grow by much. */
const MAX_TURNS = 10;
const MAX_CONVERSATIONS = 4000;
const MIN_CONVERSATIONS = 6;
const WARM_UP = { concurrency: 8, seconds: 4, conversations: 60 };
/**
 * Waits before a measurement while other programs use more than this share of the machine, or the program itself more
 * than this share of a core for background work.
 */
const QUIET_SHARE = 0.08;
const MAX_WAIT_MS = { others: 6000, own: 30_000 };
const QUIET_SAMPLE_MS = 500;

/** A running program. The CPU time of all its processes and of their child processes counts. */
export interface Subject {
  readonly url: string;
  readonly pids: readonly number[];
  /** The memory of these does not count. */
  readonly clientPids: readonly number[];
  /** Of a program that does not store its data in PostgreSQL. */
  readonly storePids: readonly number[];
}

export interface Environment {
  readonly database: Client;
  readonly postgresPid: number;
  readonly providerUrl: string;
}

export interface Case {
  /** Model calls per conversation. */
  readonly steps: number;
  /** Earlier messages in each chat. */
  readonly history: number;
  /** Concurrent conversations. */
  readonly concurrency: number;
}

/** Runs conversations for the time and the number of `WARM_UP`, so that V8 optimizes the code of the program. */
export async function warmUp(url: string): Promise<void> {
  const end = performance.now() + WARM_UP.seconds * 1000;
  for (let done = 0; performance.now() < end || done < WARM_UP.conversations;) {
    const chats = await newChats(url, WARM_UP.concurrency * 2, 0);
    await concurrently(WARM_UP.concurrency, chats, (chat) => converse(url, chat));
    done += chats.length;
  }
}

export async function setSteps({ providerUrl }: Environment, steps: number): Promise<void> {
  await fetch(`${providerUrl}/steps`, { method: 'PUT', body: String(steps) });
}

export async function measure(
  subject: Subject,
  environment: Environment,
  { steps, history, concurrency }: Case,
  seconds: number,
): Promise<Measurement> {
  const { url } = subject;
  await setSteps(environment, steps);
  const conversations = await chooseConversations(url, { history, concurrency }, seconds);
  // A chat with earlier messages has several turns.
  const turns = history > 0 ? Math.ceil(conversations / concurrency) : 1;
  const chats = await newChats(url, history > 0 ? concurrency : conversations, history);
  await waitForQuiet(subject, environment);
  const total = chats.length * turns * steps;
  const usesPostgres = subject.storePids.length === 0;
  const perThousand = (cpu: number, of = total) => (cpu / of) * 1000;
  const cpuBetween = (start: Reading, end: Reading) => ({
    program: end.programCpu - start.programCpu,
    store: usesPostgres ? end.postgresCpu - start.postgresCpu : end.storeCpu - start.storeCpu,
  });
  let firstTurnCpu: number | null = null;
  if (history > 0) {
    const before = await read(subject, environment);
    await concurrently(concurrency, chats, (chat) => converse(url, chat));
    const { program, store } = cpuBetween(before, await read(subject, environment));
    firstTurnCpu = perThousand(program + store, chats.length * steps);
    await waitForQuiet(subject, environment);
  }
  const before = await read(subject, environment);
  const start = performance.now();
  const firstTexts = await concurrently(concurrency, chats, async (chat) => {
    const times: number[] = [];
    while (times.length < turns) times.push(await converse(url, chat));
    return times;
  });
  const wallSeconds = (performance.now() - start) / 1000;
  const after = await read(subject, environment);

  checkRequests(before.provider, after.provider, { total, history });
  const difference = (pick: (reading: Reading) => number) => pick(after) - pick(before);
  const { program, store } = cpuBetween(before, after);
  const { residentMb } = usageOf(subject.pids, [...subject.storePids, ...subject.clientPids]);
  return {
    steps,
    history,
    concurrency,
    stepsPerSecond: total / wallSeconds,
    peerCpu: perThousand(program),
    storeCpu: perThousand(store),
    totalCpu: perThousand(program + store),
    firstTurnCpu,
    firstTextP50: quantile(firstTexts.flat(), 0.5),
    firstTextP99: quantile(firstTexts.flat(), 0.99),
    residentMb,
    walPerStep: usesPostgres ? difference(({ wal }) => wal) / total : null,
    commitsPerStep: usesPostgres ? difference(({ commits }) => commits) / total : null,
    foreignShare: shareOfOthers(before, after),
  };
}

/** A short unmeasured run with the same history, which also warms up the case. */
async function chooseConversations(
  url: string,
  { history, concurrency }: Omit<Case, 'steps'>,
  seconds: number,
): Promise<number> {
  const chats = await newChats(url, Math.max(concurrency, history > 0 ? 2 : 4), history);
  const start = performance.now();
  await concurrently(concurrency, chats, (chat) => converse(url, chat));
  const perSecond = chats.length / ((performance.now() - start) / 1000);
  const most = history > 0 ? MAX_TURNS * concurrency : MAX_CONVERSATIONS;
  const fitting = Math.min(Math.round(perSecond * seconds), most);
  return Math.max(fitting, concurrency, MIN_CONVERSATIONS);
}

type Reading = Awaited<ReturnType<typeof read>>;

async function read(subject: Subject, { database, postgresPid, providerUrl }: Environment) {
  // Unlike the statistics views, both are exact and current. Only transactions that write get a number.
  const { rows } = await database.query<{ wal: number; commits: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal,
            pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS commits`,
  );
  const provider = (await (await fetch(`${providerUrl}/stats`)).json()) as ProviderStats;
  const own = process.cpuUsage();
  return {
    wal: rows[0]?.wal ?? Number.NaN,
    commits: rows[0]?.commits ?? Number.NaN,
    provider,
    programCpu: usageOf([...subject.pids, ...subject.clientPids], subject.storePids).cpuSeconds,
    storeCpu: usageOf(subject.storePids).cpuSeconds,
    postgresCpu: usageOf([postgresPid]).cpuSeconds,
    ownCpu: (own.user + own.system) / 1e6,
    busySeconds: machineBusySeconds(),
    atSeconds: performance.now() / 1000,
  };
}

function shareOfOthers(before: Reading, after: Reading): number {
  const known = ({ programCpu, storeCpu, postgresCpu, ownCpu, provider }: Reading) =>
    programCpu + storeCpu + postgresCpu + ownCpu + provider.cpuSeconds;
  return foreignShare(
    after.busySeconds - before.busySeconds,
    known(after) - known(before),
    after.atSeconds - before.atSeconds,
  );
}

async function waitForQuiet(subject: Subject, environment: Environment): Promise<void> {
  const start = performance.now();
  for (;;) {
    const before = await read(subject, environment);
    await sleep(QUIET_SAMPLE_MS);
    const after = await read(subject, environment);
    const cpu = ({ programCpu, postgresCpu }: Reading) => programCpu + postgresCpu;
    const own = (cpu(after) - cpu(before)) / (after.atSeconds - before.atSeconds);
    const waited = performance.now() - start;
    const isQuiet = shareOfOthers(before, after) < QUIET_SHARE || waited > MAX_WAIT_MS.others;
    if (isQuiet && (own < QUIET_SHARE || waited > MAX_WAIT_MS.own)) return;
  }
}

/** A program that skips model calls or earlier messages must not count as fast. */
function checkRequests(
  before: ProviderStats,
  after: ProviderStats,
  { total, history }: { readonly total: number; readonly history: number },
): void {
  const requests = after.requests - before.requests;
  if (requests !== total)
    throw new Error(`the provider received ${requests} requests, not ${total}`);
  const size = (after.bytes - before.bytes) / requests;
  if (size < history * MESSAGE_SIZE) {
    throw new Error(`requests of ${Math.round(size)} bytes do not contain ${history} messages`);
  }
}
