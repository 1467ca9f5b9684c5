import type { Api } from '../clients/api.ts';
import type { Acknowledged, Conversation } from '../clients/conversation.ts';
import type { Viewer, ViewerOptions } from '../clients/viewer.ts';
import type { View } from '../clients/view.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { callId, type PlannedStep } from '../deployment/plan.ts';
import type { Counts } from './counts.ts';
import type { SeedData } from './seed.ts';
import type { RetryingWitness } from './retrying-witness.ts';
import type { Random } from './random.ts';

/** Longer than any restart. */
const TIMEOUT_MS = 120_000;

export const CLIENT_TOOL = 'ask_the_client';

export interface ActionContext {
  readonly random: Random;
  readonly counts: Counts;
  readonly api: Api;
  readonly deployment: Deployment;
  readonly witness: RetryingWitness;
  readonly seedData: SeedData;
  /** Aborts at the end of the run. */
  readonly stop: AbortSignal;
  /** Options for a new viewer. */
  readonly watch: () => Omit<ViewerOptions, 'api' | 'chatId'>;
  /** Additional viewers of the chat, which are checked with it. */
  readonly watchers: Viewer[];
  /** Forks of the chat. */
  readonly forks: Conversation[];
}

/** An action of a simulated user in an idle chat. The chat is idle again afterwards. */
export type Action = (chat: Conversation, context: ActionContext) => Promise<void>;

export const SHORT_TEXT: readonly PlannedStep[] = [{ chunks: 2 }];
export const TEXT: readonly PlannedStep[] = [{ chunks: 10, paceMs: 20 }];
export const LONG_TEXT: readonly PlannedStep[] = [{ chunks: 40, paceMs: 40 }];
export const TOOLS: readonly PlannedStep[] = [
  { chunks: 3, call: { tool: 'count', ms: 30 } },
  { chunks: 2, call: { tool: 'count', ms: 60 } },
  { chunks: 5, paceMs: 20 },
];
export const LONG_TOOLS: readonly PlannedStep[] = [
  { chunks: 3, paceMs: 20, call: { tool: 'count', ms: 400 } },
  { chunks: 3, call: { tool: 'count', ms: 400 } },
  { chunks: 3, call: { tool: 'count', ms: 400 } },
  { chunks: 5, paceMs: 20 },
];
/** Waits for a result from the client. */
export const CLIENT_TOOL_CALL: readonly PlannedStep[] = [
  { chunks: 2, call: { tool: CLIENT_TOOL } },
  { chunks: 4, paceMs: 20 },
];

export async function answered(chat: Conversation, counts: Counts): Promise<void> {
  await waitFor(chat, 'an answer', (view) => chat.isAnswered(view));
  counts.add('turns answered');
}

/** Waits until all queued messages are processed. */
export async function settled(chat: Conversation, counts: Counts): Promise<void> {
  await waitFor(chat, 'all queued messages', (view) => chat.isSettled(view));
  chat.sortByHistory();
  counts.add('turns answered');
}

/** Waits for the first text of the turn, or its end. */
export const started = (chat: Conversation): Promise<void> =>
  waitFor(chat, 'the first text', (view) => view.previewText !== '' || chat.isAnswered(view));

/** Waits until the call of this step is pending. */
export const callPending = (chat: Conversation, { id }: Acknowledged, step = 0): Promise<void> =>
  waitFor(chat, 'a pending call', ({ awaited }) =>
    awaited.some(({ tool_call_id }) => tool_call_id === callId(id, step)),
  );

/** Messages that can be edited. */
export const editable = ({ acknowledged }: Conversation): Acknowledged[] =>
  acknowledged.filter(({ outcome = 'answered' }) => ['answered', 'interrupted'].includes(outcome));

export async function waitFor(
  chat: Conversation,
  what: string,
  matches: (view: View) => boolean,
  viewer: Viewer = chat.viewer,
): Promise<void> {
  if (await viewer.until(matches, AbortSignal.timeout(TIMEOUT_MS))) return;
  const { status, error, lastMessage } = viewer.view;
  const seen = `${status}, ${error ?? 'no error'}, last message ${lastMessage?.id}`;
  throw new Error(
    `chat ${chat.chatId} timed out waiting for ${what} after ${chat.last.id}: ${seen}`,
  );
}
