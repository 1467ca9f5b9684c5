import { expect, test } from 'vitest';
import type { SubagentContext } from '../supervision.ts';
import { interruptAgent } from './interrupt-agent.ts';
import { listAgents } from './list-agents.ts';
import { messageAgent } from './message-agent.ts';
import { spawnAgent } from './spawn-agent.ts';
import { spawnComputerUseAgent } from './spawn-computer-use-agent.ts';
import { waitAgent } from './wait-agent.ts';

/** What is derived from a schema is cached per schema object. A new object in every turn would derive it again. */
test.each([spawnAgent, spawnComputerUseAgent, waitAgent, messageAgent, interruptAgent, listAgents])(
  'the tool has the same schema in every turn: %o',
  (make) => {
    // No tool reads the context before it runs.
    const turn = () => make({} as SubagentContext);
    expect(turn().input).toBe(turn().input);
  },
);
