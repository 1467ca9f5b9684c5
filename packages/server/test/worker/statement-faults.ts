import { tool } from '@chatd/loop';
import { answer, startFakeProvider, text as says, toolCall } from '@chatd/testing';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts';
import { eventually } from '@chatd/test-server/eventually';
import { TestStore, text } from '@chatd/test-server/database';
import { modelsAt, newBus, startReplica } from './replica.ts';

/** The n-th use of a statement in a run. */
interface Target {
  readonly name: string;
  readonly occurrence: number;
}

const STORY = [
  'user: Count',
  'assistant: call(toolu_1)',
  'tool: result(toolu_1)',
  'assistant: One.',
  'user: Thanks',
  'assistant: Welcome.',
];
const MODEL_CALLS = 3;
/** A timer repeats some statements, so the number of their uses varies. Only the first ones are made to fail. */
const PERIODIC_USES = 2;

const store = await TestStore.open();
const provider = await startFakeProvider({ api: 'anthropic' });
const proxy = await startFaultProxy(store.url);
afterAll(() => proxy.close());

/** Runs two turns, the first one with a tool call, while one statement fails, and checks the outcome. */
async function runTurns(
  where: string,
  judge: (target: Target, position: number) => Fault | undefined = () => undefined,
): Promise<Target[]> {
  const uses = new Map<string, number>();
  const targets: Target[] = [];
  let effects = 0;
  const count = tool({
    name: 'count',
    description: 'Counts',
    input: z.object({}),
    idempotent: false,
    run: () => (effects += 1),
  });
  const asked = provider.requests.length;
  provider.answer(
    answer([toolCall('count', {}, { id: 'toolu_1' })]),
    answer([says('One.')]),
    answer([says('Welcome.')]),
  );
  const replica = await startReplica({
    url: proxy.url,
    bus: newBus(),
    models: modelsAt(provider.url),
    tools: [count],
  });
  proxy.watch(({ name, position }) => {
    const occurrence = (uses.get(name) ?? 0) + 1;
    uses.set(name, occurrence);
    const target = { name, occurrence };
    targets.push(target);
    return judge(target, position);
  });
  try {
    const id = await createWithQueue();
    await eventually(async () => expect((await store.read(id)).status, where).toBe('waiting'));
    expect(await store.story(id), where).toEqual(STORY);
    expect(effects, `${where}: the tool ran once`).toBe(1);
    expect(provider.requests.length - asked, `${where}: model calls`).toBe(MODEL_CALLS);
    const chat = await store.read(id);
    expect(chat, where).toMatchObject({ queue_length: 0, open_calls: [], last_error: null });
  } finally {
    await replica.stop();
    proxy.watch();
  }
  return targets;
}

/** A running chat with a queued message. The worker finds it without a notification. */
async function createWithQueue(): Promise<string> {
  return await store.database.transaction(async (tx) => {
    const { id } = await store.create({ content: text('Count') }, tx);
    await store.client.send(id, store.message('Thanks'), tx);
    return id;
  });
}

/** Makes each statement of two turns fail in one way, one at a time: every use, or only the first `uses`. */
export async function failEachStatement(fault: Fault, uses = Infinity): Promise<void> {
  const targets = await runTurns('without a fault');
  expect(targets.length).toBeGreaterThan(10);
  for (const target of targets) {
    const { name, occurrence } = target;
    if (occurrence > uses) continue;
    if (occurrence > PERIODIC_USES && /heartbeat|runnable|expired|sweep/.test(name)) continue;
    await runTurns(`${fault} at ${name} (${occurrence})`, (one) =>
      one.name === name && one.occurrence === occurrence ? fault : undefined,
    );
  }
}

/** Makes `many` consecutive statements fail, from each of a few positions on. */
export async function failManyStatements(fault: Fault, many: number): Promise<void> {
  for (const from of [0, 4, 8]) {
    await runTurns(`${fault} from statement ${from} on`, (_, position) =>
      position >= from && position < from + many ? fault : undefined,
    );
  }
}
