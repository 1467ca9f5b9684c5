import type { Fence } from '../../src/chat/fence.ts';
import { commitSteps } from '../../src/store/queries/runs/commit-steps.ts';
import { Store } from '../../src/store/store.ts';

/*
 * A process that commits a step of each chat in one statement and is killed when the response arrives, before any
 * runner gets it: `node committing-process.ts DATABASE_URL CHATS MODEL`.
 */
const [url = '', chats = '', model_config_id = ''] = process.argv.slice(2);
const store = new Store({ url });
const query = store.database.query.bind(store.database);
store.database.query = async (statement, ...params) => {
  const rows = await query(statement, ...params);
  if (statement.name === commitSteps.name) process.kill(process.pid, 'SIGKILL');
  return rows;
};
const call = { kind: 'turn' as const, model_config_id, usage: {}, cost_micros: 7, runtime_ms: 1 };
const step = {
  messages: [{ role: 'assistant' as const, content: [{ type: 'text' as const, text: 'once' }] }],
  attempt: 0,
  call,
};
const fences = JSON.parse(chats) as Record<string, Fence>;
await Promise.all(
  Object.entries(fences).map(([id, fence]) => store.runner.commitStep(id, fence, step)),
);
process.stdout.write('acknowledged\n');
