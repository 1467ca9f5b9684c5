import { expect, test } from 'vitest';
import { SOON } from '../sidebar/rows.ts';
import { newContext } from '../support/browser.ts';
import { openSite } from '../support/site.ts';

const site = await openSite();
const password = 'correct horse battery';

async function newUser(username: string) {
  const { id } = await site.server.admin.ok('createUser', { body: { username, password } });
  const { token } = await site.server.admin.ok('createToken', { body: { name: 't', user_id: id } });
  return { username, api: site.server.as(token) };
}

async function openSignedOut(path: string) {
  const page = await (await newContext()).newPage();
  await page.goto(`${site.url}${path}`);
  return page;
}

test('after signing in the requested page is shown', async () => {
  const { username } = await newUser('ada');
  const page = await openSignedOut('/settings/appearance');
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
  await page.getByText('prints a one-time sign-in link').waitFor();
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The user name or password is wrong.').waitFor();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Appearance' }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/settings/appearance');
});

test('a draft survives the end of the session', async () => {
  const { username } = await newUser('grace');
  const page = await openSignedOut('/');
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Message' }).fill('Half a thought');
  await page.context().clearCookies();
  // Any call detects the end of the session. If an earlier one already did, the field is gone.
  const search = page.getByRole('searchbox').fill('anything', { timeout: 3000 });
  await search.catch(() => undefined);
  await page.getByText('Your session has ended.').waitFor();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue(), SOON)
    .toContain('Half a thought');
});

test('signing out ends the session', async () => {
  const { page } = await site.visit('/');
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
});
