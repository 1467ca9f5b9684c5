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
      'Send a message to one of your agents. A running agent reads it before its next step; a finished one starts again.',
    input: Input,
    // Idempotent: a repeated call finds the sent message.
    idempotent: true,
    async run({ agent_id, message }, { callId }) {
      const { chat, store } = supervision;
      const agent = await requireAgent(supervision, agent_id);
      if (agent.agent_type !== 'explore' && isReadOnly(chat)) {
        throw new Error('This agent can make changes, but this chat is read-only.');
      }
      await store.agents.message(agent.id, await callKey(supervision, callId), {
        busy_behavior: 'steer',
        content: [{ type: 'text', text: message }],
        model_config_id: null,
        reasoning_effort: null,
        created_by: chat.owner_id,
      });
      return 'Message sent.';
    },
  });
