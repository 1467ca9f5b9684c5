import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { isReadOnly, type SubagentContext } from '../supervision.ts';
import { MIND, spawn } from './spawn-agent.ts';

const Input = z.strictObject({ prompt: z.string().trim().min(1).max(100_000), ...MIND });

export const spawnComputerUseAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'spawn_computer_use_agent',
    description:
      'Start an agent that uses the desktop of the workspace with mouse, keyboard and screen: for graphical programs, and for web pages in a browser. Returns its id at once. The agent knows only the prompt. Get its report and a recording with wait_agent.',
    input: Input,
    idempotent: true,
    async run({ prompt, model, effort }, { callId }) {
      if (isReadOnly(supervision.chat)) {
        throw new Error(
          'You cannot start an agent that uses a desktop, because this chat is read-only.',
        );
      }
      return await spawn(supervision, callId, { type: 'computer', prompt, model, effort });
    },
  });
