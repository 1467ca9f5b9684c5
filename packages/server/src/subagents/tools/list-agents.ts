import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { agentsOfChat } from '../../store/queries/chats/family.ts';
import { statusLine } from '../report.ts';
import type { SubagentContext } from '../supervision.ts';

const Input = z.strictObject({});

export const listAgents = ({ store, chat }: SubagentContext): LocalTool =>
  tool({
    name: 'list_agents',
    description: 'List your agents and their status.',
    input: Input,
    idempotent: true,
    async run() {
      const agents = await store.database.query(agentsOfChat, { parent_id: chat.id });
      return agents.length === 0 ? 'You have no agents.' : agents.map(statusLine).join('\n');
    },
  });
