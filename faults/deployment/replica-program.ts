import { createChatd } from '../../packages/server/src/index.ts';
import type { ReplicaConfig } from './replica.ts';
import { effectTools } from './tools.ts';

/*
 * One replica of the deployment under test: a program with tools that embeds chatd. Exits when its parent process ends.
 */
const config = JSON.parse(process.argv[2] ?? '') as ReplicaConfig;
const stop = Promise.withResolvers<void>();
process.on('SIGTERM', () => stop.resolve());
process.stdin.on('end', () => process.exit(1)).resume();

const chatd = await createChatd({
  settings: config.settings,
  tools: effectTools(config.effects),
  limits: config.limits,
  writeLog: (line) => process.stderr.write(line),
});
process.stdout.write(`${chatd.url}\n`);
await stop.promise;
await chatd.close();
process.exit(0);
