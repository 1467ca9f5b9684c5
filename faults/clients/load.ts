import type { Deployment } from '../deployment/deployment.ts';
import type { PlannedStep } from '../deployment/plan.ts';
import { Conversation } from './conversation.ts';
import type { ViewerOptions } from './viewer.ts';

export interface LoadOptions {
  readonly conversations: number;
  /** Default: text, in some turns with tool calls. */
  readonly turns?: readonly (readonly PlannedStep[])[];
  readonly watch?: Omit<ViewerOptions, 'api' | 'chatId'>;
}

/** Text, in some turns with tool calls. */
const TURNS: readonly (readonly PlannedStep[])[] = [
  [{ chunks: 12, paceMs: 25 }],
  [
    { chunks: 4, paceMs: 25, call: { tool: 'count', ms: 50 } },
    { chunks: 8, paceMs: 25 },
  ],
  [{ chunks: 12, paceMs: 25 }],
  [
    { chunks: 2, call: { tool: 'count', ms: 20 } },
    { chunks: 2, call: { tool: 'count', ms: 20 } },
    { chunks: 6, paceMs: 25 },
  ],
];

/** With more conversations, responses are slower, so that the load stays about the same. */
const FULL_PACE_CONVERSATIONS = 8;

const turnsFor = (conversations: number): readonly (readonly PlannedStep[])[] => {
  const factor = Math.max(1, conversations / FULL_PACE_CONVERSATIONS);
  return TURNS.map((steps) =>
    steps.map((step) =>
      step.paceMs === undefined ? step : { ...step, paceMs: Math.round(step.paceMs * factor) },
    ),
  );
};

/** Conversations that send the next message after each answer, until stopped. */
export class Load {
  readonly conversations: Conversation[] = [];
  readonly failures: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  static async start(deployment: Deployment, options: LoadOptions): Promise<Load> {
    const load = new Load();
    const { conversations, turns = turnsFor(conversations), watch = {} } = options;
    for (let index = 0; index < conversations; index += 1) {
      const first = turns[index % turns.length] ?? [];
      const conversation = await Conversation.begin(deployment.api, first, watch);
      load.conversations.push(conversation);
      load.#running.push(load.#run(conversation, turns, index));
    }
    return load;
  }

  /** Number of answered turns. */
  get answered(): number {
    return this.conversations.reduce(
      (sum, one) => sum + one.acknowledged.length - (one.isAnswered() ? 0 : 1),
      0,
    );
  }

  /** Sends no more messages. Sent messages are still answered. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all(this.conversations.map(({ viewer }) => viewer.close()));
  }

  async #run(
    conversation: Conversation,
    turns: readonly (readonly PlannedStep[])[],
    index: number,
  ): Promise<void> {
    const { signal } = this.#stop;
    try {
      for (let turn = index + 1; await conversation.answered(signal); turn += 1) {
        if (signal.aborted) return;
        await conversation.send(turns[turn % turns.length] ?? []);
      }
    } catch (error) {
      this.failures.push(String(error));
    }
  }
}
