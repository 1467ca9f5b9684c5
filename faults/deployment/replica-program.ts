import { createChatd } from '../../packages/server/src/index.ts';
import type { ReplicaOrder } from './replica.ts';
import { effectTools } from './tools.ts';

/*
 * One replica of the deployment under test: chatd inside a program with tools of its own. Ends by itself when whoever
 * started it is gone.
 */
const order = JSON.parse(process.argv[2] ?? '') as ReplicaOrder;
const stop = Promise.withResolvers<void>();
process.on('SIGTERM', () => stop.resolve());
process.stdin.on('end', () => process.exit(1)).resume();

const chatd = await createChatd({
  settings: order.settings,
  tools: effectTools(order.effects),
  limits: order.limits,
  writeLog: (line) => process.stderr.write(line),
});
process.stdout.write(`${chatd.url}\n`);
await stop.promise;
await chatd.close();
process.exit(0);
