import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { answer, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';
import type { ApiClient } from '@chatd/test-server';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { makeRepository, readyWorkspace } from '@chatd/test-server/workspaces';
import { settled } from '../sidebar/rows.ts';
import { openSite, type Site, type VisitOptions } from '../support/site.ts';

const GREET = `/** Says hello. */
export function greet(name: string): string {
  const words = ['Hello', name];
  return words.join(', ');
}

export const version = 1;
`;

const SOURCES = {
  'README.md': '# Shop\n\nSells things.\n',
  'AGENTS.md': 'Use tabs.\n',
  '.agents/skills/release/SKILL.md':
    '---\nname: release\ndescription: How to make a release.\n---\n# Steps\n',
  'src/greet.ts': GREET,
  'src/deep/gone.txt': 'one\ntwo\n',
};

/** Changes as an agent might make them. */
const CHANGES = {
  'src/greet.ts': GREET.replace("words.join(', ')", "`${words.join(', ')}!`").replace(
    'version = 1',
    'version = 2',
  ),
  'src/new/page.html': '<script>alert(1)</script>\n',
};

export interface Visit {
  readonly page: Page;
  readonly api: ApiClient;
  readonly chatId: string;
  readonly workspaceId: string;
  /** The files of the workspace on the host. */
  readonly folder: string;
  /** Opens a tab as users do. */
  readonly open: (tab: string) => Promise<void>;
}

export interface Workshop {
  readonly site: Site;
  /** A user with a chat whose agent has changed files in its workspace. */
  visit(options?: VisitOptions): Promise<Visit>;
}

/** A site whose chats have workspaces. Lives as long as the test file. */
export async function openWorkshop(): Promise<Workshop> {
  const directory = await makeTemporaryDirectory();
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const dataDir = join(directory, 'data');
  await mkdir(dataDir);
  const site = await openSite({
    dataDir,
    workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
  });
  const source = await makeRepository(join(directory, 'shop'), SOURCES);
  const template = await site.server.admin.ok('createTemplate', {
    body: { name: 'shop', driver: 'host', source: { path: source } },
  });
  return {
    site,
    async visit(options = {}) {
      const { page, api } = await site.visit('/', options);
      const workspaceId = await readyWorkspace(api, template.id);
      const folder = join(dataDir, 'workspaces', workspaceId, 'files');
      await write(folder, CHANGES);
      await rm(join(folder, 'src/deep/gone.txt'));
      site.provider.answer(answer([text('Done.')]));
      const chat = await api.ok('createChat', {
        body: { content: 'Please greet louder', title: 'Louder', workspace_id: workspaceId },
      });
      await settled(api, chat.id);
      await page.goto(`${site.url}/chats/${chat.id}`);
      await page.getByRole('heading', { name: 'Louder' }).waitFor();
      return {
        page,
        api,
        chatId: chat.id,
        workspaceId,
        folder,
        async open(tab) {
          const toggle = page.getByRole('button', { name: 'Side panel', exact: true });
          if ((await toggle.getAttribute('aria-pressed')) !== 'true') await toggle.click();
          await page.getByRole('tab', { name: tab, exact: true }).click();
        },
      };
    },
  };
}

/** Written as the user of the sandbox. */
export async function write(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  await promisify(execFile)('chown', ['-R', '--reference', folder, folder]);
}
