import type { Chat } from '@chatd/protocol';
import { answer, text } from '@chatd/testing';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ApiClient } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import type { Site } from '../support/site.ts';

export const list = (page: Page): Locator => page.getByRole('navigation', { name: 'Chats' });

/** The row of a chat, whose name includes its state. */
export const row = (page: Page, title: string, state = ''): Locator =>
  list(page).getByRole('link', { name: new RegExp(`${title}.*${state}`) });

/** Visible titles from top to bottom. */
export const titles = (page: Page): Promise<string[]> =>
  list(page).locator('[data-row] > span:first-child > [dir=auto]').allInnerTexts();

/** A chat whose turn has ended. */
export async function aFinishedChat(
  site: Site,
  api: ApiClient,
  title: string,
  said = 'Done.',
): Promise<Chat> {
  site.provider.answer(answer([text(said)]));
  const chat = await api.ok('createChat', { body: { content: `About ${title}`, title } });
  return await settled(api, chat.id);
}

export const settled = (api: ApiClient, chat_id: string): Promise<Chat> =>
  eventually(async () => {
    const chat = await api.ok('getChat', { params: { chat_id } });
    expect(chat.status).not.toMatch(/running|interrupting/);
    return chat;
  });

export async function chatCalled(api: ApiClient, title: string): Promise<Chat> {
  const { chats } = await api.ok('listChats', { query: { limit: 200 } });
  const chat = chats.find((candidate) => candidate.title === title);
  if (chat === undefined) throw new Error(`There is no chat called ${title}.`);
  return chat;
}

/** Polls longer for busy machines. */
export const SOON = { timeout: 15_000 };
