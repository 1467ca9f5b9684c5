import type { Deployment } from '../deployment/deployment.ts';
import type { PlannedStep } from '../deployment/plan.ts';
import { Conversation } from './conversation.ts';
import type { Viewer, ViewerOptions } from './viewer.ts';

export interface LoadOptions {
  readonly conversations: number;
  /** Default: text, in some turns with tool calls. */
  readonly turns?: readonly (readonly PlannedStep[])[];
  readonly watch?: Omit<ViewerOptions, 'api' | 'chatId'>;
  /**
   * Turns after which a conversation continues in a new chat, because requests to the model contain the whole history.
   * Default: 20.
   */
  readonly turnsPerChat?: number;
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

const TURNS_PER_CHAT = 20;

/** Conversations that send the next message after each answer, until stopped. */
export class Load {
  /** Also the ended ones, whose viewers are closed. */
  readonly conversations: Conversation[] = [];
  readonly failures: string[] = [];
  readonly #begin: (steps: readonly PlannedStep[]) => Promise<Conversation>;
  readonly #turns: readonly (readonly PlannedStep[])[];
  readonly #turnsPerChat: number;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  static async start(deployment: Deployment, options: LoadOptions): Promise<Load> {
    const load = new Load(deployment, options);
    for (let index = 0; index < options.conversations; index += 1) {
      const conversation = await load.#begin(load.#turn(index));
      load.#running.push(load.#run(conversation, index));
    }
    return load;
  }

  private constructor({ api }: Deployment, options: LoadOptions) {
    const { conversations, turns = turnsFor(conversations), watch = {} } = options;
    this.#turns = turns;
    this.#turnsPerChat = options.turnsPerChat ?? TURNS_PER_CHAT;
    this.#begin = async (steps) => {
      const conversation = await Conversation.begin(api, steps, watch);
      this.conversations.push(conversation);
      return conversation;
    };
  }

  get viewers(): Viewer[] {
    return this.conversations.map(({ viewer }) => viewer);
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
    await Promise.all(this.viewers.map((viewer) => viewer.close()));
  }

  async #run(first: Conversation, index: number): Promise<void> {
    const { signal } = this.#stop;
    let conversation = first;
    try {
      for (let turn = index + 1; await conversation.answered(signal); turn += 1) {
        if (signal.aborted) return;
        if (conversation.acknowledged.length < this.#turnsPerChat) {
          await conversation.send(this.#turn(turn));
          continue;
        }
        await conversation.viewer.close();
        conversation = await this.#begin(this.#turn(turn));
      }
    } catch (error) {
      this.failures.push(String(error));
    }
  }

  #turn(index: number): readonly PlannedStep[] {
    return this.#turns[index % this.#turns.length] ?? [];
  }
}
