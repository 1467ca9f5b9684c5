import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { callKey, requireAgent, isReadOnly, type SubagentContext } from '../supervision.ts';

const Input = z.strictObject({
  agent_id: z.string().min(1).max(64),
  message: z.string().trim().min(1).max(100_000),
});

export const messageAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'message_agent',
    description:
      'Sends a message to one of your agents. One that is at work reads it before its next step; one that has finished goes on with it.',
    input: Input,
    // Run again, it finds that it was sent.
    idempotent: true,
    async run({ agent_id, message }, { callId }) {
      const { chat, store } = supervision;
      const agent = await requireAgent(supervision, agent_id);
      if (agent.agent_type !== 'explore' && isReadOnly(chat)) {
        throw new Error('The agent may change things, and nothing is to be changed now.');
      }
      await store.agents.message(agent.id, await callKey(supervision, callId), {
        busy_behavior: 'steer',
        content: [{ type: 'text', text: message }],
        model_config_id: null,
        reasoning_effort: null,
        created_by: chat.owner_id,
      });
      return 'The message was sent.';
    },
  });
