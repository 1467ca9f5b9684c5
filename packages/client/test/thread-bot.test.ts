import { expect, onTestFinished, test } from 'vitest';
import { type FakeSlack, startFakeSlack } from '../../../examples/thread-bot/fake-slack.ts';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { createClient } from '../src/index.ts';
import { type Example, startExample } from './support/example.ts';
import { poll } from './support/poll.ts';

// With the demo model, as in a new installation.
const server = await startTestServer({ concurrency: 8 });
const client = createClient({ url: server.url, token: ADMIN_TOKEN });
const signingSecret = 'a secret of Slack';

async function startBot(slack: FakeSlack): Promise<{ bot: Example; url: string }> {
  const bot = startExample(['examples/thread-bot/main.ts'], {
    CHATD_URL: server.url,
    CHATD_TOKEN: ADMIN_TOKEN,
    SLACK_URL: slack.url,
    SLACK_BOT_TOKEN: 'any',
    SLACK_SIGNING_SECRET: signingSecret,
    PORT: '0',
  });
  await poll(bot.output).toMatch(/port \d+/);
  const [, port = ''] = /port (\d+)/.exec(bot.output()) ?? [];
  return { bot, url: `http://127.0.0.1:${port}` };
}

async function slackFor(botUrl: () => string): Promise<FakeSlack> {
  const slack = await startFakeSlack({ signingSecret, botUrl });
  onTestFinished(() => slack.close());
  return slack;
}

const chatOf = async (thread: string) => {
  const { chats } = await client.chats.list({ label: `slack-thread:C1/${thread}` });
  expect(chats).toHaveLength(1);
  return chats[0]!;
};

test('a thread is a chat: repeated deliveries are ignored, and tools run in the bot', async () => {
  let url = '';
  const slack = await slackFor(() => url);
  ({ url } = await startBot(slack));

  const thread = await slack.mention('please look up order 4711');
  await poll(() => slack.messages[0]?.text).toContain('arrives tomorrow');
  await slack.mention('hello again', thread);
  await poll(() => slack.messages[1]?.text).toContain('markdown');

  expect(slack.messages.map((message) => message.thread)).toEqual([thread, thread]);
  const { id } = await chatOf(thread);
  const { messages } = await client.chats.messages(id);
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  const unsigned = await fetch(url, { method: 'POST', body: '{}' });
  expect(unsigned.status).toBe(401);
});

test(
  'a bot that is killed during an answer continues the same message after a restart',
  { timeout: 90_000 },
  async () => {
    let url = '';
    const slack = await slackFor(() => url);
    const first = await startBot(slack);
    ({ url } = first);
    const thread = await slack.mention('be slow for 8 seconds');
    await poll(() => slack.messages[0]?.edits).toBeGreaterThan(0);
    await first.bot.kill();

    await startBot(slack);
    await poll(() => slack.messages[0]?.text).toContain('Done, slowly.');
    expect(slack.messages).toHaveLength(1);
    await poll(async () => (await chatOf(thread)).has_unread).toBe(false);
  },
);
