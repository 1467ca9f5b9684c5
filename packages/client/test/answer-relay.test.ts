import { onTestFinished, expect, test } from 'vitest';
import { startFakeGitHub } from '../../../examples/answer-relay/fake-github.ts';
import { startFakeSlack } from '../../../examples/thread-bot/fake-slack.ts';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { createClient } from '../src/index.ts';
import { startExample } from './support/example.ts';
import { poll } from './support/poll.ts';

const server = await startTestServer(
  { concurrency: 8, secretKey: 'a-secret-key-of-the-tests' },
  { outbox: { everyMs: 100, delayMs: () => 50 } },
);
const client = createClient({ url: server.url, token: ADMIN_TOKEN });
const SECRET = 'a-secret-of-the-sender-0123456789';

async function startRelay(env: Readonly<Record<string, string>>): Promise<string> {
  // The relay needs the secret of the webhook, and the webhook the address of the relay.
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const relay = startExample(['examples/answer-relay/main.ts'], {
    CHATD_URL: server.url,
    CHATD_TOKEN: ADMIN_TOKEN,
    WEBHOOK_SECRET: secret,
    PORT: '0',
    ...env,
  });
  await poll(relay.output).toMatch(/port \d+/);
  const url = `http://127.0.0.1:${/port (\d+)/.exec(relay.output())?.[1] ?? ''}`;
  await client.call('createWebhook', {
    body: { url: `${url}/events`, events: ['chat.waiting'], secret },
  });
  return url;
}

test('a comment on an issue gets one answer, and the next comment continues the chat of the issue', async () => {
  let url = '';
  let posts = 0;
  const github = await startFakeGitHub({
    token: 'a-token',
    secret: SECRET,
    hookUrl: () => `${url}/github`,
    isDown: () => (posts += 1) === 1,
  });
  onTestFinished(() => github.close());
  const trigger = await client.call('createTrigger', {
    body: {
      name: 'issues',
      kind: 'webhook',
      verify: { type: 'github', secret: SECRET },
      prompt: 'Issue {{payload.issue.number}}: answer this comment. {{payload.comment.body}}',
      chat: { continue: { key: '{{payload.issue.number}}' }, labels: { relay: 'github' } },
    },
  });
  url = await startRelay({
    GITHUB_HOOK: trigger.path ?? '',
    GITHUB_TOKEN: 'a-token',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_API_URL: github.url,
  });
  expect(await github.comment(7, '@chatd hello')).toEqual([202, 200]);
  await poll(() => github.comments.get(7)?.length).toBe(2);
  // Comments of bots and comments without a mention are ignored.
  expect(await github.comment(7, '@chatd hello', 'Bot')).toEqual([204, 204]);
  expect(await github.comment(7, 'Me too')).toEqual([204, 204]);
  expect(await github.comment(7, '@chatd hello again')).toEqual([202, 200]);
  await poll(() => github.comments.get(7)?.length).toBe(6);
  expect(github.refused).toEqual([]);
  const { chats } = await client.chats.list({ label: 'relay:github' });
  expect(chats).toHaveLength(1);
});

test('a mention in Slack is answered in its thread, and the next mention continues the chat of the thread', async () => {
  let url = '';
  const slack = await startFakeSlack({ signingSecret: SECRET, botUrl: () => `${url}/slack` });
  onTestFinished(() => slack.close());
  const trigger = await client.call('createTrigger', {
    body: {
      name: 'mentions',
      kind: 'webhook',
      verify: { type: 'slack', secret: SECRET },
      prompt:
        'A mention in Slack. Channel: {{payload.event.channel}} Thread: {{payload.event.thread_ts ?? payload.event.ts}} Answer this message: {{payload.event.text}}',
      chat: {
        labels: { relay: 'slack' },
        continue: {
          key: '{{payload.event.channel}} {{payload.event.thread_ts ?? payload.event.ts}}',
        },
      },
    },
  });
  url = await startRelay({
    SLACK_HOOK: trigger.path ?? '',
    SLACK_BOT_TOKEN: 'any',
    SLACK_URL: slack.url,
  });
  const thread = await slack.mention('hello');
  await poll(() => slack.messages.length).toBe(1);
  expect(slack.messages[0]?.thread).toBe(thread);
  await slack.mention('hello again', thread);
  await poll(() => slack.messages.length).toBe(2);
  expect(slack.messages[1]?.thread).toBe(thread);
  const other = await slack.mention('hello');
  await poll(() => slack.messages.length).toBe(3);
  expect(slack.messages[2]?.thread).toBe(other);
  const { chats } = await client.chats.list({ label: 'relay:slack' });
  expect(chats).toHaveLength(2);
});
