import { type LocalTool, Media, tool } from '@chatd/loop';
import { z } from 'zod';
import type { ChatRow } from '../../chat/row.ts';
import { isAtWork } from '../../store/commands/agent-commands.ts';
import { agentsOfChat } from '../../store/queries/chats/family.ts';
import type { Queryable } from '../../store/statement.ts';
import { reportOf, statusLine } from '../report.ts';
import { requireAgent, type SubagentContext } from '../supervision.ts';

const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 3600;

const Input = z.strictObject({
  agent_id: z.string().min(1).max(64).optional(),
  timeout: z.number().positive().max(MAX_SECONDS).default(DEFAULT_SECONDS).describe('In seconds'),
});

export const waitAgent = (supervision: SubagentContext): LocalTool =>
  tool({
    name: 'wait_agent',
    description:
      'Wait until an agent has finished, and return its last message as a report. Without an id, wait for all your agents. If the timeout passes first, wait again.',
    input: Input,
    idempotent: true,
    async run({ agent_id, timeout }, { signal }) {
      const { store, watch, run } = supervision;
      const look = () => lookAt(supervision, agent_id);
      const ids = (await look()).map(({ id }) => id);
      if (ids.length === 0) throw new Error('You have no agents. Start one with spawn_agent.');
      const done = await run.rest(() =>
        watch.until(ids, timeout * 1000, signal, async () => {
          const agents = await look();
          return agents.some(isAtWork) ? undefined : agents;
        }),
      );
      if (done !== undefined) {
        const text = await reports(store.database, done);
        const films = await supervision.recordings?.of(done, signal);
        return films === undefined || films.length === 0 ? text : new Media(films, text);
      }
      const lines = (await look()).map(statusLine);
      return `Not all agents have finished after ${timeout} seconds. Wait again.\n${lines.join('\n')}`;
    },
  });

async function lookAt(supervision: SubagentContext, id: string | undefined): Promise<ChatRow[]> {
  const { store, chat } = supervision;
  return id === undefined
    ? await store.database.query(agentsOfChat, { parent_id: chat.id })
    : [await requireAgent(supervision, id)];
}

/** All reports as one result. An error if every agent failed. */
async function reports(db: Queryable, agents: readonly ChatRow[]): Promise<string> {
  const all = await Promise.all(agents.map((agent) => reportOf(db, agent)));
  const texts = all.map(({ text, failed }, index) =>
    all.length === 1 || failed ? text : `Report of agent ${agents[index]?.id}:\n${text}`,
  );
  const text = texts.join('\n\n');
  if (all.every(({ failed }) => failed)) throw new Error(text);
  return text;
}
