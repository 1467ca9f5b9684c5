import { type LocalTool, tool } from '@chatd/loop';
import { AgentType, ReasoningEffort } from '@chatd/protocol';
import { z } from 'zod';
import { listModelConfigs } from '../../store/queries/model-configs.ts';
import type { Queryable } from '../../store/statement.ts';
import { callKey, isReadOnly, type SubagentContext } from '../supervision.ts';

/** Arguments of every tool that starts an agent. */
export const MIND = {
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('the name or id of another model; left out: yours'),
  effort: ReasoningEffort.optional().describe('how much it thinks; left out: as you do'),
};

const Input = z.strictObject({
  prompt: z.string().trim().min(1).max(100_000),
  type: AgentType.exclude(['computer'])
    .default('general')
    .describe('explore: it reads and searches, and cannot change anything'),
  ...MIND,
});

export const spawnAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'spawn_agent',
    description:
      'Starts an agent that works on a task of its own, beside you, in the same workspace; answers with its id at once. It knows nothing but the prompt, so put everything into it that it needs, and say what it should report. wait_agent gives its report.',
    input: Input,
    // Run again, it finds the agent that it has started.
    idempotent: true,
    async run({ prompt, type, model, effort }, { callId }) {
      if (type !== 'explore' && isReadOnly(supervision.chat)) {
        throw new Error('You can only start agents of the type explore: nothing is to be changed.');
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

/** Run again by the same call, it finds the agent that it has started. */
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
      model_config_id: model === undefined ? null : await modelNamed(store.database, model),
      reasoning_effort: effort ?? null,
    },
    limits.subagents_per_chat,
  );
  return { agent_id: agent.id };
}

async function modelNamed(db: Queryable, name: string): Promise<string> {
  const usable = (await db.query(listModelConfigs)).filter((config) => config.usable);
  const wanted = name.toLowerCase();
  const found = usable.find(({ id, display_name, model }) =>
    [id, display_name.toLowerCase(), model.toLowerCase()].includes(wanted),
  );
  if (found !== undefined) return found.id;
  const names = usable.map(({ display_name }) => display_name).join(', ');
  throw new Error(`There is no model ${name}. There are: ${names}.`);
}
