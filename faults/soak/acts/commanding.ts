import { randomUUID } from 'node:crypto';
import type { ToolResultPart } from '@chatd/protocol';
import type { Conversation } from '../../clients/conversation.ts';
import { callId, type PlannedStep } from '../../deployment/plan.ts';
import { type Act, answered } from '../act.ts';

const run = (command: string): PlannedStep => ({
  say: 2,
  call: { tool: 'execute', args: { command } },
});

/** A command that leaves a line in the workspace, and another that counts them. */
export const commands: Act = async (talk, { counts, seedData }) => {
  await talk.api.patch(`/chats/${talk.chatId}`, { workspace_id: seedData.workspace });
  const file = `lines-${randomUUID()}`;
  const { id } = await talk.say([
    run(`echo line >> ${file} && sleep 0.2`),
    run(`cat ${file} 2>/dev/null | wc -l; rm -f ${file}`),
    { say: 3, pace: 20 },
  ]);
  await answered(talk, counts);
  const left = resultOf(talk, callId(id, 0));
  const counted = resultOf(talk, callId(id, 1));
  if (isCutOff(counted)) return;
  const lines = linesIn(counted?.result);
  const isRight = isCutOff(left) ? lines <= 1 : left?.is_error !== true && lines === 1;
  if (!isRight) {
    const told = JSON.stringify([left?.result, counted?.result]);
    throw new Error(`chat ${talk.chatId}: a command left ${lines} lines: ${told}`);
  }
  counts.add('commands in a workspace', 2);
};

/** Its replica has died, or was told to end. */
const isCutOff = (part: ToolResultPart | undefined): boolean =>
  part?.is_error === true && /outcome of this call is unknown/.test(JSON.stringify(part.result));

const linesIn = (result: unknown): number =>
  typeof result === 'object' && result !== null && 'output' in result
    ? Number(result.output)
    : Number.NaN;

const resultOf = ({ view }: Conversation, id: string): ToolResultPart | undefined =>
  view.messages
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool-result' && part.tool_call_id === id) as
    | ToolResultPart
    | undefined;
