/** The address of a message within its chat. */
export const messagePath = (chatId: string, messageId: number): string =>
  `/chats/${chatId}?message=${messageId}`;

export const messageUrl = (chatId: string, messageId: number): string =>
  new URL(messagePath(chatId, messageId), location.origin).href;

/** The message of this chat that the address of the page names. */
export function linkedMessage(chatId: string): number | undefined {
  if (location.pathname !== `/chats/${chatId}`) return undefined;
  const id = new URLSearchParams(location.search).get('message') ?? '';
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined;
}
