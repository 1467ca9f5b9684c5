import { randomUUID } from 'node:crypto';
import type { Chat } from '@chatd/protocol';
import { effectKey, type Plan, type PlannedStep, planText } from '../deployment/plan.ts';
import type { Api } from './api.ts';
import { textOf, type View } from './view.ts';
import { Viewer, type ViewerOptions } from './viewer.ts';

/** A message that the deployment said it has. */
export interface Acknowledged extends Plan {
  readonly chatId: string;
  readonly at: number;
}

/** A user in front of one chat: says something, and watches. */
export class Conversation {
  readonly viewer: Viewer;
  readonly acknowledged: Acknowledged[] = [];
  readonly #api: Api;

  static async begin(
    api: Api,
    steps: readonly PlannedStep[],
    watch: Omit<ViewerOptions, 'api' | 'chatId'> = {},
  ): Promise<Conversation> {
    const plan = newPlan(steps);
    // With a title of its own, nobody asks the model for one.
    const chat = await api.post<Chat>('/chats', { content: planText(plan), title: 'Faults' });
    const conversation = new Conversation(api, chat.id, watch);
    conversation.#acknowledge(plan);
    return conversation;
  }

  private constructor(api: Api, chatId: string, watch: Omit<ViewerOptions, 'api' | 'chatId'>) {
    this.#api = api;
    this.viewer = new Viewer({ api, chatId, ...watch });
  }

  get chatId(): string {
    return this.viewer.chatId;
  }

  get view(): View {
    return this.viewer.view;
  }

  /** The last message that was acknowledged. */
  get last(): Acknowledged {
    const last = this.acknowledged.at(-1);
    if (last === undefined) throw new Error('nothing was said yet');
    return last;
  }

  async say(steps: readonly PlannedStep[]): Promise<Acknowledged> {
    const plan = newPlan(steps);
    await this.#api.post(`/chats/${this.chatId}/messages`, { content: planText(plan) });
    return this.#acknowledge(plan);
  }

  /** Whether the answer to the last message came, and the chat rests. */
  isAnswered(view: View = this.view): boolean {
    const { id, steps } = this.last;
    const { lastMessage, status } = view;
    return (
      status === 'waiting' &&
      lastMessage?.role === 'assistant' &&
      textOf(lastMessage).startsWith(`re:${effectKey(id, steps.length - 1)}`)
    );
  }

  async answered(signal: AbortSignal): Promise<boolean> {
    return await this.viewer.until((view) => this.isAnswered(view), signal);
  }

  /** Whether the chat has come to rest, however. */
  async rests(signal: AbortSignal): Promise<boolean> {
    return await this.viewer.until(isResting, signal);
  }

  #acknowledge(plan: Plan): Acknowledged {
    const acknowledged = { ...plan, chatId: this.chatId, at: Date.now() };
    this.acknowledged.push(acknowledged);
    return acknowledged;
  }
}

const isResting = ({ status }: View) => status === 'waiting' || status === 'error';

const newPlan = (steps: readonly PlannedStep[]): Plan => ({ id: `m-${randomUUID()}`, steps });
