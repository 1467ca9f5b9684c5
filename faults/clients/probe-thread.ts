import { parentPort, workerData } from 'node:worker_threads';
import { Api } from './api.ts';
import { type Latencies, probe } from './probe.ts';

export interface ProbeThreadData {
  readonly urls: string[];
  /** One token per member. */
  readonly tokens: readonly string[];
  readonly forMs: number;
}

/* A separate thread, so that other clients of the process do not affect the latencies. */
const { urls, tokens, forMs } = workerData as ProbeThreadData;
const all = await Promise.all(
  tokens.map((token) => probe(new Api(() => urls, token), AbortSignal.timeout(forMs))),
);
const latencies: Latencies = {
  send: all.flatMap(({ send }) => send),
  open: all.flatMap(({ open }) => open),
  firstToken: all.flatMap(({ firstToken }) => firstToken),
  failures: all.flatMap(({ failures }) => failures),
};
parentPort?.postMessage(latencies);
