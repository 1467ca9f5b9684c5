import type { Deployment } from '../deployment/deployment.ts';
import type { PlannedStep } from '../deployment/plan.ts';
import { Conversation } from './conversation.ts';
import type { ViewerOptions } from './viewer.ts';

export interface LoadOptions {
  readonly conversations: number;
  readonly turns?: readonly (readonly PlannedStep[])[];
  readonly watch?: Omit<ViewerOptions, 'api' | 'chatId'>;
}

/** Mostly talk, some of it with a tool in between. */
const TURNS: readonly (readonly PlannedStep[])[] = [
  [{ say: 12, pace: 25 }],
  [
    { say: 4, pace: 25, call: { tool: 'count', ms: 50 } },
    { say: 8, pace: 25 },
  ],
  [{ say: 12, pace: 25 }],
  [
    { say: 2, call: { tool: 'count', ms: 20 } },
    { say: 2, call: { tool: 'count', ms: 20 } },
    { say: 6, pace: 25 },
  ],
];

/** Users who talk to the deployment, each waiting for its answer before the next message, until they are stopped. */
export class Load {
  readonly conversations: Conversation[] = [];
  readonly failures: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  static async start(deployment: Deployment, options: LoadOptions): Promise<Load> {
    const load = new Load();
    const { turns = TURNS, watch = {} } = options;
    for (let index = 0; index < options.conversations; index += 1) {
      const first = turns[index % turns.length] ?? [];
      const conversation = await Conversation.begin(deployment.api, first, watch);
      load.conversations.push(conversation);
      load.#running.push(load.#talk(conversation, turns, index));
    }
    return load;
  }

  /** Turns that were answered so far. */
  get answered(): number {
    return this.conversations.reduce(
      (sum, one) => sum + one.acknowledged.length - (one.isAnswered() ? 0 : 1),
      0,
    );
  }

  /** Nobody says anything more; what was said is still answered. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all(this.conversations.map(({ viewer }) => viewer.close()));
  }

  async #talk(
    conversation: Conversation,
    turns: readonly (readonly PlannedStep[])[],
    index: number,
  ): Promise<void> {
    const { signal } = this.#stop;
    try {
      for (let turn = index + 1; await conversation.answered(signal); turn += 1) {
        if (signal.aborted) return;
        await conversation.say(turns[turn % turns.length] ?? []);
      }
    } catch (error) {
      this.failures.push(String(error));
    }
  }
}
