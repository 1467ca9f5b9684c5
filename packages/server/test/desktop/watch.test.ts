import { API_PREFIX } from '@chatd/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { DesktopClient } from './desktop-client.ts';
import {
  AZURE,
  BISQUE,
  ECHOING,
  findTerminal,
  hasDesktops,
  readLine,
  terminal,
} from '@chatd/test-server/desktop';
import { DesktopWorld } from './world.ts';

/** A line of the terminal, as the client sees it. */
const lineOf = async (client: DesktopClient, line = 1) => {
  await client.rfb.refresh();
  return readLine(client.rfb.screen, BISQUE, line).replaceAll('\u25a1', '').trimEnd();
};

describe.skipIf(!hasDesktops)('watching a desktop', () => {
  let world: DesktopWorld;
  let workspace: string;
  let chat: string;

  beforeAll(async () => {
    world = await DesktopWorld.start();
    world.script({ task: 'Nothing', decide: () => 'Done.' });
    world.script({
      task: 'Open a terminal',
      decide: (step) =>
        step === 0
          ? {
              tool: 'execute',
              command: terminal(BISQUE, '80x10+100+100', ECHOING),
              run_in_background: true,
            }
          : 'Open.',
    });
    workspace = await world.workspace();
    chat = await world.chat('Open a terminal', workspace);
    await world.waiting(chat);
  }, 60_000);

  test('a user without access gets 404 before the upgrade, an anonymous client gets unauthenticated', async () => {
    const { stranger, anonymous, admin, owner } = world.server;
    const refused = await DesktopClient.refused(stranger, chat, '?mode=control&start=true');
    expect(refused).toMatchObject({ status: 404, code: 'not_found' });
    expect(await DesktopClient.refused(admin, chat)).toMatchObject({ code: 'not_found' });
    expect(await DesktopClient.refused(anonymous, chat)).toMatchObject({ code: 'unauthenticated' });
    const missing = await DesktopClient.refused(owner, crypto.randomUUID());
    expect({ ...refused, detail: missing.detail }).toEqual(missing);
    expect(await stranger.refused('getDesktop', { params: { chat_id: chat } })).toMatchObject({
      status: 404,
    });
    const plain = await fetch(`${owner.url}${API_PREFIX}/chats/${chat}/desktop`, {
      headers: owner.headers,
    });
    expect(plain.status).toBe(426);
  });

  test('a viewer of the chat can watch but not control the desktop', async () => {
    const { stranger, owner } = world.server;
    const { id: user_id } = await stranger.ok('getMe');
    const share = (grants: object[]) =>
      owner.ok('replaceChatSharing', { params: { chat_id: chat }, body: { grants } });
    await share([{ user_id, role: 'viewer' }]);
    expect(await DesktopClient.refused(stranger, chat, '?mode=control')).toMatchObject({
      code: 'role_required',
    });
    const client = await DesktopClient.open(stranger, chat);
    await eventually(() => expect(client.status).toBeDefined());
    client.say({ type: 'take_control' });
    await share([]);
    await eventually(() => expect(client.isClosed).toBe(true));
    expect(client.notices.some(({ yours }) => yours)).toBe(false);
  });

  test('a viewer does not start the desktop of the template', async () => {
    const { stranger, owner, admin } = world.server;
    const { id: user_id } = await stranger.ok('getMe');
    const { id: template_id } = await admin.ok('createTemplate', {
      body: { name: 'unwatched', driver: 'host', desktop: true },
    });
    const { id: workspace_id } = await owner.ok('createWorkspace', { body: { template_id } });
    await eventually(async () => {
      const { status } = await owner.ok('getWorkspace', { params: { workspace_id } });
      expect(status).toBe('ready');
    });
    const chat_id = await world.chat('Nothing');
    await world.waiting(chat_id);
    const params = { chat_id };
    // Attached after the turn, which would open the workspace and start the desktop.
    await owner.ok('updateChat', { params, body: { workspace_id } });
    const grants = [{ user_id, role: 'viewer' }];
    await owner.ok('replaceChatSharing', { params, body: { grants } });
    for (const query of ['', '?status=true']) {
      expect(await DesktopClient.refused(stranger, chat_id, query)).toMatchObject({
        code: 'no_desktop',
      });
    }
    expect(await DesktopClient.refused(stranger, chat_id, '?start=true')).toMatchObject({
      code: 'role_required',
    });
    expect(await stranger.refusal('startDesktop', { params })).toBe('403 role_required');
    expect(await owner.ok('getDesktop', { params })).toMatchObject({ running: false });
  });

  test('without a desktop, the refusal says why', async () => {
    const { owner, admin } = world.server;
    const none = await world.chat('Nothing');
    expect(await DesktopClient.refused(owner, none)).toMatchObject({
      status: 409,
      code: 'no_desktop',
      detail: 'The chat has no workspace.',
    });
    const { id: template_id } = await admin.ok('createTemplate', {
      body: { name: 'plain', driver: 'host' },
    });
    const plain = await owner.ok('createWorkspace', { body: { template_id } });
    await eventually(async () => {
      const { status } = await owner.ok('getWorkspace', { params: { workspace_id: plain.id } });
      expect(status).toBe('ready');
    });
    const idle = await world.chat('Nothing', plain.id);
    expect(await DesktopClient.refused(owner, idle)).toMatchObject({ code: 'no_desktop' });
    expect(await owner.ok('getDesktop', { params: { chat_id: idle } })).toMatchObject({
      running: false,
      reason: expect.stringContaining('Agents start one'),
      width: 1920,
      height: 1080,
    });
    // The owner can start one.
    const started = await DesktopClient.open(owner, idle, '?start=true&status=true');
    expect(started.rfb.screen).toMatchObject({ width: 1920, height: 1080 });
    await started.close();
  });

  test('a read-only token can watch but not control', async () => {
    const { owner, as } = world.server;
    const { token } = await owner.ok('createToken', { body: { name: 'r', scopes: ['read'] } });
    const reader = as(token);
    expect(await DesktopClient.refused(reader, chat, '?mode=control')).toMatchObject({
      code: 'insufficient_scope',
    });
    const watcher = await DesktopClient.open(reader, chat);
    watcher.say({ type: 'take_control' });
    watcher.type('not by me');
    await watcher.rfb.refresh();
    expect(watcher.status).toMatchObject({ controller: 'agent', yours: false });
    expect(await lineOf(watcher)).toBe('');
    await watcher.close();
  });

  test('one client has control at a time, all clients are notified, and only its keys arrive', async () => {
    const { owner } = world.server;
    const [one, two] = [
      await DesktopClient.open(owner, chat),
      await DesktopClient.open(owner, chat),
    ];
    await one.receives({ viewers: 2, controller: 'agent', controlled_by: null, yours: false });
    await eventually(async () => {
      await one.rfb.refresh();
      expect(findTerminal(one.rfb.screen, BISQUE)).toBeDefined();
    });
    one.type('unheard');
    one.say({ type: 'take_control' });
    await one.receives({ controller: 'person', yours: true });
    await two.receives({ controller: 'person', yours: false });
    two.type('unheard as well');
    one.type('by one ');
    await eventually(async () => expect(await lineOf(two)).toBe('by one'));

    // Taking over releases the keys that the first client held, or this would be a control character.
    one.rfb.key(0xffe3, true);
    two.say({ type: 'take_control' });
    await one.receives({ controller: 'person', yours: false });
    two.type('u by two');
    await eventually(async () => expect(await lineOf(one)).toBe('by one u by two'));

    expect(await owner.ok('getDesktop', { params: { chat_id: chat } })).toMatchObject({
      running: true,
      controller: 'person',
      viewers: 2,
      width: 1200,
    });
    await two.close();
    await one.receives({ controller: 'agent', viewers: 1 });
    await one.close();
  });

  test("the agent's next action waits while a person has control, then continues", async () => {
    const { owner } = world.server;
    const person = await DesktopClient.open(owner, chat, '?mode=control&status=true');
    await person.receives({ yours: true });
    world.script({
      task: 'Wait for me',
      decide: (step) => (step < 2 ? PLAN[step] : 'Reported.') ?? '',
    });
    const PLAN = [
      { tool: 'spawn_computer_use_agent', prompt: 'Look at it' },
      { tool: 'wait_agent' },
    ];
    world.script({
      task: 'Look at it',
      decide: (step) => (step === 0 ? { action: 'screenshot' } : 'Seen.'),
    });
    const parent = await world.chat('Wait for me', workspace);
    await person.receives({ agent_waits: true });
    person.type('while it waits');
    await eventually(async () => expect(await lineOf(person)).toContain('while it waits'));
    expect((await owner.ok('getChat', { params: { chat_id: parent } })).status).toBe('running');
    expect(person.status).toMatchObject({ agent_waits: true });

    person.say({ type: 'give_back' });
    await person.receives({ controller: 'agent', agent_waits: false });
    await world.waiting(parent);
    expect((await world.results(parent)).at(-1)?.result).toBe('Seen.');
    await person.close();
  });

  test('an agent that waits for a person can be interrupted', async () => {
    const { owner } = world.server;
    const person = await DesktopClient.open(owner, chat, '?mode=control&status=true');
    world.script({
      task: 'Never mind',
      decide: (step) =>
        step === 0
          ? { tool: 'spawn_computer_use_agent', prompt: 'Look for ever' }
          : { tool: 'wait_agent' },
    });
    world.script({ task: 'Look for ever', decide: () => ({ action: 'screenshot' }) });
    const parent = await world.chat('Never mind', workspace);
    await person.receives({ agent_waits: true });
    await owner.ok('interruptChat', { params: { chat_id: parent } });
    await person.receives({ agent_waits: false, controller: 'person' });
    await world.waiting(parent);
    await person.close();
  });

  test('stopping the workspace disconnects all viewers, and the desktop starts again on the next use', async () => {
    const { owner } = world.server;
    const watcher = await DesktopClient.open(owner, chat);
    await owner.ok('stopWorkspace', { params: { workspace_id: workspace } });
    await eventually(() => expect(watcher.isClosed).toBe(true));
    expect(await DesktopClient.refused(owner, chat)).toMatchObject({ code: 'workspace_not_ready' });
    await owner.ok('startWorkspace', { params: { workspace_id: workspace } });
    const again = await DesktopClient.open(owner, chat);
    await again.rfb.refresh();
    expect(findTerminal(again.rfb.screen, BISQUE)).toBeUndefined();
    expect(findTerminal(again.rfb.screen, AZURE)).toBeUndefined();
    await again.close();
  });
});
