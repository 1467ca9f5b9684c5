import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PlainApi } from '../observe.ts';
import { createMember, type Told, uploadFile } from './story.ts';

/*
 * The first version with chats had no worker yet, so this code commits the model's messages with the runner commands of
 * that version. The types describe only the parameters; the old version's own code runs.
 */
interface EarlyRunner {
  acquire(worker: string, limit: number, leaseMs: number): Promise<EarlyChat[]>;
  release(chat: string, runner: string): Promise<boolean>;
  heartbeat(worker: string): Promise<unknown>;
  beginAttempt(chat: string, fence: Fence, attempt: number): Promise<unknown>;
  commitStep(chat: string, fence: Fence, step: object): Promise<{ history_version: number }>;
  finishTurn(chat: string, fence: Fence): Promise<unknown>;
  requireAction(chat: string, fence: Fence, awaited: object, timeoutMs: number): Promise<unknown>;
  fail(chat: string, fence: Fence, error: object): Promise<unknown>;
}

interface EarlyChat {
  readonly id: string;
  readonly runner_id: string;
  readonly history_version: number;
}

interface Fence {
  readonly runner_id: string;
  readonly history_version: number;
}

interface EarlyStore {
  readonly runner: EarlyRunner;
  close(): Promise<void>;
}

const LEASE_MS = 30_000;
const DEMO = '00000000-0000-7000-8000-000000000002';
const USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  reasoning_tokens: 3,
  cache_read_tokens: 7,
  cache_creation_tokens: 0,
  total_tokens: 120,
  context_limit: 200_000,
};

const words = (text: string) => [{ type: 'text', text }];
const says = (text: string) => ({
  role: 'assistant',
  content: words(text),
  model_config_id: DEMO,
  usage: USAGE,
  cost_micros: 42,
  runtime_ms: 17,
  meta: { finish: 'stop' },
});
const calls = (id: string, name: string) => ({
  ...says('I look.'),
  content: [
    ...words('I look.'),
    { type: 'tool-call', tool_call_id: id, tool_name: name, args: { word: 'zebra' } },
  ],
});
const result = (id: string, name: string) => ({
  role: 'tool',
  content: [{ type: 'tool-result', tool_call_id: id, tool_name: name, result: { found: 1 } }],
});

export async function tellEarlyStory(
  admin: PlainApi,
  version: { readonly directory: string; readonly databaseUrl: string },
): Promise<Told> {
  const path = join(version.directory, 'packages/server/src/store/store.ts');
  const { Store } = (await import(path)) as {
    Store: new (options: { url: string }) => EarlyStore;
  };
  const store = new Store({ url: version.databaseUrl });
  try {
    return await tell(admin, store.runner);
  } finally {
    await store.close();
  }
}

