import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { createClient } from '../src/index.ts';
import { startExample } from './support/example.ts';
import { poll } from './support/poll.ts';

const ROOT = join(import.meta.dirname, '../../..');
const server = await startTestServer({
  concurrency: 8,
  secretKey: 'a key for the tests 0123456789',
});
const client = createClient({ url: server.url, token: ADMIN_TOKEN });

async function newTickets(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-tickets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'tickets.json');
}

test('the tools work over stdio, and one that changes data waits for an approval', async () => {
  const file = await newTickets();
  const added = await client.mcpServers.create({
    name: 'tickets',
    transport: 'stdio',
    command: process.execPath,
    args: [join(ROOT, 'examples/mcp-server/stdio.ts'), file],
    trusted: true,
  });
  expect(await client.mcpServers.test(added.id)).toMatchObject({
    ok: true,
    tools: [{ name: 'tickets__search_tickets' }, { name: 'tickets__close_ticket' }],
  });
  await client.me.updateApprovals({
    approvals: [{ pattern: 'tickets__close_*', action: 'ask' }],
  });

  const { chat, turn } = await client.chats.begin({
    content: 'use the tool tickets__search_tickets with "invoice"',
    mcp_server_ids: [added.id],
  });
  expect((await turn.result()).text).toContain('Invoice for Oslo');

  const closing = client.chats.turn(chat.id, 'use the tool tickets__close_ticket for ticket 2');
  for await (const event of closing) {
    if (event.type !== 'action_required') continue;
    const [call] = event.tool_calls;
    expect(call).toMatchObject({ kind: 'approval', args: { id: 2 } });
    await client.chats.decideApprovals(chat.id, {
      decisions: [{ tool_call_id: call!.tool_call_id, decision: 'allow' }],
    });
  }
  expect((await closing.result()).text).toContain('closed');
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject([
    { status: 'open' },
    { status: 'closed' },
  ]);
});

test('over HTTP, the server requires its token', async () => {
  const http = startExample(['examples/mcp-server/http.ts', await newTickets()], {
    TICKETS_TOKEN: 'secret-of-the-tickets',
    PORT: '0',
  });
  await poll(http.output).toMatch(/Listening at \S+/);
  const [, url = ''] = /Listening at (\S+)/.exec(http.output()) ?? [];
  const add = (name: string, token: string) =>
    client.mcpServers.create({ name, transport: 'http', url, auth: { type: 'bearer', token } });

  const right = await add('right', 'secret-of-the-tickets');
  expect(await client.mcpServers.test(right.id)).toMatchObject({ ok: true });
  const wrong = await add('wrong', 'another');
  expect(await client.mcpServers.test(wrong.id)).toMatchObject({ ok: false });
});
