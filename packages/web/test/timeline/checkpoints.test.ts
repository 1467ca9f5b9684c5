import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { settled } from '../sidebar/rows.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { script, timeline } from './conversation.ts';

const LONG = 180_000;
const directory = await makeTemporaryDirectory();
afterAll(() => rm(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const site = await openSite({
  dataDir,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const { answers } = script(site.provider);
const write = (path: string, content: string) => toolCall('write_file', { path, content });

/** A chat whose agent has written a file in a first turn, and changed it in a second. */
async function twoTurns() {
  const { page, api } = await site.visit('/');
  const workspace_id = await readyWorkspace(api);
  answers.push(answer([write('a.txt', 'first\n')]), answer([text('The first turn is done.')]));
  const { id } = await api.ok('createChat', {
    body: { content: 'Write the file', title: 'Files', workspace_id },
  });
  await settled(api, id);
  answers.push(
    answer([write('a.txt', 'second\n'), write('b.txt', 'new\n')]),
    answer([text('The second turn is done.')]),
  );
  await api.ok('sendMessage', { params: { chat_id: id }, body: { content: 'Change the file' } });
  await settled(api, id);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The second turn is done.').waitFor();
  // The files of the last step are recorded by then. Later changes are not part of the turn.
  await page.getByRole('button', { name: /in 2 files/ }).waitFor();
  return { page, api, id, at: (path: string) => join(filesOf(workspace_id), path) };
}

const filesOf = (workspace: string) => join(dataDir, 'workspaces', workspace, 'files');
const content = (path: string) => readFileSync(path, 'utf8');

test(
  'the diff of a turn opens, and restoring warns before it overwrites later changes',
  { timeout: LONG },
  async () => {
    const { page, at } = await twoTurns();
    await page.getByRole('button', { name: /in 2 files/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Changes of this turn: 2 files' });
    await dialog.getByText('a.txt').first().waitFor();
    expect(await seriousIssues(page)).toEqual([]);
    // Changed after the diff was shown.
    writeFileSync(at('a.txt'), 'by hand\n');
    await dialog.getByRole('button', { name: 'Restore to before this turn' }).click();
    await dialog.getByText('These files were changed since by others').waitFor();
    expect(await dialog.getByRole('listitem').filter({ hasText: 'a.txt' }).count()).toBeGreaterThan(
      0,
    );
    expect(content(at('a.txt'))).toBe('by hand\n');
    await dialog.getByRole('button', { name: 'Overwrite and restore' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(content(at('a.txt'))).toBe('first\n');
    expect(() => content(at('b.txt'))).toThrow('ENOENT');
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(() => expect(content(at('a.txt'))).toBe('by hand\n'));
  },
);

test('editing a message restores the files with it', { timeout: LONG }, async () => {
  const { page, at } = await twoTurns();
  const question = page.getByRole('article').filter({ hasText: 'Change the file' });
  const edit = async (words: string) => {
    await question.getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('checkbox', { name: 'Restore the files to before this message' }).check();
    await page.getByRole('textbox', { name: /Message/ }).fill(words);
    await page.keyboard.press('Enter');
  };
  writeFileSync(at('b.txt'), 'by hand\n');
  await edit('Only read it');
  await page
    .getByText(/would overwrite files that were changed since the last checkpoint: b\.txt/)
    .first()
    .waitFor();
  expect(content(at('b.txt'))).toBe('by hand\n');
  await page.keyboard.press('Escape');

  writeFileSync(at('b.txt'), 'new\n');
  answers.push(
    answer([toolCall('execute', { command: 'cat a.txt; ls b.txt' })]),
    answer([text('It was read.')]),
  );
  await edit('Only read it');
  await timeline(page).getByText('It was read.').waitFor();
  expect(content(at('a.txt'))).toBe('first\n');
  expect(() => content(at('b.txt'))).toThrow('ENOENT');
});

test('a fork starts with the files as they were', { timeout: LONG }, async () => {
  const { page, api, id } = await twoTurns();
  const turn = page.getByRole('button', { name: 'Fork from here with files' });
  await turn.first().click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await timeline(page).getByText('The first turn is done.').waitFor();
  expect(await timeline(page).getByText('The second turn is done.').count()).toBe(0);
  const chat_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { workspace_id } = await api.ok('getChat', { params: { chat_id } });
  await eventually(async () =>
    expect(
      await api.ok('getWorkspace', { params: { workspace_id: workspace_id ?? '' } }),
    ).toMatchObject({ status: 'ready' }),
  );
  const fork = filesOf(workspace_id ?? '');
  expect(content(join(fork, 'a.txt'))).toBe('first\n');
  expect(() => content(join(fork, 'b.txt'))).toThrow('ENOENT');
});
