import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import { requireAgent, type SubagentContext } from '../supervision.ts';

const Input = z.strictObject({ agent_id: z.string().min(1).max(64) });

export const interruptAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'interrupt_agent',
    description: 'Interrupt one of your agents and its subagents.',
    input: Input,
    // It may have received a message in between.
    idempotent: false,
    async run({ agent_id }) {
      const { client } = supervision.store;
      const { id } = await requireAgent(supervision, agent_id);
      try {
        const { chat } = await client.interrupt(id);
        // Cancel its pending requests first, so that it does not continue.
        if (chat.status === 'running') await client.interrupt(id);
        return 'The agent is being interrupted.';
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== 'not_running') throw error;
        return 'The agent has already finished.';
      }
    },
  });
