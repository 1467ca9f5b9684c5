import { answer, gate, text, toolCall } from '@chatd/testing';
import { startServerOn } from '@chatd/test-server';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, inject, test } from 'vitest';
import { box, queue, say } from '../composer/pages.ts';
import { aFinishedChat, row } from '../sidebar/rows.ts';
import { seriousIssues } from '../support/axe.ts';
import { newContext } from '../support/browser.ts';
import { openSite, type Person } from '../support/site.ts';

const site = await openSite({
  dataDir: await makeTemporaryDirectory(),
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const { databaseUrl, admin } = site.server;
/** Another replica, which runs no chats. */
const otherReplica = await startServerOn(databaseUrl, {}, { webFolder: inject('webFolder') });

const isCut = (element: Element) => element.scrollWidth > element.clientWidth;
const nameOf = async ({ api }: Person) => (await api.ok('getMe')).username;
const dialog = ({ page }: Person) => page.getByRole('dialog', { name: 'Share chat' });

async function openDialog(owner: Person): Promise<void> {
  await owner.page.getByRole('button', { name: 'Share chat' }).click();
  await dialog(owner)
    .getByText(/runs with your keys/)
    .waitFor();
}

test(
  'two people work in one chat on two replicas, until the owner ends it',
  { timeout: 120_000 },
  async () => {
    const owner = await site.visit('/');
    const guest = await site.visit('/');
    const [ownerName, guestName] = [await nameOf(owner), await nameOf(guest)];
    await owner.api.ok('updateApprovals', {
      body: { approvals: [{ pattern: 'list_templates', action: 'ask' }] },
    });
    const { id } = await aFinishedChat(site, owner.api, 'The trip');
    await owner.page.goto(`${site.url}/chats/${id}`);
    // The cookie of the session is valid for all ports.
    await guest.page.goto(otherReplica.url);
    await box(guest.page).waitFor();

    await openDialog(owner);
    await dialog(owner).getByLabel('User name').fill(guestName);
    await dialog(owner).getByLabel('Role', { exact: true }).selectOption('editor');
    await dialog(owner).getByRole('button', { name: 'Share', exact: true }).click();
    await dialog(owner).getByLabel(`Role of ${guestName}`).waitFor();
    expect(await dialog(owner).locator('.overflow-y-auto').evaluate(isCut)).toBe(false);
    expect(await seriousIssues(owner.page)).toEqual([]);
    await owner.page.keyboard.press('Escape');

    await row(guest.page, 'The trip', `shared by ${ownerName}`).click();
    await guest.page.getByText(`Shared by ${ownerName}`, { exact: true }).waitFor();
    await guest.page.getByText('Done.').waitFor();
    expect(await guest.page.getByRole('button', { name: 'Share chat' }).count()).toBe(0);
    expect(await guest.page.getByRole('button', { name: /^Model:/ }).count()).toBe(0);
    await owner.page.getByLabel(`Also here: ${guestName}`).waitFor();

    const held = gate();
    site.provider.answer(
      answer([text(['Looking it up', held, ' Found it.'])]),
      answer([toolCall('list_templates', {})]),
      answer([text('Both are done.')]),
    );
    await say(owner.page, 'Find a train');
    await guest.page.getByText('Looking it up').waitFor();
    await say(guest.page, 'And a hotel');
    await queue(owner.page).getByText(`${guestName}: And a hotel`).waitFor();
    held.release();
    await guest.page.getByRole('button', { name: /^Allow call/ }).click();
    await guest.page.getByText('Both are done.', { exact: true }).waitFor();
    await owner.page
      .getByRole('article', { name: `${guestName}, ` })
      .getByText(guestName)
      .waitFor();
    await guest.page
      .getByRole('article', { name: `${ownerName}, ` })
      .first()
      .waitFor();

    await openDialog(owner);
    await dialog(owner).getByLabel(`Role of ${guestName}`).selectOption('viewer');
    await guest.page.getByText(`Only its owner, ${ownerName}, and editors can write.`).waitFor();
    expect(await box(guest.page).count()).toBe(0);
    expect(await seriousIssues(guest.page)).toEqual([]);

    await dialog(owner)
      .getByRole('button', { name: `Revoke access of ${guestName}` })
      .click();
    await guest.page.getByRole('heading', { name: 'This chat is no longer shared' }).waitFor();
    expect(await row(guest.page, 'The trip').count()).toBe(0);
  },
);

test(
  'a link shows the chat live without an account, until it is revoked',
  { timeout: 60_000 },
  async () => {
    await admin.ok('updateSettings', { body: { allow_chat_links: true } });
    const owner = await site.visit('/');
    const { id } = await aFinishedChat(site, owner.api, 'Open letter', 'Dear all.');
    await owner.page.goto(`${site.url}/chats/${id}`);
    await openDialog(owner);
    await dialog(owner).getByRole('button', { name: 'Create link' }).click();
    const address = await dialog(owner).getByRole('textbox', { name: 'Link' }).inputValue();

    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await (await newContext({ permissions })).newPage();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Open letter' }).waitFor();
    await page.getByText('Dear all.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await seriousIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy link' }).last().click();
    const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied.href.replace(copied.search, '')).toBe(address);
    expect(copied.searchParams.has('message')).toBe(true);
    site.provider.answer(answer([text('Yours.')]));
    await owner.api.ok('sendMessage', { params: { chat_id: id }, body: { content: 'Sign it' } });
    await page.getByText('Yours.', { exact: true }).waitFor();

    await dialog(owner).getByRole('button', { name: 'Revoke link' }).click();
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  },
);
