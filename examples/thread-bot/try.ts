import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@chatd/client';
import { startFakeSlack } from './fake-slack.ts';

// Runs the bot against a fake Slack. Each line you type is a message in one thread, and the bot's messages are printed
// as they change. The bot is a separate process: kill it and start it again to see that nothing is lost.
const signingSecret = 'not-a-secret';
const port = process.env['PORT'] ?? '7790';
const slack = await startFakeSlack({
  signingSecret,
  botUrl: () => `http://127.0.0.1:${port}`,
  onChange: ({ text, edits }) =>
    console.log(edits === 0 ? 'posted:' : `edit ${edits}:`, text.slice(-300)),
});
const bot = spawn(
  process.execPath,
  ['--conditions=chatd-source', join(import.meta.dirname, 'main.ts')],
  {
    env: {
      ...process.env,
      PORT: port,
      SLACK_URL: slack.url,
      SLACK_BOT_TOKEN: 'not-a-token',
      SLACK_SIGNING_SECRET: signingSecret,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  },
);

let thread: string | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== '') thread = await slack.mention(line, thread);
}
// The bot marks the messages it has shown as read.
const client = createClient({ url: process.env['CHATD_URL'], token: process.env['CHATD_TOKEN'] });
const isShown = async () => {
  const { chats } = await client.chats.list({ label: `slack-thread:C1/${thread}` });
  return chats.every(({ status, has_unread }) => status === 'waiting' && !has_unread);
};
while (!(await isShown())) await sleep(500);
bot.kill('SIGTERM');
await once(bot, 'exit');
await slack.close();
