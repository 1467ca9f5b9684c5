import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from '@chatd/client';
import { Bot, type Delivery } from './bot.ts';
import { Slack } from './slack.ts';

const env = (name: string) => {
  const value = process.env[name];
  if (value !== undefined && value !== '') return value;
  console.error(`Set ${name}. See README.md.`);
  process.exit(2);
};
const slack = new Slack({
  token: env('SLACK_BOT_TOKEN'),
  signingSecret: env('SLACK_SIGNING_SECRET'),
  url: process.env['SLACK_URL'],
});
const client = createClient({ url: process.env['CHATD_URL'], token: env('CHATD_TOKEN') });
const bot = new Bot(client, slack);

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    // Slack redelivers the event.
    console.error(error);
    response.writeHead(503).end();
  });
});
server.listen(Number(process.env['PORT'] ?? 7790), '127.0.0.1', () => {
  const address = server.address();
  console.error(
    `Listening for Slack events on port ${typeof address === 'object' ? address?.port : ''}`,
  );
});
await bot.resume();

process.once('SIGTERM', () => {
  server.close();
  void bot.stop().then(() => process.exit());
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const header = (name: string) => String(request.headers[name] ?? '');
  const signature = header('x-slack-signature');
  if (!slack.isSigned(body, header('x-slack-request-timestamp'), signature, Date.now())) {
    response.writeHead(401).end();
    return;
  }
  const delivery = JSON.parse(body) as Delivery & { type: string; challenge?: string };
  if (delivery.type === 'url_verification') {
    response.end(delivery.challenge);
    return;
  }
  if (delivery.type === 'event_callback') await bot.accept(delivery);
  response.writeHead(200).end();
}
