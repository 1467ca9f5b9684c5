import { callId, planText, type PlannedStep } from '../deployment/plan.ts';
import { type Acknowledged, type Conversation, newPlan } from '../clients/conversation.ts';
import type { View } from '../clients/view.ts';
import type { Counts } from './counts.ts';
import { oneOf, type Random } from './random.ts';

/** By then whatever was asked for has come, whatever was restarted meanwhile. */
const PATIENCE_MS = 120_000;

export const CLIENT_TOOL = 'ask_the_client';

export interface Surroundings {
  readonly random: Random;
  readonly counts: Counts;
}

/** Something that a person does in a chat that is at rest. The chat is at rest again afterwards. */
type Act = (talk: Conversation, surroundings: Surroundings) => Promise<void>;

const TALK: readonly PlannedStep[] = [{ say: 10, pace: 20 }];
const LONG_TALK: readonly PlannedStep[] = [{ say: 40, pace: 40 }];
const WORK: readonly PlannedStep[] = [
  { say: 3, call: { tool: 'count', ms: 30 } },
  { say: 2, call: { tool: 'count', ms: 60 } },
  { say: 5, pace: 20 },
];
const LONG_WORK: readonly PlannedStep[] = [
  { say: 3, pace: 20, call: { tool: 'count', ms: 400 } },
  { say: 3, call: { tool: 'count', ms: 400 } },
  { say: 3, call: { tool: 'count', ms: 400 } },
  { say: 5, pace: 20 },
];

const talks: Act = async (talk, { counts }) => {
  await talk.say(TALK);
  await answered(talk, counts);
};

const works: Act = async (talk, { counts }) => {
  await talk.say(WORK);
  await answered(talk, counts);
  counts.add('server tool calls', 2);
};

const queues: Act = async (talk, { counts }) => {
  await talk.say(LONG_TALK);
  const { queued } = await talk.say(TALK);
  await answered(talk, counts);
  if (queued === true) counts.add('queued messages');
};

const steers: Act = async (talk, { counts }) => {
  const work = await talk.say(LONG_WORK);
  await begun(talk);
  const { queued } = await talk.say(TALK, 'steer');
  work.fate = 'cut';
  await answered(talk, counts);
  if (queued === true) counts.add('messages that steer');
};

const interruptsBySaying: Act = async (talk, { counts }) => {
  const cut = await talk.say(LONG_TALK);
  await begun(talk);
  const { queued } = await talk.say(TALK, 'interrupt');
  cut.fate = 'cut';
  await answered(talk, counts);
  if (queued === true) counts.add('messages that interrupt');
};

const interrupts: Act = async (talk, { counts, random }) => {
  const cut = await talk.say(oneOf(random, [LONG_TALK, LONG_WORK]));
  await begun(talk);
  if (await talk.interrupt()) {
    cut.fate = 'cut';
    counts.add('interrupts');
  }
  await comes(talk, 'to rest', ({ status }) => status === 'waiting');
};

/** The new text is talk alone: a repeated edit runs it again, and no effect is to happen twice by our own doing. */
const editsAtRest: Act = async (talk, { counts, random }) => {
  await talk.edit(oneOf(random, standing(talk)), TALK);
  await answered(talk, counts);
  counts.add('edits at rest');
};

const editsWhileItRuns: Act = async (talk, { counts, random }) => {
  const earlier = standing(talk);
  const running = await talk.say(oneOf(random, [LONG_TALK, LONG_WORK]));
  await begun(talk);
  await talk.edit(random() < 0.5 ? running : oneOf(random, earlier), TALK);
  await answered(talk, counts);
  counts.add('edits of a running turn');
};

const asksItsClient: Act = async (talk, { counts }) => {
  const { id } = await talk.say([
    { say: 2, call: { tool: CLIENT_TOOL } },
    { say: 4, pace: 20 },
  ]);
  await comes(talk, 'to ask its client', ({ awaited }) =>
    awaited.some(({ tool_call_id }) => tool_call_id === callId(id, 0)),
  );
  await talk.answerCalls();
  await answered(talk, counts);
  counts.add('client tool calls');
};

const startsAnAgent: Act = async (talk, { counts }) => {
  const agent = newPlan(WORK);
  await talk.say([
    { say: 1, call: { tool: 'spawn_agent', args: { prompt: planText(agent) } } },
    { say: 1, call: { tool: 'wait_agent', args: {} } },
    { say: 3 },
  ]);
  await answered(talk, counts);
  counts.add('subagents');
};

const meetsALimit: Act = async (talk, { counts }) => {
  await talk.say([{ say: 6, pace: 20, fault: { kind: '429 with retry-after', times: 1 } }]);
  await answered(talk, counts);
};

const isCutOff: Act = async (talk, { counts }) => {
  await talk.say([{ say: 6, pace: 20, fault: { kind: 'reset mid-stream', times: 1 } }]);
  await answered(talk, counts);
};

/** Each so often. */
const ACTS: readonly (readonly [times: number, Act])[] = [
  [4, talks],
  [3, works],
  [2, queues],
  [1, steers],
  [1, interruptsBySaying],
  [2, interrupts],
  [1, editsAtRest],
  [1, editsWhileItRuns],
  [2, asksItsClient],
  [1, startsAnAgent],
  [1, meetsALimit],
  [1, isCutOff],
];
const DRAWN = ACTS.flatMap(([times, act]) => Array.from({ length: times }, () => act));

export const chooseAct = (random: Random): Act => oneOf(random, DRAWN);

/** So that everything happens soon: as many people as there are acts begin with another one each. */
export const firstAct = (person: number): Act => ACTS[person % ACTS.length]?.[1] ?? talks;

/** What the first message of a chat asks for. */
export const OPENING = TALK;

export async function answered(talk: Conversation, counts: Counts): Promise<void> {
  await comes(talk, 'an answer', (view) => talk.isAnswered(view));
  counts.add('turns answered');
}

/** The turn has shown something; or it was so quick that it has ended. */
const begun = (talk: Conversation) =>
  comes(talk, 'to begin', (view) => view.previewText !== '' || talk.isAnswered(view));

/** Messages that can still be edited. */
const standing = ({ acknowledged }: Conversation): Acknowledged[] =>
  acknowledged.filter(({ fate }) => fate !== 'gone');

async function comes(
  talk: Conversation,
  what: string,
  fits: (view: View) => boolean,
): Promise<void> {
  if (await talk.viewer.until(fits, AbortSignal.timeout(PATIENCE_MS))) return;
  const { status, error, lastMessage } = talk.view;
  const seen = `${status}, ${error ?? 'no error'}, last message ${lastMessage?.id}`;
  throw new Error(`chat ${talk.chatId} waited in vain ${what} after ${talk.last.id}: ${seen}`);
}
