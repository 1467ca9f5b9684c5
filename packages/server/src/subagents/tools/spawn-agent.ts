import { type LocalTool, tool } from '@chatd/loop';
import { AgentType, ReasoningEffort } from '@chatd/protocol';
import { z } from 'zod';
import { listModelConfigs } from '../../store/queries/model-configs.ts';
import type { Queryable } from '../../store/statement.ts';
import { callKey, isReadOnly, type SubagentContext } from '../supervision.ts';

/** Arguments of every tool that starts an agent. */
export const MIND = {
  model: z.string().min(1).max(200).optional().describe('Name or id of a model. Default: yours'),
  effort: ReasoningEffort.optional().describe('Reasoning effort. Default: yours'),
};

const Input = z.strictObject({
  prompt: z.string().trim().min(1).max(100_000),
  type: AgentType.exclude(['computer'])
    .default('general')
    .describe('explore: can read and search, but change nothing'),
  ...MIND,
});

export const spawnAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'spawn_agent',
    description:
      'Start an agent that works on its own task in parallel, in the same workspace. Returns its id at once. The agent knows only the prompt: include everything it needs, and say what to report. Get its report with wait_agent.',
    input: Input,
    // Idempotent: a repeated call finds the started agent.
    idempotent: true,
    async run({ prompt, type, model, effort }, { callId }) {
      if (type !== 'explore' && isReadOnly(supervision.chat)) {
        throw new Error('You can start only explore agents, because this chat is read-only.');
      }
      return await spawn(supervision, callId, { type, prompt, model, effort });
    },
  });

export interface SpawnRequest {
  readonly type: AgentType;
  readonly prompt: string;
  readonly model: string | undefined;
  readonly effort: ReasoningEffort | undefined;
}

/** Idempotent: a repeated call finds the started agent. */
export async function spawn(
  supervision: SubagentContext,
  callId: string,
  { type, prompt, model, effort }: SpawnRequest,
): Promise<{ agent_id: string }> {
  const { chat, store, limits } = supervision;
  const agent = await store.agents.spawn(
    chat.id,
    {
      call: await callKey(supervision, callId),
      type,
      prompt,
      model_config_id:
        model === undefined ? null : await modelNamed(store.database, model, chat.owner_id),
      reasoning_effort: effort ?? null,
    },
    limits.subagents_per_chat,
  );
  return { agent_id: agent.id };
}

async function modelNamed(db: Queryable, name: string, user_id: string): Promise<string> {
  const configs = await db.query(listModelConfigs, { user_id });
  const usable = configs.filter((config) => config.usable);
  const wanted = name.toLowerCase();
  const found = usable.find(({ id, display_name, model }) =>
    [id, display_name.toLowerCase(), model.toLowerCase()].includes(wanted),
  );
  if (found !== undefined) return found.id;
  const names = usable.map(({ display_name }) => display_name).join(', ');
  throw new Error(`Model ${name} does not exist. Available models: ${names}.`);
}
