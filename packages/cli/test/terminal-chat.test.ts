import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { cutOff } from './support/cut-off.ts';
import { fakeModel } from './support/fake-model.ts';
import { startServer } from './support/server.ts';
import { Terminal } from './support/terminal.ts';

// Each test starts programs and terminals, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

const server = await startServer();
const { client, env } = server;
const folder = await mkdtemp(join(tmpdir(), 'chatd-terminal-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const READY = /^› *$/m;
/** The summary below every turn. */
const COST = /\d+k? in · \d+ out/;

async function open(args = '', size: { columns?: number; rows?: number } = {}): Promise<Terminal> {
  const terminal = await Terminal.open(`chat ${args}`, { env, ...size });
  await terminal.shows(READY);
  return terminal;
}

async function newest() {
  const { chats } = await client.call('listChats', { query: { limit: '1' } });
  return chats[0]!;
}

describe('a conversation', () => {
  test('the answer is rendered as Markdown and stays in the scrollback with the cost', async () => {
    const terminal = await open('', { rows: 20 });
    await terminal.type('show me markdown');
    await terminal.press('Enter');
    const text = await terminal.printed(COST);
    expect(text).toContain('› show me markdown');
    expect(text).toMatch(/class +│ tokens │ +cost/);
    expect(text).toContain("▏ const answer = await chat.send('Show me markdown');");
    expect(text).toMatch(/∴ thought for [\d.]+ m?s/);
    expect(text).not.toContain('**');
    // The input line is there once, however often it was drawn.
    expect((await terminal.scrollback()).match(/^›$/gm)).toHaveLength(1);
    // Nothing was printed twice.
    expect(text.match(/A table/g)).toHaveLength(1);
    await terminal.press('C-d');
    await terminal.shows('ended with 0');
    expect(await terminal.screen()).toContain(
      `Resume this chat with: chatd chat ${(await newest()).id}`,
    );
  });

  test('a chat is resumed with its history, by ID or from a list', async () => {
    const chat = await client.call('createChat', {
      body: { content: 'hello', title: 'The blue one' },
    });
    await client.call('createChat', { body: { content: 'hello', title: 'The red one' } });
    const byId = await open(chat.id);
    await byId.printed('Hello! I am the demo model of chatd');
    const chosen = await Terminal.open('chat --resume', { env });
    await chosen.shows('The blue one');
    await chosen.type('blue');
    await eventually(async () => expect(await chosen.screen()).not.toContain('The red one'));
    await chosen.press('Enter');
    await chosen.printed(`── ${chat.id}`);
    await chosen.printed('Hello! I am the demo model of chatd');
  });

  test('keys queue messages, steer and interrupt a running turn', async () => {
    const terminal = await open('', { rows: 30 });
    await terminal.type('be slow');
    await terminal.press('Enter');
    await terminal.shows('This is the first paragraph');
    await terminal.type('queued words');
    await terminal.shows('⏎ queue · ⇥ steer');
    await terminal.press('Enter');
    await terminal.shows('⋯ queued: queued words');
    await terminal.type('steering words');
    await terminal.press('Tab');
    await terminal.shows('⋯ steering: steering words');
    await terminal.type('/queue rm 2');
    await terminal.press('Enter');
    await eventually(async () =>
      expect(await terminal.screen()).not.toContain('queued: queued words'),
    );
    await terminal.press('Escape');
    // The text is kept, and the steering message comes next.
    await terminal.printed('› steering words');
    const { messages } = await client.call('listMessages', {
      params: { chat_id: (await newest()).id },
    });
    expect(messages.map(({ role }) => role).slice(0, 3)).toEqual(['user', 'assistant', 'user']);
  });

  test('Ctrl-C interrupts a turn and keeps its text', async () => {
    const terminal = await open();
    await terminal.type('be slow');
    await terminal.press('Enter');
    await terminal.shows('This is the first paragraph');
    await terminal.press('C-c');
    await terminal.printed(/interrupted · .* out/);
    expect(await terminal.scrollback()).toContain('This is the first paragraph');
    await terminal.press('C-c');
    await terminal.shows('Press Ctrl-C again to quit');
    await terminal.press('C-c');
    await terminal.shows('ended with 0');
  });

  test('errors have hints, and retries count down', async () => {
    const terminal = await open();
    await terminal.type('fail and retry');
    await terminal.press('Enter');
    await terminal.shows(/Retrying (in \d+ s|now) \(attempt \d\)/);
    await terminal.printed('That was the third attempt');
    await terminal.type('fail for good');
    await terminal.press('Enter');
    await terminal.printed('✗ The demo model failed permanently');
    await terminal.printed('Send a message to retry');
  });
});

test('the client reports a lost connection, reconnects, and misses no events', async () => {
  const proxy = await cutOff(server.url);
  const terminal = await Terminal.open('chat', { env: { ...env, CHATD_URL: proxy.url } });
  await terminal.shows(READY);
  await terminal.type('hello');
  await terminal.press('Enter');
  await terminal.printed(COST);
  proxy.cut();
  await terminal.shows('Connection lost');
  const { id } = await newest();
  await client.call('sendMessage', {
    params: { chat_id: id },
    body: { content: 'from elsewhere' },
  });
  // A message that cannot be sent is not lost.
  await terminal.type('kept words');
  await terminal.press('Enter');
  await terminal.printed('cannot be reached');
  await terminal.shows('› kept words');
  proxy.restore();
  await terminal.printed('Reconnected. No events were missed.');
  await terminal.printed('› from elsewhere');
  expect((await terminal.scrollback()).match(/^› hello$/gm)).toHaveLength(1);
});

describe('input', () => {
  test('wide characters, emoji and combining marks are edited as graphemes', async () => {
    const terminal = await open();
    await terminal.type('日本語e\u0301👩‍👩‍👧x');
    await terminal.shows(/^› 日本語e\u0301👩‍👩‍👧x/mu);
    // Deletes x, the family and the accented letter, one key each.
    await terminal.press('BSpace');
    await terminal.press('BSpace');
    await terminal.press('BSpace');
    await eventually(async () => expect(await terminal.screen()).toMatch(/^› 日本語$/m));
    // Two columns for the prompt, and two for each character.
    expect((await terminal.cursor()).column).toBe(2 + 6);
    await terminal.press('Left');
    await terminal.type('の');
    await terminal.shows('日本の語');
    await terminal.press('Enter');
    await terminal.printed('› 日本の語');
    // The message is shown before the server has stored it.
    await eventually(async () => {
      const params = { chat_id: (await newest()).id };
      const { messages } = await client.call('listMessages', { params });
      expect(messages[0]!.content).toEqual([{ type: 'text', text: '日本の語' }]);
    });
  });

  test('multiple lines, a paste and the history', async () => {
    const terminal = await open();
    await terminal.type('hello one');
    await terminal.press('C-j');
    await terminal.type('two \\');
    await terminal.press('Enter');
    await terminal.paste('three\nfour');
    await terminal.shows(/› hello one\n {2}two\s*\n {2}three\n {2}four/);
    await terminal.press('Enter');
    await terminal.printed(COST);
    const { messages } = await client.call('listMessages', {
      params: { chat_id: (await newest()).id },
    });
    expect(messages[0]!.content).toEqual([{ type: 'text', text: 'hello one\ntwo \nthree\nfour' }]);
    await terminal.press('Up');
    await terminal.shows(/› hello one\n {2}two\s*\n {2}three\n {2}four/);
    await terminal.press('C-c');
    await eventually(async () => expect(await terminal.screen()).toMatch(READY));
  });

  test('an attached file is sent with the message', async () => {
    const file = join(folder, 'notes.txt');
    await writeFile(file, 'remember the milk\n');
    const terminal = await open();
    await terminal.type(`/attach ${file}`);
    await terminal.press('Enter');
    await terminal.shows('+ notes.txt (18 B)');
    await terminal.type('hello');
    await terminal.press('Enter');
    await terminal.printed('[notes.txt]');
    // The message is shown before the server has stored it.
    await eventually(async () => {
      const params = { chat_id: (await newest()).id };
      const { messages } = await client.call('listMessages', { params });
      expect(messages[0]!.content[0]).toMatchObject({
        type: 'file-reference',
        content: 'remember the milk\n',
      });
    });
    await terminal.type('/attach /nonexistent');
    await terminal.press('Enter');
    await terminal.printed('no such file');
  });

  test('slash commands: suggestions, completion, typos, export, title', async () => {
    const terminal = await open();
    await terminal.type('/exp');
    await terminal.shows('export the chat as Markdown');
    await terminal.press('Tab');
    await terminal.shows('› /export');
    await terminal.press('C-u');
    await terminal.type('/modle');
    await terminal.press('Enter');
    await terminal.printed('Unknown command /modle.');
    await terminal.type('/model');
    await terminal.press('Enter');
    await terminal.shows('❯ Demo model');
    await terminal.press('Enter');
    await terminal.printed('Model for the next messages');
    await terminal.type('hello');
    await terminal.press('Enter');
    await terminal.printed(COST);
    const file = join(folder, 'chat.md');
    await terminal.type(`/export ${file}`);
    await terminal.press('Enter');
    await terminal.printed('Exported to');
    expect(await readFile(file, 'utf8')).toContain('Hello! I am the demo model');
    await terminal.type('/title Übergrößen 靴');
    await terminal.press('Enter');
    await terminal.printed('Title: Übergrößen 靴');
    expect((await newest()).title).toBe('Übergrößen 靴');
    await terminal.type('/cost');
    await terminal.press('Enter');
    await terminal.printed(/cost \$0\.00 · calls \d/);
  });
});

describe('the terminal', () => {
  test('resizing keeps the layout and the input', async () => {
    const terminal = await open('', { columns: 100, rows: 30 });
    await terminal.type('be slow for 4 seconds');
    await terminal.press('Enter');
    await terminal.shows('This is the first paragraph');
    await terminal.type('unsent 漢字');
    await terminal.shows('› unsent 漢字');
    const fits = async (columns: number) => {
      const lines = (await terminal.screen()).split('\n');
      expect(lines.filter((line) => line === '› unsent 漢字')).toHaveLength(1);
      expect(lines.every((line) => line.length <= columns)).toBe(true);
    };
    // While an answer is streamed.
    await terminal.resize(44, 20);
    await eventually(() => fits(44));
    await terminal.printed(COST);
    // And while the chat is idle.
    for (const [columns, rows] of [
      [120, 40],
      [30, 12],
      [90, 30],
    ] as const) {
      await terminal.resize(columns, rows);
      await eventually(() => fits(columns));
    }
    const all = await terminal.scrollback();
    expect(all.match(/^› unsent 漢字$/gm)).toHaveLength(1);
    expect(all.match(new RegExp(COST, 'g'))).toHaveLength(1);
    await terminal.press('C-u');
    await terminal.type('hello again');
    await terminal.press('Enter');
    await terminal.printed('› hello again');
  });

  test('model output cannot control the terminal', async () => {
    const model = await fakeModel(
      client,
      'safe \u001B]0;stolen title\u0007\u001B[2J\u001B[31mwords\u009B1m \u001B]52;c;aGk=\u0007of \u202Emine\u0007 end\n\nlast',
    );
    const terminal = await open(`--model '${model}'`);
    const before = await terminal.title();
    await terminal.type('say something');
    await terminal.press('Enter');
    await terminal.printed(COST);
    const text = await terminal.scrollback();
    expect(text).toContain('› say something');
    expect(text).toContain('safe words of mine end');
    expect(await terminal.title()).toBe(before);
    expect(await terminal.raw()).not.toContain('\u001B[31m');
  });

  test('NO_COLOR disables colors', async () => {
    const terminal = await Terminal.open('chat', { env: { ...env, NO_COLOR: '1' } });
    await terminal.shows(READY);
    expect(await terminal.raw()).not.toContain('\u001B[');
    const colored = await open();
    expect(await colored.raw()).toContain('\u001B[');
  });
});

describe('approvals, questions and plans', () => {
  test('a key approves a call, and the tool shows its output and duration', async () => {
    const rules = [{ pattern: 'execute', action: 'ask' as const }];
    await client.call('updateApprovals', { body: { approvals: rules } });
    const terminal = await open('--template empty');
    await terminal.type('run a command `echo from the 工作区; exit 3`');
    await terminal.press('Enter');
    await terminal.shows('? Allow execute echo from the 工作区');
    await terminal.press('y');
    await terminal.printed(/[✓✗] execute echo from the 工作区; exit 3 [\d.]+ m?s/);
    await terminal.printed('  from the 工作区');
    await client.call('updateApprovals', { body: { approvals: [] } });
  });

  test('a question is answered by a number or by text', async () => {
    const terminal = await open();
    await terminal.type('ask me a question');
    await terminal.press('Enter');
    await terminal.shows('2 Green');
    await terminal.press('2');
    await terminal.printed(/You answered:.*Green/);
    await terminal.type('ask me a question');
    await terminal.press('Enter');
    await terminal.shows('1 Blue');
    await terminal.type('violet, please');
    await terminal.press('Enter');
    await terminal.printed(/You answered:.*violet, please/);
  });

  test('a plan is shown and accepted', async () => {
    const terminal = await open('', { rows: 40 });
    await terminal.type('/plan');
    await terminal.press('Enter');
    await terminal.printed('Plan mode');
    await terminal.type('make a plan');
    await terminal.press('Enter');
    await terminal.shows('Accept the plan above?');
    await terminal.press('y');
    await terminal.printed(COST);
    expect((await newest()).plan_mode).toBe(false);
  });
});
