import { randomUUID } from 'node:crypto';
import type { BusyBehavior, Chat } from '@chatd/protocol';
import { effectKey, type Plan, planIn, type PlannedStep, planText } from '../deployment/plan.ts';
import { type Api, RequestRefused } from './api.ts';
import { textOf, type View } from './view.ts';
import { Viewer, type ViewerOptions } from './viewer.ts';

/**
 * What must have become of a message: it was answered in full, or it was cut short by an interrupt or by a message that
 * steered, or it is gone since it, or one before it, was edited or taken back, or it was refused. Of one that is untold
 * nobody knows whether it was taken.
 */
export type Fate = 'answered' | 'cut' | 'gone' | 'refused' | 'untold';

/** What a person said to a call that asked. */
export interface Decided {
  readonly tool_call_id: string;
  /** Of the call, among the effects. */
  readonly key: string;
  readonly decision: 'allow' | 'deny';
  /** When it was sent. */
  readonly at: number;
}

/** A message that the deployment said it has. */
export interface Acknowledged extends Plan {
  readonly chatId: string;
  readonly at: number;
  /** It had to wait for its turn. */
  readonly queued?: boolean;
  /** By this it is known while it waits. */
  readonly queuedId?: number;
  /** It was said in another chat, of which this one is a fork. */
  readonly copied?: boolean;
  /** Answered unless told. */
  fate?: Fate;
  /** It must come later than this message. */
  after?: string;
  /** Since then it was the next to come. */
  promotedAt?: number;
  decided?: readonly Decided[];
  /** Effects of calls that must not have been run. */
  forbidden?: readonly string[];
  /** Results of its calls that the deployment said it has. */
  submitted?: readonly { readonly tool_call_id: string; readonly output: unknown }[];
}

/** A user in front of one chat: says something, and watches. */
export class Conversation {
  readonly viewer: Viewer;
  readonly acknowledged: Acknowledged[] = [];
  /** An edit went unanswered and was repeated: the first may yet take along whatever is said from now on. */
  isDoubtful = false;
  readonly api: Api;

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
    conversation.acknowledge(plan);
    return conversation;
  }

  /** Somebody sits down before a chat that others have begun. */
  constructor(api: Api, chatId: string, watch: Omit<ViewerOptions, 'api' | 'chatId'>) {
    this.api = api;
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
      const { queued, queued_message } = await this.api.post<Sent>(path, body);
      const queuedId = queued_message === undefined ? {} : { queuedId: queued_message.id };
      return this.acknowledge(plan, { queued, ...queuedId });
    } catch (error) {
      const isRefused = error instanceof RequestRefused;
      this.acknowledge(plan).fate = isRefused ? 'refused' : 'untold';
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
    const { repeated } = await this.api.patch(path, { content: planText(plan) });
    this.isDoubtful ||= repeated;
    for (const gone of this.acknowledged.slice(this.acknowledged.indexOf(earlier))) {
      if (gone.fate !== 'refused') gone.fate = 'gone';
    }
    return this.acknowledge(plan);
  }

  /** Stops the turn; false when it had ended by itself. */
  async interrupt(): Promise<boolean> {
    try {
      await this.api.post(`/chats/${this.chatId}/interrupt`, undefined);
      return true;
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 409) return false;
      throw error;
    }
  }

  /** Answers all calls that the chat waits for, as their client. */
  async answerCalls(view: View = this.view, last: Acknowledged = this.last): Promise<void> {
    const submitted = view.awaited.map(({ tool_call_id }) => ({
      tool_call_id,
      output: { answered: tool_call_id },
    }));
    await this.api.post(`/chats/${this.chatId}/tool-results`, { results: submitted });
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

  /** All that was said is in the history, what was to be answered is, and the chat rests. */
  isSettled(view: View = this.view): boolean {
    if (view.status !== 'waiting') return false;
    const texts = view.messages.map(textOf);
    return this.acknowledged.every(({ id, steps, fate = 'answered' }) => {
      if (fate === 'answered') {
        return texts.some((text) => text.startsWith(`re:${effectKey(id, steps.length - 1)}`));
      }
      return fate !== 'cut' || texts.some((text) => planIn(text)?.id === id);
    });
  }

  /** From now on what was said first is what comes first in the history, whatever became of the queue. */
  inOrderOfHistory(): void {
    const ids = this.view.messages.map((message) => planIn(textOf(message))?.id);
    this.acknowledged.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  }

  acknowledge(plan: Plan, more: Partial<Acknowledged> = {}): Acknowledged {
    const acknowledged: Acknowledged = { ...plan, ...more, chatId: this.chatId, at: Date.now() };
    this.acknowledged.push(acknowledged);
    return acknowledged;
  }
}

interface Sent {
  readonly queued: boolean;
  readonly queued_message?: { readonly id: number };
}

const isResting = ({ status }: View) => status === 'waiting' || status === 'error';

export const newPlan = (steps: readonly PlannedStep[]): Plan => ({
  id: `m-${randomUUID()}`,
  steps,
});