async function tell(admin: PlainApi, runner: EarlyRunner): Promise<Told> {
  await admin.call('PATCH', '/settings', { system_prompt: 'You are a test.' });
  const member = await createMember(admin);
  const files = [await uploadFile(member)];
  const chats: Record<string, string> = {};
  const begin = async (name: string, content: unknown, more: object = {}) => {
    const body = { content, title: `The chat ${name}`, ...more };
    const { id } = await member.post<{ id: string }>('/chats', body);
    chats[name] = id;
    return id;
  };
  const say = (id: string, content: string, more: object = {}) =>
    member.post(`/chats/${id}/messages`, { content, ...more });
  const worker = new EarlyWorker(runner);

  const answered = await begin('answered', 'say the quick brown zebra', {
    labels: { kind: 'plain' },
    system_prompt: 'Be brief.',
  });
  await worker.turn(answered, [says('the quick brown zebra')]);
  await say(answered, 'say stripes');
  await worker.turn(answered, [says('stripes')]);
  await member.call('PATCH', `/chats/${answered}`, { pin_order: 1 });

  const tools = await begin('tools', 'say it with a tool');
  await worker.turn(tools, [calls('call-1', 'count'), result('call-1', 'count'), says('done')]);
  const withFile = await begin('file', [
    { type: 'file', file_id: files[0] },
    { type: 'text', text: 'say I have read it' },
  ]);
  await worker.turn(withFile, [says('I have read it')]);

  const edited = await begin('edited', 'say first wording');
  await worker.turn(edited, [says('first wording')]);
  const { messages } = await member.get<{ messages: { id: number }[] }>(
    `/chats/${edited}/messages`,
  );
  await member.call('PATCH', `/chats/${edited}/messages/${messages[0]?.id}`, {
    content: 'say second wording',
  });
  await worker.turn(edited, [says('second wording')]);

  const failed = await begin('failed', 'fail');
  await worker.fail(failed);
  const archived = await begin('archived', 'say put away');
  await worker.turn(archived, [says('put away')]);
  await member.call('PATCH', `/chats/${archived}`, { archived: true });
  const fork = { message_id: messages[0]?.id };
  chats['forked'] = (await member.post<{ id: string }>(`/chats/${edited}/fork`, fork)).id;

  const dynamic = await begin('dynamic', 'call look_up {"word":"zebra"}', {
    dynamic_tools: [
      {
        name: 'look_up',
        description: 'Looks a word up in the program of the client',
        input_schema: { type: 'object', properties: { word: { type: 'string' } } },
      },
    ],
  });
  await worker.ask(dynamic, calls('call-2', 'look_up'), 'call-2');

  // Nothing runs these: they wait for the first version with a worker.
  await begin('running', 'say at last');
  const queued = await begin('queued', 'say first');
  await say(queued, 'say I had to wait', { busy_behavior: 'queue' });
  const interrupting = await begin('interrupting', 'say too late');
  await worker.start(interrupting);
  await member.post(`/chats/${interrupting}/interrupt`);
  return { member, chats, files };
}

/** Stands in for a worker, one chat at a time. */
class EarlyWorker {
  readonly #runner: EarlyRunner;
  readonly #id = randomUUID();

  constructor(runner: EarlyRunner) {
    this.#runner = runner;
  }

  /** Commits the steps of a turn one by one, then finishes it. */
  async turn(chat: string, steps: readonly { role: string }[]): Promise<void> {
    const fence = await this.#steps(chat, await this.start(chat), steps);
    await this.#runner.finishTurn(chat, fence);
  }

  async ask(chat: string, call: { role: string }, callId: string): Promise<void> {
    const fence = await this.#steps(chat, await this.start(chat), [call]);
    await this.#runner.requireAction(chat, fence, { [callId]: 'dynamic' }, 300_000);
  }

  async fail(chat: string): Promise<void> {
    const fence = await this.start(chat);
    await this.#runner.fail(chat, fence, {
      message: 'The model refused.',
      kind: 'invalid_request',
      retryable: false,
    });
  }

  async start(chat: string): Promise<Fence> {
    let own: EarlyChat | undefined;
    for (const taken of await this.#runner.acquire(this.#id, 100, LEASE_MS)) {
      if (taken.id === chat) own = taken;
      else await this.#runner.release(taken.id, taken.runner_id);
    }
    await this.#runner.heartbeat(this.#id);
    if (own === undefined) throw new Error(`the chat ${chat} cannot be had`);
    return own;
  }

  async #steps(chat: string, from: Fence, steps: readonly { role: string }[]): Promise<Fence> {
    let fence = from;
    for (const message of steps) {
      const { role } = message;
      const attempt = role === 'assistant' ? 1 : 0;
      if (attempt > 0) await this.#runner.beginAttempt(chat, fence, attempt);
      const { history_version } = await this.#runner.commitStep(chat, fence, {
        messages: [message],
        attempt,
        ...(role === 'assistant' && {
          call: { model_config_id: DEMO, usage: USAGE, cost_micros: 42, runtime_ms: 17 },
        }),
      });
      fence = { runner_id: fence.runner_id, history_version };
    }
    return fence;
  }
}
