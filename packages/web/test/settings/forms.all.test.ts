import { expect, test, vi } from 'vitest';
import { openSite } from '../support/site.ts';
import { SOON } from './soon.ts';

vi.setConfig({ testTimeout: 120_000 });

const site = await openSite();

test('unsaved changes are protected, whichever way the user leaves', async () => {
  const { page } = await site.visit('/settings/about', { role: 'admin' });
  await page.getByRole('link', { name: 'System prompt' }).click();
  const field = page.getByLabel('Instructions for all agents');
  await field.fill('Be brief.');
  const asked = page.getByRole('alertdialog', { name: 'Leave without saving?' });

  await page.getByRole('link', { name: 'Users' }).click();
  await asked.getByRole('button', { name: 'Keep editing' }).click();
  expect(await field.inputValue()).toBe('Be brief.');

  await page.goBack();
  await asked.getByRole('button', { name: 'Keep editing' }).click();
  expect(await field.inputValue()).toBe('Be brief.');
  expect(page.url()).toContain('/settings/system-prompt');

  await page.goBack();
  await asked.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();

  await page.getByRole('link', { name: 'System prompt' }).click();
  await page.getByLabel('Instructions for all agents').fill('Be kind.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  expect((await site.server.admin.ok('getSettings')).system_prompt).toBe('Be kind.');
});

test('server validation errors are shown at their field, which gets the focus', async () => {
  const { page } = await site.visit('/settings/capacity', { role: 'admin' });
  const depth = page.getByLabel('Max subagent depth');
  await depth.fill('99');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => depth.getAttribute('aria-invalid'), SOON).toBe('true');
  expect(await depth.evaluate((element) => element === document.activeElement)).toBe(true);
  const about = await depth.getAttribute('aria-describedby');
  expect(await page.locator(`[id="${about}"]`).textContent()).toMatch(/10/);
  await depth.fill('three');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Must be a number').waitFor();
  await depth.fill('3');
  await page.getByLabel('Max concurrent chats per user').fill('4');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await site.server.admin.ok('getSettings')).toMatchObject({
    subagent_depth: 3,
    max_running_chats_per_user: 4,
    max_running_chats: null,
  });
});

test('turn limits are saved; an empty timeout means none', async () => {
  const { page } = await site.visit('/settings/capacity', { role: 'admin' });
  const steps = page.getByLabel('Max steps per turn');
  const timeout = page.getByLabel('Client tool timeout');
  await expect.poll(() => steps.inputValue(), SOON).toBe('1200');
  expect(await timeout.inputValue()).toBe('300');
  await steps.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Is required').waitFor();
  await steps.fill('50');
  await page.getByLabel('Max parallel tools').fill('4');
  await timeout.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await site.server.admin.ok('getSettings')).toMatchObject({
    max_steps_per_turn: 50,
    max_parallel_tools: 4,
    dynamic_tool_timeout_seconds: null,
  });
});

test('a shorter retention requires confirmation', async () => {
  const { page } = await site.visit('/settings/data', { role: 'admin' });
  const form = page.getByRole('form', { name: 'Data and network' });
  await form.getByLabel('Chat retention').fill('30');
  await form.getByRole('button', { name: 'Save' }).click();
  const asked = page.getByRole('alertdialog', { name: /without activity for 30 days/ });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  expect((await site.server.admin.ok('getSettings')).retention_days).toBeNull();
  await form.getByRole('button', { name: 'Save' }).click();
  await asked.getByRole('button', { name: 'Delete older chats' }).click();
  await form.getByText('Saved', { exact: true }).waitFor();
  expect((await site.server.admin.ok('getSettings')).retention_days).toBe(30);
  await form.getByLabel('Debug record retention').fill('2');
  // A switch is saved at once, without the fields.
  await form.getByRole('switch', { name: 'Record model calls' }).check();
  await page.getByText('Inform your users').waitFor();
  expect((await site.server.admin.ok('getSettings')).debug_record).toEqual({
    enabled: true,
    retention_hours: 24,
  });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Saved', { exact: true }).waitFor();
  expect((await site.server.admin.ok('getSettings')).debug_record).toEqual({
    enabled: true,
    retention_hours: 2,
  });
});

test('approval rules are ordered, tested before saving, and saved', async () => {
  const { page, api } = await site.visit('/settings/approvals');
  await page.getByText('You have no rules.').waitFor();
  const add = page.getByRole('button', { name: 'Add rule' });
  await add.click();
  await page.getByLabel('Pattern of rule 1').fill('execute(git *)');
  await page.getByLabel('Action of rule 1').selectOption('allow');
  await add.click();
  await expect
    .poll(
      () => page.getByLabel('Pattern of rule 2').evaluate((one) => one === document.activeElement),
      SOON,
    )
    .toBe(true);
  await page.keyboard.type('execute');
  await page.getByLabel('Command or other argument').fill('git status');
  await page.getByRole('button', { name: 'Test call' }).click();
  await page.getByText('Requires approval: your rule “execute” matches.').waitFor();
  await page.getByRole('button', { name: 'Move rule 2 up' }).click();
  await page.getByRole('button', { name: 'Test call' }).click();
  await page.getByText('Allowed without asking: your rule “execute(git *)” matches.').waitFor();
  expect((await api.ok('getApprovals')).approvals).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await api.ok('getApprovals')).approvals).toEqual([
    { pattern: 'execute', action: 'ask' },
    { pattern: 'execute(git *)', action: 'allow' },
  ]);
});

test('a password is changed and the form is cleared', async () => {
  const { page } = await site.visit('/settings/account');
  await page.getByLabel('New password', { exact: true }).fill('a long password');
  await page.getByLabel('Confirm new password').fill('another one');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Does not match the new password').waitFor();
  await page.getByLabel('Confirm new password').fill('a long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('Current password').waitFor();
  expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
  await page.getByLabel('Current password').fill('wrong one');
  await page.getByLabel('New password', { exact: true }).fill('yet another');
  await page.getByLabel('Confirm new password').fill('yet another');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The user name or password is wrong.').waitFor();
});

test('keyboard only: from the settings navigation to a saved rule', async () => {
  const { page } = await site.visit('/settings/appearance', { role: 'admin' });
  const link = page.getByRole('link', { name: 'Approval rules' });
  await link.waitFor();
  await link.focus();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 1, name: 'Approval rules' });
  await expect
    .poll(() => heading.evaluate((one) => one === document.activeElement), SOON)
    .toBe(true);
  const add = page.getByRole('button', { name: 'Add rule' });
  await add.waitFor();
  await page.keyboard.press('Tab');
  expect(await add.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  const pattern = page.getByLabel('Pattern of rule 1');
  await expect
    .poll(() => pattern.evaluate((one) => one === document.activeElement), SOON)
    .toBe(true);
  await page.keyboard.type('write_file');
  await page.keyboard.press('Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await site.server.admin.ok('getSettings')).approvals).toEqual([
    { pattern: 'write_file', action: 'ask' },
  ]);
});
