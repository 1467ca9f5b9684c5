import { expect, test, vi } from 'vitest';
import { openSite } from '../support/site.ts';
import { SOON } from './soon.ts';

vi.setConfig({ testTimeout: 90_000 });

const site = await openSite();

test('a user sees their files with sizes and chats, and deletes one', async () => {
  const { page, api } = await site.visit('/settings/files');
  await page.getByText('No files yet').waitFor();
  const upload = (name: string) =>
    api.ok('uploadFile', {
      query: { name },
      raw: Buffer.alloc(1500),
      headers: { 'content-type': 'application/octet-stream' },
    });
  const used = await upload('used.bin');
  await upload('spare.bin');
  const chat = await api.ok('createChat', {
    body: { content: [{ type: 'file', file_id: used.id }], title: 'Test' },
  });

  await page.reload();
  const list = page.getByRole('list', { name: 'Your files' });
  const row = (name: string) => list.getByRole('listitem').filter({ hasText: name });
  await row('used.bin').getByText('2 KB').waitFor();
  expect(await row('used.bin').getByRole('link', { name: 'chat 1' }).getAttribute('href')).toBe(
    `/chats/${chat.id}`,
  );
  await row('spare.bin').getByText('Not used in any chat').waitFor();
  await page.getByText('3 KB of 1.1 GB used').waitFor();

  await page.getByRole('button', { name: 'Delete spare.bin' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete spare.bin' }).click();
  await expect.poll(() => list.getByRole('listitem').count(), SOON).toBe(1);
  expect((await api.ok('listFiles')).files.map(({ id }) => id)).toEqual([used.id]);
});
