import { randomUUID } from 'node:crypto';
import type { BusyBehavior, Chat } from '@chatd/protocol';
import {
  effectKey,
  type Plan,
  parsePlan,
  type PlannedStep,
  formatPlan,
} from '../deployment/plan.ts';
import { type Api, RequestRefused } from './api.ts';
import { textOf, type View } from './view.ts';
import { Viewer, type ViewerOptions } from './viewer.ts';

/**
 * Expected outcome of a message: answered in full; interrupted, also by a steering message; removed from the queue or by
 * an edit; rejected by the server; or unknown, because a request got no response.
 */
export type MessageOutcome = 'answered' | 'interrupted' | 'removed' | 'rejected' | 'unknown';

/** A decision of a user on a call that requires approval. */
export interface SubmittedDecision {
  readonly tool_call_id: string;
  /** Effect key of the call. */
  readonly key: string;
  readonly decision: 'allow' | 'deny';
  /** Time at which it was sent. */
  readonly at: number;
}

/** A message that the server acknowledged. */
export interface Acknowledged extends Plan {
  readonly chatId: string;
  readonly at: number;
  readonly queued?: boolean;
  /** Id in the queue. */
  readonly queuedId?: number;
  /** Copied by a fork. */
  readonly copied?: boolean;
  /** Default: 'answered'. */
  outcome?: MessageOutcome;
  /** The id of a message that must be processed earlier. */
  after?: string;
  /** Time of the promotion. */
  promotedAt?: number;
  decisions?: readonly SubmittedDecision[];
  /** Effect keys of calls that must not run. */
  forbidden?: readonly string[];
  /** Acknowledged results of its dynamic tool calls. */
  submitted?: readonly { readonly tool_call_id: string; readonly output: unknown }[];
}

/** A client of one chat: sends messages and follows the stream. */
export class Conversation {
  readonly viewer: Viewer;
  readonly acknowledged: Acknowledged[] = [];
  /** A change was retried: the first attempt may still take effect, and remove or reorder later messages. */
  isUncertain = false;
  readonly api: Api;

  static async begin(
    api: Api,
    steps: readonly PlannedStep[],
    watch: Omit<ViewerOptions, 'api' | 'chatId'> = {},
    properties: Readonly<Record<string, unknown>> = {},
  ): Promise<Conversation> {
    const plan = newPlan(steps);
    // With a title, chatd does not generate one.
    const body = { content: formatPlan(plan), title: 'Faults', ...properties };
    const chat = await api.post<Chat>('/chats', body);
    const conversation = new Conversation(api, chat.id, watch);
    conversation.acknowledge(plan);
    return conversation;
  }

  /** For an existing chat. */
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

  /** The last acknowledged message. */
  get last(): Acknowledged {
    const last = this.acknowledged.at(-1);
    if (last === undefined) throw new Error('no message was sent');
    return last;
  }

  async send(
    steps: readonly PlannedStep[],
    busy_behavior: BusyBehavior = 'queue',
  ): Promise<Acknowledged> {
    const plan = newPlan(steps);
    const body = { content: formatPlan(plan), busy_behavior };
    const path = `/chats/${this.chatId}/messages`;
    try {
      const { queued, queued_message } = await this.api.post<SendResponse>(path, body);
      const queuedId = queued_message === undefined ? {} : { queuedId: queued_message.id };
      return this.acknowledge(plan, { queued, ...queuedId });
    } catch (error) {
      const isRefused = error instanceof RequestRefused;
      this.acknowledge(plan).outcome = isRefused ? 'rejected' : 'unknown';
      throw error;
    }
  }

  /** Replaces an earlier message and removes all later ones. */
  async edit(earlier: Acknowledged, steps: readonly PlannedStep[]): Promise<Acknowledged> {
    const plan = newPlan(steps);
    const message = this.view.messages.find(
      (one) => one.role === 'user' && parsePlan(textOf(one))?.id === earlier.id,
    );
    if (message === undefined) throw new Error(`message ${earlier.id} is not in the view`);
    const path = `/chats/${this.chatId}/messages/${message.id}`;
    const { retried } = await this.api.patch(path, { content: formatPlan(plan) });
    this.isUncertain ||= retried;
    for (const removed of this.acknowledged.slice(this.acknowledged.indexOf(earlier))) {
      if (removed.outcome !== 'rejected') removed.outcome = 'removed';
    }
    return this.acknowledge(plan);
  }

  /** Interrupts the turn. False if it has already ended. */
  async interrupt(): Promise<boolean> {
    try {
      await this.api.post(`/chats/${this.chatId}/interrupt`, undefined);
      return true;
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 409) return false;
      throw error;
    }
  }

  /** Submits results for all pending dynamic tool calls. */
  async answerCalls(view: View = this.view, last: Acknowledged = this.last): Promise<void> {
    const submitted = view.awaited.map(({ tool_call_id }) => ({
      tool_call_id,
      output: { answered: tool_call_id },
    }));
    await this.api.post(`/chats/${this.chatId}/tool-results`, { results: submitted });
    last.submitted = submitted;
  }

  /** Whether the last message is answered and the chat is idle. */
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

  /** Waits until the chat is idle or failed. */
  async idle(signal: AbortSignal): Promise<boolean> {
    return await this.viewer.until(isIdle, signal);
  }

  /** Whether the chat is idle and all messages have their expected outcome. */
  isSettled(view: View = this.view): boolean {
    if (view.status !== 'waiting') return false;
    const texts = view.messages.map(textOf);
    return this.acknowledged.every(({ id, steps, outcome = 'answered' }) => {
      if (outcome === 'answered') {
        return texts.some((text) => text.startsWith(`re:${effectKey(id, steps.length - 1)}`));
      }
      return outcome !== 'interrupted' || texts.some((text) => parsePlan(text)?.id === id);
    });
  }

  /** Sorts the acknowledged messages by their position in the history. */
  sortByHistory(): void {
    const ids = this.view.messages.map((message) => parsePlan(textOf(message))?.id);
    this.acknowledged.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  }

  acknowledge(plan: Plan, more: Partial<Acknowledged> = {}): Acknowledged {
    const acknowledged: Acknowledged = { ...plan, ...more, chatId: this.chatId, at: Date.now() };
    this.acknowledged.push(acknowledged);
    return acknowledged;
  }
}

interface SendResponse {
  readonly queued: boolean;
  readonly queued_message?: { readonly id: number };
}

const isIdle = ({ status }: View) => status === 'waiting' || status === 'error';

export const newPlan = (steps: readonly PlannedStep[]): Plan => ({
  id: `m-${randomUUID()}`,
  steps,
});
