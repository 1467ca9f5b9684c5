import type { MessageMeta } from '@chatd/loop';
import type { ChatRow, MessageRow, StoredPart } from '../chat/row.ts';
import { recentResponses } from '../store/queries/messages/read.ts';
import type { Queryable } from '../store/statement.ts';

export interface SubagentReport {
  readonly text: string;
  readonly failed: boolean;
}

/** What a parent agent is told about a subagent that has ended. */
export async function reportOf(db: Queryable, agent: ChatRow): Promise<SubagentReport> {
  if (agent.status === 'error') {
    const why = agent.last_error?.message ?? 'Reason unknown.';
    return { text: `The agent ${agent.id} failed: ${why}`, failed: true };
  }
  const responses = await db.query(recentResponses, { chat_id: agent.id });
  const text = responses.map(({ content }) => textOf(content)).find((said) => said !== '');
  if (wasInterrupted(responses)) {
    const words = text === undefined ? '' : ` Last message: ${text}`;
    return { text: `The agent ${agent.id} was interrupted.${words}`, failed: true };
  }
  if (text === undefined) {
    return { text: `The agent ${agent.id} ended without a message.`, failed: true };
  }
  return { text, failed: false };
}

const textOf = (content: readonly StoredPart[]): string =>
  content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim();

/** Only an interruption ends a turn within a response, or between a call and its result. */
function wasInterrupted(responses: readonly Pick<MessageRow, 'meta'>[]): boolean {
  const reasons = responses.flatMap(({ meta }) => {
    const { finish_reason } = (meta ?? {}) as MessageMeta;
    return finish_reason === undefined ? [] : [finish_reason];
  });
  return reasons[0] === 'interrupted' || reasons[0] === 'tool-calls';
}

const DOING: Record<ChatRow['status'], string> = {
  waiting: 'has finished',
  error: 'has failed',
  running: 'is running',
  interrupting: 'is being interrupted',
  requires_action: 'is waiting for the user to answer or approve something in its chat',
};

/** `The agent ID (explore, "Find the tests") is running.` */
export const statusLine = (agent: ChatRow): string =>
  `The agent ${agent.id} (${agent.agent_type ?? 'general'}, ${JSON.stringify(agent.title)}) ${DOING[agent.status]}.`;
