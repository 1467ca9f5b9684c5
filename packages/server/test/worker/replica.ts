import { randomUUID } from 'node:crypto';
import { createAnthropic } from '@ai-sdk/anthropic';
import type { Episode, LocalTool } from '@chatd/loop';
import type { Part } from '@chatd/protocol';
import { pino } from 'pino';
import type { Bus } from '../../src/bus/bus.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import type { ChatModel, Models } from '../../src/providers/models.ts';
import { hintOf } from '../../src/store/change.ts';
import { RecentSettings } from '../../src/store/recent-settings.ts';
import { Store } from '../../src/store/store.ts';
import { NO_INSTRUMENTS } from '../../src/worker/instruments.ts';
import { fixedToolbox } from '../../src/tools/toolbox.ts';
import { Worker, type WorkerOptions } from '../../src/worker/worker.ts';
import { DEMO_MODEL } from '@chatd/test-server/database';

export const log = pino({ level: 'silent' });
export const newBus = (): Bus => new MemoryBus(log);

/** Collects the live parts of runners. Streams have their own tests. */
export class ShownParts {
  readonly parts: { chatId: string; episode: Episode; part: Part }[] = [];
  readonly #episodes = new Map<string, Episode>();

  begin(chatId: string, episode: Episode): void {
    this.#episodes.set(chatId, episode);
  }

  push(chatId: string, _role: string, part: Part): void {
    const episode = this.#episodes.get(chatId);
    if (episode === undefined) throw new Error('a part outside of an episode');
    this.parts.push({ chatId, episode, part });
  }

  end(chatId: string): void {
    this.#episodes.delete(chatId);
  }
}

/** Every config uses the same fake provider. */
export function modelsAt(url: string, settings: Partial<ChatModel['settings']> = {}): Models {
  const anthropic = createAnthropic({ baseURL: url, apiKey: 'any' });
  const forChat = (configId: string): Promise<ChatModel> =>
    Promise.resolve({
      configId,
      model: anthropic(configId === DEMO_MODEL ? 'claude-sonnet-4-5' : 'claude-opus-4-1'),
      settings: { context_limit: 200_000, max_output_tokens: 1000, ...settings },
    });
  return { forChat, forTitle: forChat };
}

export interface Replica {
  readonly store: Store;
  readonly worker: Worker;
  readonly workerId: string;
  readonly shown: ShownParts;
  stop(): Promise<void>;
}

/** A replica has its own store and worker on a shared database and bus, like a separate process. */
export type ReplicaOptions = Partial<WorkerOptions> & { tools?: readonly LocalTool[] };

export async function startReplica(
  options: ReplicaOptions & { url: string; bus: Bus; models: Models },
): Promise<Replica> {
  const { url, bus, tools = [] } = options;
  const workerId = randomUUID();
  const store: Store = new Store({
    url,
    reserveRun: (ownerId) => worker.reserve(ownerId),
    publish(change) {
      if (change.entered !== undefined) worker.appended(change.id, change.entered);
      bus.publish('changes', { ...hintOf(change) });
    },
  });
  const shown = new ShownParts();
  const settings = new RecentSettings(store.database, 0);
  const worker = new Worker({
    store,
    sink: shown,
    workerId,
    log,
    toolboxes: [fixedToolbox(tools)],
    limits: {},
    instruments: NO_INSTRUMENTS,
    settings: settings.read,
    recentSettings: settings.recent,
    beforeCall: () => Promise.resolve(),
    onFinished: () => undefined,
    // Long, so that a busy machine keeps its lease. Tests of expired leases override it.
    leaseMs: 30_000,
    sweepMs: 200,
    ...options,
  });
  await worker.start();
  let stopped: Promise<void> | undefined;
  return {
    store,
    worker,
    workerId,
    shown,
    stop: () => (stopped ??= worker.close().then(() => store.close())),
  };
}
