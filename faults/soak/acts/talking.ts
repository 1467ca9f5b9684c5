import { newPlan } from '../../clients/conversation.ts';
import { planText } from '../../deployment/plan.ts';
import {
  type Act,
  answered,
  begun,
  comes,
  LONG_TALK,
  LONG_WORK,
  standing,
  TALK,
  WORK,
} from '../act.ts';
import { oneOf } from '../random.ts';

export const talks: Act = async (talk, { counts }) => {
  await talk.say(TALK);
  await answered(talk, counts);
};

export const works: Act = async (talk, { counts }) => {
  await talk.say(WORK);
  await answered(talk, counts);
  counts.add('server tool calls', 2);
};

export const queues: Act = async (talk, { counts }) => {
  await talk.say(LONG_TALK);
  const { queued } = await talk.say(TALK);
  await answered(talk, counts);
  if (queued === true) counts.add('queued messages');
};

export const steers: Act = async (talk, { counts }) => {
  const work = await talk.say(LONG_WORK);
  await begun(talk);
  const { queued } = await talk.say(TALK, 'steer');
  work.fate = 'cut';
  await answered(talk, counts);
  if (queued === true) counts.add('messages that steer');
};

export const interruptsBySaying: Act = async (talk, { counts }) => {
  const cut = await talk.say(LONG_TALK);
  await begun(talk);
  const { queued } = await talk.say(TALK, 'interrupt');
  cut.fate = 'cut';
  await answered(talk, counts);
  if (queued === true) counts.add('messages that interrupt');
};

export const interrupts: Act = async (talk, { counts, random }) => {
  const cut = await talk.say(oneOf(random, [LONG_TALK, LONG_WORK]));
  await begun(talk);
  if (await talk.interrupt()) {
    cut.fate = 'cut';
    counts.add('interrupts');
  }
  await comes(talk, 'to rest', ({ status }) => status === 'waiting');
};

/** The new text is talk alone: a repeated edit runs it again, and no effect is to happen twice by our own doing. */
export const editsAtRest: Act = async (talk, { counts, random }) => {
  await talk.edit(oneOf(random, standing(talk)), TALK);
  await answered(talk, counts);
  counts.add('edits at rest');
};

export const editsWhileItRuns: Act = async (talk, { counts, random }) => {
  const earlier = standing(talk);
  const running = await talk.say(oneOf(random, [LONG_TALK, LONG_WORK]));
  await begun(talk);
  await talk.edit(random() < 0.5 ? running : oneOf(random, earlier), TALK);
  await answered(talk, counts);
  counts.add('edits of a running turn');
};

export const startsAnAgent: Act = async (talk, { counts }) => {
  const agent = newPlan(WORK);
  await talk.say([
    { say: 1, call: { tool: 'spawn_agent', args: { prompt: planText(agent) } } },
    { say: 1, call: { tool: 'wait_agent', args: {} } },
    { say: 3 },
  ]);
  await answered(talk, counts);
  counts.add('subagents');
};

export const meetsALimit: Act = async (talk, { counts }) => {
  await talk.say([{ say: 6, pace: 20, fault: { kind: '429 with retry-after', times: 1 } }]);
  await answered(talk, counts);
};

export const isCutOff: Act = async (talk, { counts }) => {
  await talk.say([{ say: 6, pace: 20, fault: { kind: 'reset mid-stream', times: 1 } }]);
  await answered(talk, counts);
};
