import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainApi } from '../observe.ts';

const POLL_MS = 50;
const MAX_POLLS = 2400;

/** Polls for up to two minutes. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    if (await holds()) return;
    await sleep(POLL_MS);
  }
  throw new Error(`it did not come true: ${what}`);
}

export async function untilStatus(api: PlainApi, chat: string, status: string): Promise<void> {
  let found: { status: string; last_error?: unknown } = { status: '' };
  const is = async () => {
    found = await api.get<typeof found>(`/chats/${chat}`);
    return found.status === status;
  };
  await until(`the chat ${chat} is ${status}`, is).catch((error: unknown) => {
    throw new Error(`it is ${JSON.stringify(found)}`, { cause: error });
  });
}

/** Waits until this many messages are committed. A tool that the last one calls may be running. */
export const untilMessages = (api: PlainApi, chat: string, count: number): Promise<void> =>
  until(`the chat ${chat} has ${count} messages`, async () => {
    const { messages } = await api.get<{ messages: unknown[] }>(`/chats/${chat}/messages`);
    return messages.length >= count;
  });
