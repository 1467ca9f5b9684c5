import { expect, test, vi } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { newContext } from '../support/browser.ts';
import { openSite } from '../support/site.ts';
import { SOON } from './soon.ts';

// Long tests in browsers that share a machine.
vi.setConfig({ testTimeout: 90_000 });

const site = await openSite();

test('a token is shown once, works, and is refused after it was revoked', async () => {
  const { page } = await site.visit('/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.getByLabel('Name').fill('laptop');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  // No scope does not mean all rights.
  await dialog.getByText('Choose at least one scope').waitFor();
  await dialog.getByRole('checkbox', { name: 'read' }).check();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = (await dialog.getByLabel('Token', { exact: true }).textContent()) ?? '';
  expect(token).toMatch(/^chatd_/);
  const api = site.server.as(token);
  await api.ok('listChats');
  expect(await api.refusal('createChat', { body: { content: 'x' } })).toBe(
    '403 insufficient_scope',
  );

  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('list', { name: 'Your tokens' }).getByText('laptop').waitFor();
  expect(await page.content()).not.toContain(token);

  await page.getByRole('button', { name: 'Revoke laptop' }).click();
  const asked = page.getByRole('alertdialog', { name: 'Revoke token “laptop”?' });
  await asked.getByRole('button', { name: 'Revoke laptop' }).click();
  await asked.waitFor({ state: 'hidden' });
  expect(await api.refusal('listChats')).toBe('401 unauthenticated');
});

test('an admin adds a user, whose link works once in another browser', async () => {
  const { page } = await site.visit('/settings/users', { role: 'admin' });
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User name').fill('Ada');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  const field = dialog.getByLabel('User name');
  await expect.poll(() => field.getAttribute('aria-invalid'), SOON).toBe('true');
  expect(await dialog.getByText(/lower-case letters/).isVisible()).toBe(true);

  await field.fill('ada');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = (await dialog.getByLabel('Sign-in link', { exact: true }).textContent()) ?? '';

  const theirs = await (await newContext()).newPage();
  await theirs.goto(link);
  await theirs.goto(`${site.url}/settings/account`);
  await theirs.getByText('You are signed in as ada').waitFor();
  const pages = theirs.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  expect(await pages.allTextContents()).not.toContain('Users');

  const again = await (await newContext()).newPage();
  expect((await again.goto(link))?.status()).toBe(401);
});

test('an auditor reads the audit log, and nothing else of the deployment', async () => {
  const { page } = await site.visit('/settings/users', { role: 'admin' });
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User name').fill('vera');
  await dialog.getByLabel('Role', { exact: true }).selectOption('auditor');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = (await dialog.getByLabel('Sign-in link', { exact: true }).textContent()) ?? '';

  const theirs = await (await newContext()).newPage();
  await theirs.goto(link);
  await theirs.goto(`${site.url}/settings/audit-log`);
  const events = theirs.getByRole('list', { name: 'Events' });
  await events.getByText('username: vera').waitFor();
  await theirs.getByLabel('Action', { exact: true }).selectOption('token.');
  await expect.poll(() => events.getByText('user.create').count(), SOON).toBe(0);
  const pages = theirs.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  expect(await pages.allTextContents()).not.toContain('Users');
});

test('an admin adds a group with members, and restricts a model to it', async () => {
  const { admin } = site.server;
  for (const username of ['grace', 'linus']) await admin.ok('createUser', { body: { username } });
  const { page } = await site.visit('/settings/models', { role: 'admin' });
  const { model_configs } = await admin.ok('listModelConfigs');
  const [model] = model_configs;
  const edit = page.getByRole('button', { name: `Edit ${model?.display_name}` }).first();
  await edit.click();
  await page.getByLabel('Display name').waitFor();
  // Nothing to choose without groups.
  expect(await page.getByLabel('Available to').count()).toBe(0);

  await page.goto(`${site.url}/settings/groups`);
  await page.getByText('No groups yet').waitFor();
  await page.getByRole('button', { name: 'Add group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Research');
  await dialog.getByLabel('Spend limit').fill('500');
  await dialog.getByRole('checkbox', { name: 'grace' }).check();
  expect(await seriousIssues(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add group' }).click();
  const row = page.getByRole('list', { name: 'Groups' }).getByRole('listitem');
  await row.getByText('1 member · limit: $500.00 per month').waitFor();

  await page.getByRole('button', { name: 'Edit Research' }).click();
  await dialog.getByRole('checkbox', { name: 'grace' }).uncheck();
  await dialog.getByRole('checkbox', { name: 'linus' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { groups } = await admin.ok('listGroups');
  const params = { group_id: groups[0]?.id ?? '' };
  const { members } = await admin.ok('listGroupMembers', { params });
  expect(members.map(({ username }) => username)).toEqual(['linus']);

  await page.goto(`${site.url}/settings/models`);
  await edit.click();
  await page.getByLabel('Available to').selectOption('groups');
  await page.getByRole('checkbox', { name: 'Research' }).check();
  // Changes that are made before the response arrives are kept.
  const changed = Promise.withResolvers<void>();
  await page.route(`**/model-configs/${model?.id}`, async (route) => {
    const response = await route.fetch();
    await changed.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Save' }).click();
  const stored = async () =>
    (await admin.ok('getModelConfig', { params: { model_config_id: model?.id ?? '' } })).group_ids;
  await expect.poll(stored, SOON).toEqual([params.group_id]);
  await page.getByLabel('Available to').selectOption('all');
  changed.resolve();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(stored, SOON).toBeNull();
});

test('color scheme and text size apply immediately and are remembered', async () => {
  const { page } = await site.visit('/settings/appearance');
  const root = page.locator('html');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.getByRole('radio', { name: 'Large 115%' }).check();
  const look = async () => [
    await root.getAttribute('data-appearance'),
    await root.evaluate((element) => element.style.fontSize),
  ];
  expect(await look()).toEqual(['dark', '115%']);
  await page.reload();
  await page.getByRole('radio', { name: 'Dark' }).waitFor();
  expect(await look()).toEqual(['dark', '115%']);
  await page.getByRole('radio', { name: 'System' }).check();
  expect((await look())[0]).toBe('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(look, SOON).toEqual(['dark', '115%']);
});

test('an admin suspends a user, revokes a token and lifts the suspension', async () => {
  const { admin } = site.server;
  const user = await admin.ok('createUser', { body: { username: 'eve' } });
  const { token } = await admin.ok('createToken', { body: { name: 'laptop', user_id: user.id } });
  const api = site.server.as(token);
  const { page } = await site.visit('/settings/users', { role: 'admin' });
  const open = async (item: string) => {
    await page.getByRole('button', { name: `More actions for ${user.username}` }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  await open('Suspend');
  await page.getByRole('button', { name: `Suspend ${user.username}` }).click();
  await page.getByText('suspended', { exact: true }).waitFor();
  expect(await api.refusal('getMe')).toBe('401 unauthenticated');

  await open('Lift suspension');
  await page.getByRole('button', { name: 'Lift suspension' }).click();
  await page.getByText('suspended', { exact: true }).waitFor({ state: 'detached' });
  await api.ok('getMe');

  await open('API tokens');
  await page.getByRole('button', { name: 'Revoke laptop' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke laptop' }).click();
  await page.getByText(`${user.username} has no API tokens.`).waitFor();
  expect(await api.refusal('getMe')).toBe('401 unauthenticated');
});
