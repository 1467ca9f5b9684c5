import { link } from '../api/client.ts';

/** The address of a message within its chat. */
export const messagePath = (chatId: string, messageId: number): string =>
  `/chats/${chatId}?message=${messageId}`;

/** On the page of a link, the link is part of the address: its readers may have no account. */
export function messageUrl(chatId: string, messageId: number): string {
  const path =
    link === undefined
      ? messagePath(chatId, messageId)
      : `/shared/${chatId}?message=${messageId}#${link.secret}`;
  return new URL(path, location.origin).href;
}

/** The message of this chat that the address of the page names. */
export function linkedMessage(chatId: string): number | undefined {
  const place = link === undefined ? 'chats' : 'shared';
  if (location.pathname !== `/${place}/${chatId}`) return undefined;
  const id = new URLSearchParams(location.search).get('message') ?? '';
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined;
}
