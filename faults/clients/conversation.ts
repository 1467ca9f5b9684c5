import { randomUUID } from 'node:crypto';
import type { BusyBehavior, Chat } from '@chatd/protocol';
import { effectKey, type Plan, planIn, type PlannedStep, planText } from '../deployment/plan.ts';
import { type Api, RequestRefused } from './api.ts';
import { textOf, type View } from './view.ts';
import { Viewer, type ViewerOptions } from './viewer.ts';

/**
 * What must have become of a message: it was answered in full, or it was cut short by an interrupt or by a message that
 * steered, or it is gone since it, or one before it, was edited. Of one that is untold nobody knows whether it was taken.
 */
export type Fate = 'answered' | 'cut' | 'gone' | 'untold';

/** A message that the deployment said it has. */
export interface Acknowledged extends Plan {
  readonly chatId: string;
  readonly at: number;
  /** It had to wait for its turn. */
  readonly queued?: boolean;
  /** Answered unless told. */
  fate?: Fate;
  /** Results of its calls that the deployment said it has. */
  submitted?: readonly { readonly tool_call_id: string; readonly output: unknown }[];
}

/** A user in front of one chat: says something, and watches. */
export class Conversation {
  readonly viewer: Viewer;
  readonly acknowledged: Acknowledged[] = [];
  /** An edit went unanswered and was repeated: the first may yet take along whatever is said from now on. */
  isDoubtful = false;
  readonly #api: Api;

  static async begin(
    api: Api,
    steps: readonly PlannedStep[],
    watch: Omit<ViewerOptions, 'api' | 'chatId'> = {},
    properties: Readonly<Record<string, unknown>> = {},
  ): Promise<Conversation> {
    const plan = newPlan(steps);
    // With a title of its own, nobody asks the model for one.
    const about = { content: planText(plan), title: 'Faults', ...properties };
    const chat = await api.post<Chat>('/chats', about);
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

  async say(
    steps: readonly PlannedStep[],
    busy_behavior: BusyBehavior = 'queue',
  ): Promise<Acknowledged> {
    const plan = newPlan(steps);
    const body = { content: planText(plan), busy_behavior };
    const path = `/chats/${this.chatId}/messages`;
    try {
      const { queued } = await this.#api.post<{ queued: boolean }>(path, body);
      return this.#acknowledge(plan, { queued });
    } catch (error) {
      if (!(error instanceof RequestRefused)) this.#acknowledge(plan).fate = 'untold';
      throw error;
    }
  }

  /** Says something else in the place of an earlier message: that, and all after it, is gone. */
  async edit(earlier: Acknowledged, steps: readonly PlannedStep[]): Promise<Acknowledged> {
    const plan = newPlan(steps);
    const message = this.view.messages.find(
      (one) => one.role === 'user' && planIn(textOf(one))?.id === earlier.id,
    );
    if (message === undefined) throw new Error(`message ${earlier.id} is not on the screen`);
    const path = `/chats/${this.chatId}/messages/${message.id}`;
    const { repeated } = await this.#api.patch(path, { content: planText(plan) });
    this.isDoubtful ||= repeated;
    for (const gone of this.acknowledged.slice(this.acknowledged.indexOf(earlier))) {
      gone.fate = 'gone';
    }
    return this.#acknowledge(plan);
  }

  /** Stops the turn; false when it had ended by itself. */
  async interrupt(): Promise<boolean> {
    try {
      await this.#api.post(`/chats/${this.chatId}/interrupt`, undefined);
      return true;
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 409) return false;
      throw error;
    }
  }

  /** Answers all calls that the chat waits for, as their client. */
  async answerCalls(): Promise<void> {
    const { last, view } = this;
    const submitted = view.awaited.map(({ tool_call_id }) => ({
      tool_call_id,
      output: { answered: tool_call_id },
    }));
    await this.#api.post(`/chats/${this.chatId}/tool-results`, { results: submitted });
    last.submitted = submitted;
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

  #acknowledge(plan: Plan, more: { queued?: boolean } = {}): Acknowledged {
    const acknowledged: Acknowledged = { ...plan, ...more, chatId: this.chatId, at: Date.now() };
    this.acknowledged.push(acknowledged);
    return acknowledged;
  }
}

const isResting = ({ status }: View) => status === 'waiting' || status === 'error';

export const newPlan = (steps: readonly PlannedStep[]): Plan => ({
  id: `m-${randomUUID()}`,
  steps,
});
