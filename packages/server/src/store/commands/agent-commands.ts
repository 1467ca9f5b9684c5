import type { AgentType, ReasoningEffort } from '@chatd/protocol';
import { titleFrom } from '../../chat/new-chat.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import type { NewQueued } from '../../chat/writes.ts';
import { agentsOfChat } from '../queries/chats/family.ts';
import { findSpawnedChat } from '../queries/chats/find.ts';
import { lockChat } from '../queries/chats/lock.ts';
import { claimAgentMessage } from '../queries/queued-messages.ts';
import { uuidv7 } from '../uuid.ts';
import type { ChatCreation } from './chat-creation.ts';
import type { ClientCommands } from './client-commands.ts';
import type { TransitionExecutor } from './transition-executor.ts';

export interface NewAgent {
  /** Identifies the tool call: chat, message and call id. */
  readonly call: string;
  readonly type: AgentType;
  readonly prompt: string;
  /** Null: that of the parent. */
  readonly model_config_id: string | null;
  readonly reasoning_effort: ReasoningEffort | null;
}

/** Commands of agents on their subagents. Each takes effect once, even if its tool call runs again. */
export class AgentCommands {
  readonly #executor: TransitionExecutor;
  readonly #creation: ChatCreation;
  readonly #client: ClientCommands;

  constructor(executor: TransitionExecutor, creation: ChatCreation, client: ClientCommands) {
    this.#executor = executor;
    this.#creation = creation;
    this.#client = client;
  }

  /**
   * Runs under the lock of the parent, so that an interrupt includes the subagent and concurrent spawns cannot exceed
   * the limit. The subagent inherits the current properties of the parent, except its dynamic tools.
   */
  async spawn(parentId: string, agent: NewAgent, atOnce: number): Promise<ChatRow> {
    return await this.#executor.database.transaction(async (tx) => {
      const [parent] = await tx.query(lockChat, { id: parentId });
      const [earlier] = await tx.query(findSpawnedChat, { spawned_by_call: agent.call });
      if (earlier !== undefined) return earlier;
      if (parent?.status !== 'running') {
        throw new Refused('not_running', 'The turn that requested the agent has ended.');
      }
      const agents = await tx.query(agentsOfChat, { parent_id: parentId });
      if (agents.filter(isAtWork).length >= atOnce) {
        throw new Refused(
          'too_many_requests',
          `${atOnce} agents are running, which is the limit. Wait for one of them first.`,
        );
      }
      const content = [{ type: 'text' as const, text: agent.prompt }];
      return await this.#creation.create(
        {
          id: uuidv7(),
          owner_id: parent.owner_id,
          title: titleFrom(content),
          title_source: 'user',
          content,
          model_config_id: agent.model_config_id ?? parent.model_config_id,
          reasoning_effort: agent.reasoning_effort ?? parent.reasoning_effort,
          system_prompt: parent.system_prompt,
          labels: {},
          plan_mode: false,
          dynamic_tools: [],
          mcp_server_ids: parent.mcp_server_ids,
          workspace_id: parent.workspace_id,
          parent,
          agent: { type: agent.type, call: agent.call },
        },
        tx,
      );
    });
  }

  async message(agentId: string, call: string, message: NewQueued): Promise<void> {
    await this.#executor.database.transaction(async (tx) => {
      const [first] = await tx.query(claimAgentMessage, { call, agent_id: agentId });
      if (first !== undefined) await this.#client.send(agentId, message, tx);
    });
  }
}

export const isAtWork = ({ status }: Pick<ChatRow, 'status'>): boolean =>
  status !== 'waiting' && status !== 'error';
