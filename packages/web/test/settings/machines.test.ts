import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { toJson } from '../../../server/src/store/json.ts';
import { connectMachine } from '../../../server/src/store/queries/machines.ts';
import { registerReplica } from '../../../server/src/store/queries/workers.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';

vi.setConfig({ testTimeout: 90_000 });

const site = await openSite();

/** As if the machine had connected to another replica. */
async function connect(machine_id: string): Promise<void> {
  const { database } = site.server.store;
  const id = randomUUID();
  await database.query(registerReplica, {
    id,
    knows: 24,
    program: 'chatd',
    host: 'h',
    lease_ms: 600_000,
  });
  await database.query(connectMachine, {
    machine_id,
    replica_id: id,
    internal_url: 'http://127.0.0.1:1',
    only_if_free: false,
    name: null,
    reported_labels: toJson({ arch: 'arm64' }),
    version: '9.9.9',
    capabilities: toJson({ sandbox: true, docker: true, desktop: false }),
  });
}

test('an admin adds a machine, whose command is shown once, and sees it connect', async () => {
  const { page } = await site.visit('/settings/machines', { role: 'admin' });
  await page.getByRole('button', { name: 'Add machine' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('builder 1');
  await dialog.getByLabel('Labels').fill('zone');
  await dialog.getByRole('button', { name: 'Add machine' }).click();
  await dialog.getByText('Must be NAME=value').waitFor();
  await dialog.getByLabel('Labels').fill('zone=a');
  await dialog.getByRole('button', { name: 'Add machine' }).click();
  await dialog.getByText(/Must have 1 to 63 letters/).waitFor();
  await dialog.getByLabel('Name').fill('builder-1');
  await dialog.getByRole('button', { name: 'Add machine' }).click();
  const command = (await dialog.getByLabel('Command').textContent()) ?? '';
  expect(command).toMatch(/^CHATD_MACHINE_TOKEN=chatd_machine_\S+ chatd machine --url http:/);
  expect(command).toContain(`--url ${site.url}`);
  expect(await seriousIssues(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('list', { name: 'Machines' }).getByRole('listitem');
  const builder = row.filter({ hasText: 'builder-1' });
  await builder.getByText('never connected').waitFor();
  await builder.getByText('offline').waitFor();
  const { machines } = await site.server.admin.ok('listMachines');
  await connect(machines.find(({ name }) => name === 'builder-1')!.id);
  // The page polls.
  await builder.getByText('online').waitFor();
  await builder.getByText('0 workspaces · chatd 9.9.9 · sandbox, Docker').waitFor();
  await builder.getByText('arch=arm64').waitFor();
  expect(await page.content()).not.toContain('CHATD_MACHINE_TOKEN');

  await builder.getByRole('button', { name: 'Drain builder-1' }).click();
  await builder.getByText('draining').waitFor();
  await builder.getByRole('button', { name: 'Resume placement on builder-1' }).click();
  await builder.getByText('online').waitFor();

  await builder.getByRole('button', { name: 'Edit builder-1' }).click();
  await dialog.getByLabel('Labels').fill('arch=arm64\nzone=b');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await builder.getByText('zone=b').waitFor();

  await builder.getByRole('button', { name: 'Rotate token of builder-1' }).click();
  const rotate = page.getByRole('alertdialog', { name: 'Rotate the token of “builder-1”?' });
  await rotate.getByRole('button', { name: 'Rotate token' }).click();
  const rotated = (await dialog.getByLabel('Command').textContent()) ?? '';
  expect(rotated).toMatch(/^CHATD_MACHINE_TOKEN=chatd_machine_\S+ chatd machine --url http:/);
  expect(rotated).not.toBe(command);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await builder.getByText('offline').waitFor();

  await builder.getByRole('button', { name: 'Delete builder-1' }).click();
  const asked = page.getByRole('alertdialog', { name: 'Delete machine “builder-1”?' });
  await asked.getByRole('button', { name: 'Delete builder-1' }).click();
  await builder.waitFor({ state: 'detached' });
});

test('a template selects machines by labels', async () => {
  const { page } = await site.visit('/settings/templates?edit=new', { role: 'admin' });
  await page.getByLabel('Name').fill('arm');
  await page.getByLabel('Machine labels').fill('arch');
  await page.getByRole('button', { name: 'Add template' }).click();
  await page.getByText('Must be NAME=value').waitFor();
  await page.getByLabel('Machine labels').fill('arch=arm64');
  await page.getByRole('button', { name: 'Add template' }).click();
  await page.getByRole('button', { name: 'Edit arm' }).click();
  const template = async () =>
    (await site.server.admin.ok('listTemplates')).templates.find(({ name }) => name === 'arm');
  expect(await template()).toMatchObject({ machine: { labels: { arch: 'arm64' } } });
  await page.getByLabel('Machine labels').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await template()).not.toHaveProperty('machine');
});
