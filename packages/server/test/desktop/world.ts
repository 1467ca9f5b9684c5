import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeProvider, startFakeProvider } from '@chatd/testing';
import { afterAll, vi } from 'vitest';
import { startTestServer, type TestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { decideAs, type ScriptedAgent } from '@chatd/test-server/desktop';

/** Screens take time to settle, and programs to open. */
const LONG_MS = 90_000;
const SIZE = { width: 1200, height: 800 };

/** A real server with a scripted model and a template with a desktop. */
export class DesktopWorld {
  readonly server: TestServer;
  readonly fake: FakeProvider;
  readonly templateId: string;
  readonly #modelId: string;
  readonly #agents: ScriptedAgent[] = [];

  static async start(model = 'claude-sonnet-4-5'): Promise<DesktopWorld> {
    const directory = await makeTemporaryDirectory();
    const fake = await startFakeProvider({ api: 'anthropic' });
    afterAll(async () => {
      await fake.close();
      await rm(directory, { recursive: true, force: true });
    });
    const server = await startTestServer({
      dataDir: join(directory, 'data'),
      concurrency: 8,
      secretKey: 'a-secret-key-for-tests',
      workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
    });
    const { admin } = server;
    const template = await admin.ok('createTemplate', {
      body: { name: 'desk', driver: 'host', desktop: SIZE },
    });
    const provider = await admin.ok('createProvider', {
      body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
    });
    const config = await admin.ok('createModelConfig', {
      body: { provider_id: provider.id, model, context_limit: 200_000 },
    });
    return new DesktopWorld(server, fake, template.id, config.id);
  }

  private constructor(server: TestServer, fake: FakeProvider, templateId: string, modelId: string) {
    this.server = server;
    this.fake = fake;
    this.templateId = templateId;
    this.#modelId = modelId;
    fake.answerWith(decideAs(this.#agents));
  }

  /** Adds an agent for chats whose first message starts with its task. */
  script(agent: ScriptedAgent): void {
    this.#agents.unshift(agent);
  }

  async workspace(client = this.server.owner): Promise<string> {
    const { id } = await client.ok('createWorkspace', { body: { template_id: this.templateId } });
    await eventually(async () => {
      const { status } = await client.ok('getWorkspace', { params: { workspace_id: id } });
      if (status !== 'ready') throw new Error(`the workspace is ${status}`);
    });
    return id;
  }

  async chat(content: string, workspace_id?: string, client = this.server.owner): Promise<string> {
    const body = { content, ...(workspace_id && { workspace_id }), model_config_id: this.#modelId };
    return (await client.ok('createChat', { body })).id;
  }

  async waiting(chat_id: string): Promise<void> {
    const look = async () => {
      const { status } = await this.server.owner.ok('getChat', { params: { chat_id } });
      if (status !== 'waiting') throw new Error(`the chat is ${status}`);
    };
    await vi.waitFor(look, { timeout: LONG_MS, interval: 50 });
  }

  /** The tool results of a chat, in order. */
  async results(chat_id: string) {
    const { messages } = await this.server.owner.ok('listMessages', { params: { chat_id } });
    return messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
    );
  }
}
