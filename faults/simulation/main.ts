import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runSeed } from './run-seed.ts';

/* npm run simulate -- --seeds 1000 --from 1 */

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '500' }, from: { type: 'string' } },
});
const count = Number(values.seeds);
const first = Number(values.from ?? Date.now() % 2 ** 31);
const started = performance.now();
let messages = 0;
let chats = 0;
const digest = createHash('sha256');
const failed: number[] = [];

for (let seed = first; seed < first + count; seed += 1) {
  const result = await runSeed(seed);
  messages += result.messages;
  chats += result.chats;
  digest.update(result.digest);
  if (result.problems.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed}:\n  ${result.problems.join('\n  ')}`);
}

const seconds = (performance.now() - started) / 1000;
const perMinute = Math.round((count / seconds) * 60).toLocaleString('en');
console.log(
  `${count} seeds from ${first}: ${chats} chats, ${messages} messages, ${failed.length} failed, ${perMinute} seeds a minute, digest ${digest.digest('hex').slice(0, 12)}`,
);
if (failed.length > 0) process.exitCode = 1;
