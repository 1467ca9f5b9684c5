import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { requireDesktopPrograms } from '../../desktop/desktop-unavailable.ts';
import { isReadOnly, type SubagentContext } from '../supervision.ts';
import { MIND, spawn } from './spawn-agent.ts';

const Input = z.strictObject({ prompt: z.string().trim().min(1).max(100_000), ...MIND });

export const spawnComputerUseAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'spawn_computer_use_agent',
    description:
      'Starts an agent that uses the desktop of the workspace as a person would, with its mouse, keyboard and screen: for programs with windows, and for web pages in a browser. Answers with its id at once; wait_agent gives its report, and a recording of what it did. It knows nothing but the prompt.',
    input: Input,
    idempotent: true,
    async run({ prompt, model, effort }, { callId }) {
      if (isReadOnly(supervision.chat)) {
        throw new Error('You cannot start an agent that uses a desktop: nothing is to be changed.');
      }
      requireDesktopPrograms();
      return await spawn(supervision, callId, { type: 'computer', prompt, model, effort });
    },
  });
