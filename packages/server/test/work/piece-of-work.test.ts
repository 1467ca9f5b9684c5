import { randomInt } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import { gate, startFakeProvider } from '@chatd/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Api } from '../../../../faults/clients/api.ts';
import { Viewer } from '../../../../faults/clients/viewer.ts';
import { agentAccount } from '../../src/machine/drivers/host/agent-account.ts';
import { probeSandbox } from '../../src/machine/drivers/host/sandbox-probe.ts';
import { ADMIN_TOKEN, type ServerProcess, spawnServer } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { processesWith } from '../workspaces/sandboxes.ts';
import { decide } from './scripted-agents.ts';
import { NOTE, shopAgents, TASK } from './shop-agents.ts';
import { makeShop, RUNS } from './shop.ts';

const sandbox = await probeSandbox(await agentAccount());
if (!sandbox.works) {
  process.stderr.write(
    `\nNOT TESTED: a whole piece of work, since bubblewrap does not work here (${sandbox.why}). ` +
      'Install it: apt-get install bubblewrap\n\n',
  );
}

/** A sleep duration in seconds: long enough never to end, and unique, so that the process can be found by it. */
const uniqueDuration = () => `${randomInt(10 ** 7, 10 ** 8)}`;

test.skipIf(!sandbox.works)(
  'agents fix a project despite an interrupt and a killed server',
  { timeout: 180_000 },
  async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const watching = uniqueDuration();
    const noting = uniqueDuration();
    const repository = await makeShop(directory, watching);

    const atTheKill = gate();
    const { maintainer, notary } = shopAgents({ pause: atTheKill, noting });
    const fake = await startFakeProvider({ api: 'anthropic' });
    onTestFinished(() => fake.close());
    fake.answerWith((request) => decide([maintainer, notary], request));

    const database = await createTestDatabase(onTestFinished);
    const dataDir = join(directory, 'data');
    const start = () =>
      spawnServer(dataDir, {
        // Short, because the killed server's chats continue after it; long enough that a busy server keeps its own.
        args: ['--lease-seconds', '5'],
        env: {
          CHATD_ALLOW_PRIVATE_URLS: '1',
          CHATD_DATABASE_URL: database.url,
          CHATD_SECRET_KEY: 'a-secret-key-for-this-test',
        },
      });
    let server: ServerProcess = await start();
    onTestFinished(async () => {
      server.child.kill('SIGTERM');
      await server.ended;
    });

    const provider = await server.client.ok('createProvider', {
      body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
    });
    await server.client.ok('createModelConfig', {
      body: {
        provider_id: provider.id,
        model: 'claude-sonnet-4-5',
        context_limit: 200_000,
        is_default: true,
      },
    });
    await server.client.ok('createTemplate', {
      body: { name: 'shop', driver: 'host', source: { git: { url: repository, ref: 'main' } } },
    });
    const { id: chat_id } = await server.client.ok('createChat', {
      body: { content: `${TASK} Put them right.`, title: 'The shop' },
    });
    const params = { chat_id };
    const viewer = new Viewer({ api: new Api(() => [server.url], ADMIN_TOKEN), chatId: chat_id });
    onTestFinished(() => viewer.close());
    const chatIs = (status: string) =>
      eventually(async () => {
        const chat = await server.client.ok('getChat', { params });
        expect(chat.status, JSON.stringify(chat.last_error)).toBe(status);
        return chat;
      });
    let files = '';
    const inWorkspace = async (path: string) => await readFile(join(files, path), 'utf8');

    // The server is killed while the parent streams a response and its subagent runs a command.
    await atTheKill.reached;
    const { workspace_id = '' } = await server.client.ok('getChat', { params });
    files = join(dataDir, 'workspaces', workspace_id, 'files');
    await eventually(async () => expect(await inWorkspace('NOTES.md')).toContain(NOTE));
    await eventually(() => expect(viewer.view.previewText).toBe('Meanwhile '));
    expect(processesWith(noting)).not.toEqual([]);
    server.child.kill('SIGKILL');
    expect(await server.ended).toBe('SIGKILL');
    await eventually(() => expect(processesWith(noting)).toEqual([]));
    server = await start();
    atTheKill.release();

    // The turn continues without a client, up to a command that does not end.
    await eventually(async () => expect(await inWorkspace(RUNS)).toContain('watch\n'));
    await eventually(() => expect(processesWith(watching)).not.toEqual([]));
    await server.client.ok('interruptChat', { params });
    await chatIs('waiting');
    await eventually(() => expect(processesWith(watching)).toEqual([]));
    await server.client.ok('sendMessage', {
      params,
      body: { content: 'Do not watch them: put the tax right, and run them once.' },
    });
    await eventually(async () => {
      const { messages } = await server.client.ok('listMessages', { params });
      expect(messages.at(-1)?.content).toEqual([{ type: 'text', text: maintainer.end }]);
    });
    const chat = await chatIs('waiting');
    expect(chat.workspace_id).toBe(workspace_id);

    // The files are correct, and every command ran as often as it was called.
    expect(await inWorkspace('src/price.sh')).toBe('price() {\n  echo $(($1 * $2))\n}\n');
    expect(await inWorkspace('src/tax.sh')).toBe(
      'with_tax() {\n  echo $(($1 + $1 * 19 / 100))\n}\n',
    );
    expect(await inWorkspace('NOTES.md')).toBe(`${NOTE}\n`);
    expect(await inWorkspace(RUNS)).toBe('first\nwatch\nsecond\n');
    const { repositories } = await server.client.ok('getChatDiff', { params });
    expect(repositories).toMatchObject([
      {
        path: '.',
        branch: 'main',
        files: [
          { path: 'src/price.sh', status: 'modified', additions: 1, deletions: 1 },
          { path: 'src/tax.sh', status: 'modified', additions: 1, deletions: 1 },
          { path: 'NOTES.md', status: 'added', untracked: true },
        ],
      },
    ]);
    expect(repositories[0]?.patch).toContain('+  echo $(($1 * $2))');
    const { workspaces } = await server.client.ok('listWorkspaces');
    expect(workspaces.map(({ id, status }) => ({ id, status }))).toEqual([
      { id: workspace_id, status: 'ready' },
    ]);

    // Every call has exactly one result, which says what happened.
    const history = async (id: string) =>
      (await server.client.ok('listMessages', { params: { chat_id: id }, query: { limit: 200 } }))
        .messages;
    const work = await history(chat_id);
    const results = resultsIn(work);
    const spawned = results.get('spawn')?.result as { agent_id: string } | undefined;
    const agentId = spawned?.agent_id ?? '';
    const part = await history(agentId);
    const notes = resultsIn(part);
    expect(await server.client.ok('getChat', { params: { chat_id: agentId } })).toMatchObject({
      status: 'waiting',
      parent_chat_id: chat_id,
      workspace_id,
    });
    expect(failed(results)).toEqual(['watch']);
    expect(failed(notes)).toEqual(['note']);
    expect(results.get('search')?.result).toBe(
      'src/price.sh:2:  echo $(($1 + $2))\nsrc/tax.sh:2:  echo $(($1 - $1 * 19 / 100))',
    );
    expect(lastOutput(results, 'look')).toMatchObject({
      exit_code: 1,
      output: 'ok price\nFAILED tax: 191 instead of 119\n',
    });
    expect(results.get('watch')?.result).toContain('interrupted');
    expect(lastOutput(results, 'look_again')).toMatchObject({
      exit_code: 0,
      output: 'ok price\nok tax\n',
    });
    expect(results.get('wait')?.result).toBe(notary.end);
    expect(results.get('agents')?.result).toMatch(
      new RegExp(`^The agent ${agentId} .*has finished\\.$`),
    );
    expect(notes.get('read_notes')?.result).toBe(`     1\t${NOTE}`);

    // The provider rejected no request, and the prompt has the project's instructions.
    expect(fake.rejected).toEqual([]);
    expect(JSON.stringify(fake.requests.at(-1)?.body['system'])).toContain('whole numbers');
    // The viewer received every message once.
    await eventually(() => expect(viewer.view.messages).toEqual(work));
    expect(viewer.view.violations).toEqual([]);
    expect(viewer.refusals).toEqual([]);
  },
);

/** Results by call ID. Checks that each call has exactly one. */
function resultsIn(messages: readonly Message[]): Map<string, ToolResultPart> {
  const parts = messages.flatMap(({ content }) => content);
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool-call');
  const results = parts.filter((part): part is ToolResultPart => part.type === 'tool-result');
  const ids = calls.map(({ tool_call_id }) => tool_call_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(results.map(({ tool_call_id }) => tool_call_id).toSorted()).toEqual(ids.toSorted());
  return new Map(results.map((part) => [part.tool_call_id, part]));
}

const failed = (results: ReadonlyMap<string, ToolResultPart>): string[] =>
  [...results.values()].flatMap((part) => (part.is_error === true ? [part.tool_call_id] : []));

/** The last output of a process: the agent polls it until it ends. */
const lastOutput = (results: ReadonlyMap<string, ToolResultPart>, id: string): unknown =>
  [...results.values()].findLast(({ tool_call_id }) =>
    new RegExp(`^${id}(_\\d+)?$`).test(tool_call_id),
  )?.result;
