import { answer, startFakeProvider, toolCall } from '@chatd/testing';
import { tool } from '@chatd/loop';
import { afterAll, afterEach, expect } from 'vitest';
import { z } from 'zod';
import type { Observer } from '../../src/observability/observer.ts';
import { instrumentsFor } from '../../src/observability/instruments.ts';
import { fixedToolbox } from '../../src/tools/toolbox.ts';
import type { WorkerOptions } from '../../src/worker/worker.ts';
import { createTestDatabase, execute, TestStore, text } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { log, modelsAt, newBus, type Replica, startReplica } from '../worker/replica.ts';

export const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  idempotent: true,
  run({ a, b }) {
    if (a < 0) throw new RangeError(`${a} is negative`);
    return a + b;
  },
});

export const callsAdd = (a = 1, b = 2) => answer([toolCall('add', { a, b }, { id: 'toolu_1' })]);

/** A database, a fake provider, and workers whose turns are observed. */
export async function openWorld() {
  const { url } = await createTestDatabase();
  const store = await TestStore.open(url);
  const provider = await startFakeProvider({ api: 'anthropic' });
  afterAll(() => provider.close());
  const replicas: Replica[] = [];
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.stop();
    await execute(url, `TRUNCATE chats, debug_entries CASCADE; UPDATE settings SET value = '{}'`);
  });
  const bus = newBus();
  return {
    url,
    store,
    provider,
    async start(observers: readonly Observer[], options: Partial<WorkerOptions> = {}) {
      const instruments = instrumentsFor(observers, log);
      const models = modelsAt(provider.url);
      const toolboxes = [fixedToolbox([add])];
      const replica = await startReplica({
        url,
        bus,
        models,
        toolboxes,
        instruments,
        ...options,
      });
      replicas.push(replica);
      return replica;
    },
    /** Creates a chat and waits until it has the status. */
    async run(content: string, status = 'waiting', over = {}): Promise<string> {
      const { id, owner_id } = await store.create({ content: text(content), ...over });
      const change = { id, owner_id, status: 'running', snapshot_version: 1 };
      bus.publish('changes', { command: 'create', ...change });
      await eventually(async () => expect((await store.read(id)).status).toBe(status));
      return id;
    },
  };
}
