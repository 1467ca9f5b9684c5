import { rm } from 'node:fs/promises';
import type { Chat, Json, Workspace } from '@chatd/protocol';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readEffects } from '../../../../faults/deployment/effects.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { callIn, messagesOf, resultIn, textOf, untilStatus } from './conversation.ts';
import { readFixtures } from './fixture.ts';
import { openFixture, type RestoredFixture } from './restored-fixture.ts';
import type { UpgradedServer } from './upgraded-server.ts';

/*
 * What chats of an earlier version have besides their messages still works: questions and approvals, MCP servers, client
 * tools, workspaces, keys and limits.
 */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = await makeTemporaryDirectory();
afterAll(() => rm(folder, { recursive: true, force: true }));
const fixtures = readFixtures().filter(({ expectations }) => 'question' in expectations.chats);

test('fixtures of two schemas cover all of this', () => {
  const schemas = fixtures.map(({ expectations }) => expectations.schema);
  expect(schemas).toEqual(expect.arrayContaining([8, 11]));
});

describe.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
  '%s',
  (name, fixture) => {
    const { chats, files, spender } = fixture.expectations;
    let restored: RestoredFixture;
    let server: UpgradedServer;

    beforeAll(async () => {
      restored = await openFixture(fixture, folder);
      server = await restored.start(20);
    });
    afterAll(async () => {
      await server.close();
      await restored.close();
    });

    const idOf = (chat: string) => chats[chat] ?? expect.fail(`${name} has no chat ${chat}`);
    const messagesIn = (chat: string) => messagesOf(server.member, idOf(chat));
    const post = (chat: string, what: string, body: Json) =>
      server.member.post(`/chats/${idOf(chat)}/${what}`, body);
    const untilIdle = (chat: string) => untilStatus(server.member, idOf(chat), 'waiting');
    const lastText = async (chat: string) => (await messagesIn(chat)).map(textOf).at(-1);
    const say = async (chat: string, content: string) => {
      await post(chat, 'messages', { content });
      await untilIdle(chat);
    };
    /** The last model request that contains these words. */
    const promptOf = (words: string) =>
      restored.model.provider.requests.findLast(({ raw }) => raw.includes(words))?.raw ??
      expect.fail(`no model request contains ${words}`);

    test('a user can answer a pending question, and the turn continues with the answer', async () => {
      const tool_call_id = callIn(await messagesIn('question'));
      await post('question', 'answers', { tool_call_id, answer: { selected: ['okapi'] } });
      await untilIdle('question');
      expect(JSON.stringify(resultIn(await messagesIn('question')).result)).toContain('okapi');
      expect(await lastText('question')).toBe('ask_user_question was called');
    });

    test('a user can accept a pending plan, which ends plan mode', async () => {
      const tool_call_id = callIn(await messagesIn('plan'));
      await post('plan', 'answers', { tool_call_id, answer: { accepted: true } });
      await untilIdle('plan');
      const chat = await server.member.get<Chat>(`/chats/${idOf('plan')}`);
      expect(chat.plan_mode).toBe(false);
      expect(await lastText('plan')).toBe('propose_plan was called');
    });

    test('a pending tool call runs after its approval', async () => {
      const tool_call_id = callIn(await messagesIn('approval'));
      await post('approval', 'approvals', { decisions: [{ tool_call_id, decision: 'allow' }] });
      await untilIdle('approval');
      expect(await readEffects(restored.effects)).toContainEqual(
        expect.objectContaining({ key: 'asked', what: 'begin' }),
      );
      expect(await lastText('approval')).toBe('tick was called');
    });

    test('an approved MCP call reaches its server with the stored token', async () => {
      const tool_call_id = callIn(await messagesIn('mcp-approval'));
      expect(restored.notes.calls).toEqual([]);
      await post('mcp-approval', 'approvals', { decisions: [{ tool_call_id, decision: 'allow' }] });
      await untilIdle('mcp-approval');
      expect(restored.notes.calls).toEqual(['add']);
      expect(JSON.stringify(resultIn(await messagesIn('mcp-approval')))).toContain('it is noted');
    });

    test('a chat can still call its MCP server', async () => {
      await say('mcp', 'call notes__look {}');
      expect(JSON.stringify(resultIn(await messagesIn('mcp')))).toContain('speak of a zebra');
    });

    test('a client can answer a pending tool call, and the turn continues', async () => {
      const tool_call_id = callIn(await messagesIn('dynamic'));
      await post('dynamic', 'tool-results', { results: [{ tool_call_id, output: 'an okapi' }] });
      await untilIdle('dynamic');
      expect(await lastText('dynamic')).toBe('look_up was called');
      await post('dynamic', 'messages', { content: 'call look_up {"word":"okapi"}' });
      await untilStatus(server.member, idOf('dynamic'), 'requires_action');
    });

    test('a chat that waits for its subagent gets the result', async () => {
      await untilIdle('supervisor');
      const { result, is_error } = resultIn(await messagesIn('supervisor'));
      expect(is_error ?? false).toBe(false);
      expect(JSON.stringify(result)).toContain('half of the answer, and report');
      expect(await lastText('supervisor')).toBe('wait_agent was called');
    });

    test('the prompt of a compacted chat has the summary instead of the summarized messages', async () => {
      await say('compacted', 'say what the summary is for');
      const prompt = promptOf('say what the summary is for');
      expect(prompt).toContain('A summary of what was said.');
      expect(prompt).toContain('say after the summary');
      expect(prompt).not.toContain('say two');
    });

    test('a compacted chat can be compacted again', async () => {
      await post('compacted', 'compact', {});
      await untilIdle('compacted');
      await say('compacted', 'say what the second is for');
      expect(promptOf('say what the second is for')).not.toContain('say after the summary');
    });

    test('a file can be downloaded, and the model gets it again', async () => {
      const file = await server.member.try('GET', `/files/${files[0]}`);
      expect(file).toEqual({ status: 200, text: NOTES });
      await say('file', 'say what was in it');
      const prompt = promptOf('say what was in it');
      const given = [JSON.stringify(NOTES).slice(1, -1), Buffer.from(NOTES).toString('base64')];
      expect(given.some((form) => prompt.includes(form))).toBe(true);
    });

    test("a user's own provider key still works", async () => {
      await say('own-key', 'say paid again');
      expect(await lastText('own-key')).toBe('paid again');
    });

    test('the spend limit blocks a user until an admin raises it', async () => {
      const { token, chat } = spender ?? expect.fail('the fixture has no user with a spend limit');
      const theirs = server.member.as(token);
      await theirs.post(`/chats/${chat}/messages`, { content: 'say too much' });
      await untilStatus(theirs, chat, 'error');
      const { last_error } = await theirs.get<Chat>(`/chats/${chat}`);
      expect(last_error).toMatchObject({ kind: 'spend_limit' });
      const { id } = await theirs.get<{ id: string }>('/users/me');
      await server.admin.call('PATCH', `/users/${id}`, { spend_limit_micros: 1_000_000_000 });
      await theirs.post(`/chats/${chat}/messages`, { content: 'say enough' });
      await untilStatus(theirs, chat, 'waiting');
      expect((await messagesOf(theirs, chat)).map(textOf).at(-1)).toBe('enough');
    });

    test('a workspace keeps its files, and its agent can change them', async () => {
      const { workspaces } = await server.member.get<{ workspaces: Workspace[] }>('/workspaces');
      const [workspace] = workspaces;
      expect(workspace).toMatchObject({ status: 'ready', template_name: 'notebook' });
      const path = `/workspaces/${workspace?.id}/files/content?path=note.txt`;
      const before = 'written before the upgrade\nchanged by an agent\n';
      expect(await server.member.try('GET', path)).toEqual({ status: 200, text: before });
      const diff = await server.member.get<{ repositories: { patch: string }[] }>(
        `/chats/${idOf('workspace')}/diff`,
      );
      expect(diff.repositories[0]?.patch).toContain('+changed by an agent');
      await say('workspace', 'call execute {"command":"echo $WRITTEN after it >> note.txt"}');
      expect((await server.member.try('GET', path)).text).toBe(`${before}written after it\n`);
    });

    test('a workspace can be created from a stored template', async () => {
      await say('plan', 'call create_workspace {"template":"notebook"}');
      await say('plan', 'call execute {"command":"cat note.txt"}');
      expect(JSON.stringify(resultIn(await messagesIn('plan')))).toContain(
        'written before the upgrade',
      );
    });

    test('the provider rejected no key', () => {
      expect(restored.model.provider.rejected).toEqual([]);
    });
  },
);

const NOTES = 'Notes that were there before the upgrade.\n';
