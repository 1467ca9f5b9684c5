import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, startOidcProvider } from '@chatd/test-server/oidc';
import { seriousIssues } from '../support/axe.ts';
import { newContext } from '../support/browser.ts';
import { openSite } from '../support/site.ts';

const provider = await startOidcProvider();
const site = await openSite({
  oidc: {
    issuer: provider.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    scopes: 'openid profile email',
    groupsClaim: 'groups',
    adminGroups: [],
    allowedDomains: [],
    name: 'Example Corp',
  },
  passwordSignIn: false,
});
provider.clients.add(site.url);
provider.accounts.set('ada-1', { preferred_username: 'Ada.Lovelace@example.org' });

async function signIn(page: Page, path: string, subject = 'ada-1') {
  await page.goto(`${site.url}${path}`);
  await page.getByRole('link', { name: 'Sign in with Example Corp' }).click();
  await page.getByLabel('Account').fill(subject);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('signing in at the provider leads to the requested page, signing out ends both sessions', async () => {
  const page = await (await newContext()).newPage();
  const addresses: string[] = [];
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  await page.goto(site.url);
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
  await page.getByText('prints a one-time sign-in link').waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  expect(await seriousIssues(page)).toEqual([]);

  await signIn(page, '/settings/account');
  await page.getByText('You are signed in as ada.lovelace').waitFor();
  expect(new URL(page.url()).pathname).toBe('/settings/account');
  expect(addresses.join('\n')).not.toMatch(/eyJ|id_token|access_token/);
  const cookies = await page.context().cookies(site.url);
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toContainEqual([
    'chatd_session',
    true,
    'Strict',
  ]);
  // Sent from the start, although the sign-in came from another site.
  await page.goto(`${site.url}/`);
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
  expect(new URL(page.url()).origin).toBe(site.url);
  // The provider asks for the account again.
  await page.getByRole('link', { name: 'Sign in with Example Corp' }).click();
  await page.getByLabel('Account').waitFor();
});

test('a local user connects the provider on the account page', async () => {
  provider.accounts.set('grace-1', { email: 'grace@example.org', email_verified: true });
  const { page, api } = await site.visit('/settings/account');
  await page.getByRole('button', { name: 'Connect Example Corp' }).click();
  await page.getByLabel('Account').fill('grace-1');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You can sign in with Example Corp as grace@example.org.').waitFor();
  const { username } = await api.ok('getMe');
  await page.getByText(`You are signed in as ${username}`).waitFor();
});

test('a failed sign-in ends on a page that leads back', async () => {
  const page = await (await newContext()).newPage();
  await signIn(page, '/', 'refused');
  await page.getByRole('heading', { name: 'Example Corp did not sign you in' }).waitFor();
  await page.getByText('The account <b>may not</b> use chatd.').waitFor();
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
});

test('a user approves a command by its code', async () => {
  const { page } = await site.visit('/cli-login');
  const { code, user_code } = await site.server.anonymous.ok('startCliLogin', {
    body: { name: 'chatd command on server' },
  });
  await page.getByLabel('Code').fill('BBBB-BBBB');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Run chatd login again').waitFor();
  await page.getByLabel('Code').fill(user_code.toLowerCase());
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.getByText('chatd command on server is signed in as').waitFor();
  const { token } = await site.server.anonymous.ok('finishCliLogin', { body: { code } });
  expect((await site.server.as(token).ok('getMe')).username).toMatch(/^visitor-/);
});

/** The port of a command, and the query strings that browsers sent to it. */
async function startCommand() {
  const answers: URLSearchParams[] = [];
  const command = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    if (pathname === '/') answers.push(searchParams);
    response.end('The command got it.');
  });
  command.listen(0, '127.0.0.1');
  await once(command, 'listening');
  onTestFinished(() => {
    command.closeAllConnections();
    command.close();
  });
  return { port: (command.address() as AddressInfo).port, answers };
}

test('a user approves a command on the same computer', async () => {
  const { port, answers } = await startCommand();
  const verifier = 'the verifier of the command';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    port: String(port),
    challenge,
    state: 'the state',
    name: 'chatd command on laptop',
  });
  const path = `/cli-login?${query.toString()}`;
  const { page } = await site.visit(path);
  await page.getByRole('heading', { name: 'Sign in the command line?' }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The command got it.').waitFor();
  await page.goto(`${site.url}${path}`);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.getByText('The command got it.').waitFor();
  expect(answers.map((answer) => [...answer.keys()])).toEqual([
    ['error', 'state'],
    ['code', 'state'],
  ]);
  const code = answers[1]?.get('code') ?? '';
  const { token } = await site.server.anonymous.ok('finishCliLogin', { body: { code, verifier } });
  expect((await site.server.as(token).ok('getMe')).username).toMatch(/^visitor-/);
});
