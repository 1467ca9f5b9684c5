import { parentPort, workerData } from 'node:worker_threads';
import { Api } from './api.ts';
import { type Latencies, probe } from './probe.ts';

export interface ProbeOrder {
  readonly urls: string[];
  /** One token per member. */
  readonly tokens: readonly string[];
  readonly forMs: number;
}

/* Ordinary members in a thread of their own: what other clients of the process do is not part of their latencies. */
const { urls, tokens, forMs } = workerData as ProbeOrder;
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
