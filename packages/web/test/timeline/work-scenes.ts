import { startGitHost } from '@chatd/test-server/git';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { answer, text, toolCall } from '@chatd/testing';
import type { Visit, Workshop } from '../panel/workshop.ts';
import { settled } from '../sidebar/rows.ts';

/** A chat whose branch has a pull request with a failed check and a comment. */
export async function gitScene({ site }: Workshop) {
  const host = await startGitHost('token-of-the-screenshots-0123456789');
  await host.repositories.create('acme/shop', { 'README.md': '# Shop\n\nSells things.\n' });
  host.repositories.reaction = {
    checks: [
      { name: 'build', conclusion: 'success' },
      { name: 'test', conclusion: 'failure' },
    ],
    reviews: [{ author: 'grace', state: 'CHANGES_REQUESTED' }],
    threads: [
      {
        isResolved: false,
        path: 'src/greet.ts',
        line: 4,
        comments: [{ author: 'grace', body: 'One exclamation mark is enough here.' }],
      },
    ],
  };
  const { id } = await site.server.admin.ok('createTemplate', {
    body: {
      name: 'acme',
      driver: 'host',
      source: { git: { url: `https://${host.host}/acme/shop.git` } },
    },
  });
  return async ({ page, api, open }: Visit) => {
    await api.ok('createGitConnection', {
      body: { host: host.host, kind: 'github', token: host.token },
    });
    const workspace_id = await readyWorkspace(api, id);
    site.provider.answer(
      answer([toolCall('write_file', { path: 'src/greet.ts', content: 'Hello!!\n' })]),
      answer([text('The greeting is louder now.')]),
    );
    const chat = await api.ok('createChat', {
      body: { content: 'Please greet louder', title: 'Greet louder', workspace_id },
    });
    await settled(api, chat.id);
    await page.goto(`${site.url}/chats/${chat.id}`);
    await open('Git');
    const panel = page.getByRole('region', { name: 'Side panel' });
    await panel.getByRole('button', { name: 'Commit and push' }).click();
    await panel.getByRole('button', { name: 'Open pull request' }).click();
    await panel.getByText('One exclamation mark is enough here.').waitFor();
    await page.locator('[data-sonner-toast]').waitFor({ state: 'hidden' });
  };
}

/** The changes of a turn, which can be restored. */
export const checkpointScene =
  ({ site }: Workshop) =>
  async ({ page, api, chatId }: Visit) => {
    site.provider.answer(
      answer([
        toolCall('write_file', {
          path: 'README.md',
          content: '# Shop\n\nSells things, and greets.\n',
        }),
        toolCall('write_file', { path: 'CHANGELOG.md', content: '# 2\n\n- A louder greeting\n' }),
      ]),
      answer([text('Both files describe the new greeting.')]),
    );
    await api.ok('sendMessage', {
      params: { chat_id: chatId },
      body: { content: 'Describe it in the README and in the changelog.' },
    });
    await settled(api, chatId);
    await page.getByRole('button', { name: /in 2 files$/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Changes of this turn: 2 files' });
    await dialog.getByText('A louder greeting').waitFor();
  };

/** A project with instructions and two chats. */
export const projectScene =
  ({ site }: Workshop) =>
  async ({ page, api, chatId }: Visit) => {
    const { id: project_id } = await api.ok('createProject', {
      body: { name: 'Shop', instructions: 'Write short sentences.' },
    });
    await api.ok('updateChat', { params: { chat_id: chatId }, body: { project_id } });
    await page.goto(`${site.url}/projects/${project_id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
