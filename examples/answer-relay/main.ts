import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from '@chatd/client';
import { Slack } from '../thread-bot/slack.ts';
import { type Destination, GitHubIssues, SlackThreads } from './destinations.ts';
import { Relay, type Reply } from './relay.ts';

const { env } = process;
const required = (name: string): string => {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  console.error(`Set ${name}. See README.md.`);
  process.exit(2);
};

const destinations: Record<string, Destination> = {};
if (env['GITHUB_HOOK'] !== undefined) {
  destinations['github'] = new GitHubIssues({
    hook: env['GITHUB_HOOK'],
    token: required('GITHUB_TOKEN'),
    repository: required('GITHUB_REPOSITORY'),
    url: env['GITHUB_API_URL'],
  });
}
if (env['SLACK_HOOK'] !== undefined) {
  const token = required('SLACK_BOT_TOKEN');
  // chatd verifies the signatures of Slack.
  const slack = new Slack({ token, signingSecret: '', url: env['SLACK_URL'] });
  destinations['slack'] = new SlackThreads(env['SLACK_HOOK'], slack);
}
const chatdUrl = required('CHATD_URL');
const relay = new Relay({
  client: createClient({ url: chatdUrl, token: required('CHATD_TOKEN') }),
  chatdUrl,
  secret: required('WEBHOOK_SECRET'),
  destinations,
});

async function handle(request: IncomingMessage): Promise<Reply> {
  const name = (request.url ?? '').slice(1);
  const body = await text(request);
  try {
    return name === 'events'
      ? await relay.receive(body, request.headers)
      : await relay.forward(name, body, request.headers);
  } catch (error) {
    // The sender delivers it again.
    console.error(error);
    return { status: 503 };
  }
}

const server = createServer((request, response) => {
  void handle(request).then(({ status, body }) => response.writeHead(status).end(body));
});
server.listen(Number(env['PORT'] ?? 7791), '127.0.0.1', () => {
  const address = server.address();
  console.error(`Listening on port ${typeof address === 'object' ? address?.port : ''}`);
});
