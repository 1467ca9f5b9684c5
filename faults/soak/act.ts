import type { Api } from '../clients/api.ts';
import type { Acknowledged, Conversation } from '../clients/conversation.ts';
import type { Viewer, ViewerOptions } from '../clients/viewer.ts';
import type { View } from '../clients/view.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { callId, type PlannedStep } from '../deployment/plan.ts';
import type { Counts } from './counts.ts';
import type { SeedData } from './seed.ts';
import type { PatientWitness } from './patient-witness.ts';
import type { Random } from './random.ts';

/** By then whatever was asked for has come, whatever was restarted meanwhile. */
const PATIENCE_MS = 120_000;

export const CLIENT_TOOL = 'ask_the_client';

export interface Surroundings {
  readonly random: Random;
  readonly counts: Counts;
  readonly api: Api;
  readonly deployment: Deployment;
  readonly witness: PatientWitness;
  readonly seedData: SeedData;
  /** Nobody begins anything new, nor waits for long. */
  readonly stop: AbortSignal;
  /** How this person looks at chats. */
  readonly watch: () => Omit<ViewerOptions, 'api' | 'chatId'>;
  /** Whoever has begun to look at the chat; all of them are judged with it. */
  readonly watchers: Viewer[];
  /** Chats that came out of this one. */
  readonly forks: Conversation[];
}

/** Something that a person does in a chat that is at rest. The chat is at rest again afterwards. */
export type Act = (talk: Conversation, surroundings: Surroundings) => Promise<void>;

export const SHORT: readonly PlannedStep[] = [{ say: 2 }];
export const TALK: readonly PlannedStep[] = [{ say: 10, pace: 20 }];
export const LONG_TALK: readonly PlannedStep[] = [{ say: 40, pace: 40 }];
export const WORK: readonly PlannedStep[] = [
  { say: 3, call: { tool: 'count', ms: 30 } },
  { say: 2, call: { tool: 'count', ms: 60 } },
  { say: 5, pace: 20 },
];
export const LONG_WORK: readonly PlannedStep[] = [
  { say: 3, pace: 20, call: { tool: 'count', ms: 400 } },
  { say: 3, call: { tool: 'count', ms: 400 } },
  { say: 3, call: { tool: 'count', ms: 400 } },
  { say: 5, pace: 20 },
];
/** The chat stands still until its client has answered. */
export const ASKING: readonly PlannedStep[] = [
  { say: 2, call: { tool: CLIENT_TOOL } },
  { say: 4, pace: 20 },
];

export async function answered(talk: Conversation, counts: Counts): Promise<void> {
  await comes(talk, 'an answer', (view) => talk.isAnswered(view));
  counts.add('turns answered');
}

/** Everything that was said has come to its turn, in whatever order. */
export async function settled(talk: Conversation, counts: Counts): Promise<void> {
  await comes(talk, 'for all that was queued', (view) => talk.isSettled(view));
  talk.inOrderOfHistory();
  counts.add('turns answered');
}

/** The turn has shown something; or it was so quick that it has ended. */
export const begun = (talk: Conversation): Promise<void> =>
  comes(talk, 'to begin', (view) => view.previewText !== '' || talk.isAnswered(view));

/** The chat waits for somebody to answer the call of this step. */
export const asked = (talk: Conversation, { id }: Acknowledged, step = 0): Promise<void> =>
  comes(talk, 'to be asked', ({ awaited }) =>
    awaited.some(({ tool_call_id }) => tool_call_id === callId(id, step)),
  );

/** Messages that can still be edited. */
export const standing = ({ acknowledged }: Conversation): Acknowledged[] =>
  acknowledged.filter(({ fate = 'answered' }) => fate === 'answered' || fate === 'cut');

export async function comes(
  talk: Conversation,
  what: string,
  fits: (view: View) => boolean,
  viewer: Viewer = talk.viewer,
): Promise<void> {
  if (await viewer.until(fits, AbortSignal.timeout(PATIENCE_MS))) return;
  const { status, error, lastMessage } = viewer.view;
  const seen = `${status}, ${error ?? 'no error'}, last message ${lastMessage?.id}`;
  throw new Error(`chat ${talk.chatId} waited in vain ${what} after ${talk.last.id}: ${seen}`);
}
