import { randomUUID } from 'node:crypto';
import type { ToolResultPart } from '@chatd/protocol';
import type { Conversation } from '../../clients/conversation.ts';
import { callId, type PlannedStep } from '../../deployment/plan.ts';
import { type Action, answered } from '../action.ts';
import type { LoadKind } from '../counts.ts';

const run = (command: string): PlannedStep => ({
  chunks: 2,
  call: { tool: 'execute', args: { command } },
});

/** One command appends a line to a file in the workspace, another counts the lines. */
const runCommandsIn =
  (workspace: 'workspace' | 'remoteWorkspace', kind: LoadKind): Action =>
  async (chat, { counts, seedData }) => {
    await chat.api.patch(`/chats/${chat.chatId}`, { workspace_id: seedData[workspace] });
    const file = `lines-${randomUUID()}`;
    const { id } = await chat.send([
      run(`echo line >> ${file} && sleep 0.2`),
      run(`cat ${file} 2>/dev/null | wc -l; rm -f ${file}`),
      { chunks: 3, paceMs: 20 },
    ]);
    await answered(chat, counts);
    const appended = resultOf(chat, callId(id, 0));
    const counted = resultOf(chat, callId(id, 1));
    if (hasUnknownOutcome(counted)) return;
    const lines = linesIn(counted?.result);
    const isExpected = hasUnknownOutcome(appended)
      ? lines <= 1
      : appended?.is_error !== true && lines === 1;
    if (!isExpected) {
      const results = JSON.stringify([appended?.result, counted?.result]);
      throw new Error(`chat ${chat.chatId}: ${lines} lines after one command: ${results}`);
    }
    counts.add(kind, 2);
  };

export const runCommands = runCommandsIn('workspace', 'workspace commands');
export const runCommandsOnMachine = runCommandsIn('remoteWorkspace', 'commands on a machine');

/** The replica or the machine stopped during the call. */
const hasUnknownOutcome = (part: ToolResultPart | undefined): boolean =>
  part?.is_error === true &&
  /outcome of this call is unknown|connection to the machine .* was lost/.test(
    JSON.stringify(part.result),
  );

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
