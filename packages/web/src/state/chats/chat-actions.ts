import { ChatdProblem } from '@chatd/client';
import type { Chat, LabelChanges, Labels } from '@chatd/protocol';
import { navigate } from 'wouter/use-browser-location';
import { apiPath, client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import type { ChatList, OptimisticChange } from './chat-list.ts';
import { forgetDeleted, rememberDeleted } from './deleted-chats.ts';
import { changeLabels, labelChanges } from './label-changes.ts';
import { planPin } from './pins.ts';
import { pinnedOf } from './list-order.ts';
import { useChatList } from './use-chat-list.ts';
import { toast } from '../../ui/toast.ts';

/** Long enough to notice a mistake, or to read an error and take the offered action. */
const OFFERED_MS = 10_000;
/** Beside the list, so that it does not cover the composer. */
const UNDO = { duration: OFFERED_MS, position: 'bottom-left' } as const;

/** The actions of a chat. Changes are shown immediately and reverted, with a notice, when the server refuses. */
export class ChatActions {
  readonly #list: ChatList;

  constructor(list: ChatList) {
    this.#list = list;
  }

  readonly rename = (chat: Chat, title: string): Promise<boolean> =>
    this.#try(`“${chat.title}” could not be renamed`, async () => {
      await this.#optimistically(
        chat.id,
        (known) => ({ ...known, title }),
        () => this.#update(chat.id, { title }),
      );
    });

  readonly regenerateTitle = (chat: Chat): Promise<boolean> =>
    this.#try('The title could not be regenerated', async () => {
      await client.call('regenerateTitle', { params: { chat_id: chat.id } });
      toast('Generating a new title…');
    });

  /** Pins at this index, by default at the end. */
  readonly pin = (chat: Chat, place?: number): Promise<boolean> =>
    this.#try(`“${chat.title}” could not be pinned`, async () => {
      const pinned = pinnedOf(this.#list.chats.get());
      const others = pinned.filter(({ id }) => id !== chat.id).length;
      const changes = planPin(pinned, chat.id, Math.min(place ?? others, others));
      await Promise.all(changes.map(({ id, pin_order }) => this.#setPin(id, pin_order)));
    });

  readonly unpin = (chat: Chat): Promise<boolean> =>
    this.#try(`“${chat.title}” could not be unpinned`, () => this.#setPin(chat.id, 0));

  readonly movePin = async (chat: Chat, by: -1 | 1): Promise<boolean> => {
    const pinned = pinnedOf(this.#list.chats.get());
    const from = pinned.findIndex(({ id }) => id === chat.id);
    const to = from + by;
    if (from === -1 || to < 0 || to >= pinned.length) return false;
    return await this.pin(chat, to);
  };

  readonly setLabels = (chat: Chat, labels: Labels): Promise<boolean> => {
    const changes = labelChanges(chat.labels, labels);
    return this.#try('The labels could not be updated', () =>
      this.#optimistically(
        chat.id,
        (known) => ({ ...known, labels: changeLabels(known.labels, changes) }),
        () => this.#update(chat.id, { labels: changes }),
      ),
    );
  };

  readonly moveToProject = (chat: Chat, projectId: string | null): Promise<boolean> =>
    this.#try(`“${chat.title}” could not be moved`, () =>
      this.#optimistically(
        chat.id,
        (known) => inProject(known, projectId),
        () => this.#update(chat.id, { project_id: projectId }),
      ),
    );

  readonly archive = async (chat: Chat): Promise<boolean> => {
    const done = await this.#setArchived(chat, true);
    if (!done) return false;
    toast(`“${short(chat.title)}” archived`, {
      ...UNDO,
      action: { label: 'Undo', onClick: () => void this.unarchive(chat) },
    });
    return true;
  };

  readonly unarchive = (chat: Chat): Promise<boolean> => this.#setArchived(chat, false);

  /** Copies the history up to this message, by default all of it. */
  readonly fork = (
    chat: Chat,
    messageId?: number,
    { files = false }: { readonly files?: boolean } = {},
  ): Promise<boolean> =>
    this.#try(`“${chat.title}” could not be forked`, async () => {
      const params = { chat_id: chat.id };
      const message_id = messageId ?? (await this.#lastMessage(chat));
      const fork = await client.call('forkChat', { params, body: { message_id, files } });
      this.#list.put(fork);
      navigate(`/chats/${fork.id}`);
      toast(`Forked from “${short(chat.title)}”`);
    });

  /** Removes the chat from all lists. The server keeps it for a day, so it can be restored. */
  readonly delete = (chat: Chat): Promise<boolean> =>
    this.#try(
      `“${chat.title}” could not be deleted`,
      async () => {
        const shown = isShown(chat.id);
        const work = async () => {
          await client.call('deleteChat', { params: { chat_id: chat.id } });
          if (shown && isShown(chat.id)) navigate('/');
          this.#list.remove(chat.id);
        };
        // Stays on the page until the server has confirmed.
        await (shown ? work() : this.#optimistically(chat.id, () => null, work));
        rememberDeleted(chat);
        toast(`“${short(chat.title)}” deleted`, {
          ...UNDO,
          description: 'You can restore it from the command palette for 24 hours.',
          action: {
            label: 'Undo',
            onClick: () => void this.restore(chat, { show: shown && location.pathname === '/' }),
          },
        });
      },
      chat,
    );

  readonly restore = (
    chat: Pick<Chat, 'id' | 'title'>,
    { show }: { readonly show: boolean },
  ): Promise<boolean> =>
    this.#try(`“${chat.title}” could not be restored`, async () => {
      this.#list.put(await client.call('restoreChat', { params: { chat_id: chat.id } }));
      forgetDeleted(chat.id);
      if (show) navigate(`/chats/${chat.id}`);
    });

  readonly stop = (chat: Pick<Chat, 'id'>): Promise<boolean> =>
    this.#try('The turn could not be stopped', async () => {
      this.#list.put(await client.call('interruptChat', { params: { chat_id: chat.id } }));
    });

  /** Downloads all messages as a file. */
  readonly export = (chat: Chat, format: 'markdown' | 'json'): void => {
    const link = document.createElement('a');
    link.href = apiPath(`/chats/${chat.id}/export?format=${format}`);
    // The server provides the file name.
    link.download = '';
    link.click();
  };

  async #lastMessage({ id }: Chat): Promise<number> {
    const answer = await client.call('listMessages', {
      params: { chat_id: id },
      query: { limit: 1 },
    });
    const last = answer.messages.at(-1);
    if (last === undefined) throw new Error('This chat is empty.');
    return last.id;
  }

  #setPin(chatId: string, pin_order: number): Promise<void> {
    return this.#optimistically(
      chatId,
      (known) => ({ ...known, pin_order }),
      () => this.#update(chatId, { pin_order }),
    );
  }

  #setArchived(chat: Chat, archived: boolean): Promise<boolean> {
    const what = archived ? 'archived' : 'unarchived';
    return this.#try(
      `“${chat.title}” could not be ${what}`,
      () =>
        this.#optimistically(
          chat.id,
          (known) => ({ ...known, archived }),
          () => this.#update(chat.id, { archived }),
        ),
      chat,
    );
  }

  async #update(
    chatId: string,
    body: Partial<Pick<Chat, 'title' | 'pin_order' | 'archived'>> & {
      labels?: LabelChanges;
      project_id?: string | null;
    },
  ): Promise<void> {
    this.#list.put(await client.call('updateChat', { params: { chat_id: chatId }, body }));
  }

  async #optimistically(
    chatId: string,
    applyOptimistic: OptimisticChange,
    work: () => Promise<void>,
  ): Promise<void> {
    const known = this.#list.applyOptimistic(chatId, applyOptimistic);
    try {
      await work();
    } finally {
      known();
    }
  }

  async #try(failed: string, work: () => Promise<void>, chat?: Chat): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const busy = error instanceof ChatdProblem && error.code === 'chat_active' ? chat : undefined;
      toast.error(failed, {
        description: explain(error),
        ...(busy && {
          duration: OFFERED_MS,
          action: { label: 'Stop turn', onClick: () => void this.stop(busy) },
        }),
      });
      return false;
    }
  }
}

const byList = new WeakMap<ChatList, ChatActions>();

export function useChatActions(): ChatActions {
  const list = useChatList();
  const known = byList.get(list);
  if (known !== undefined) return known;
  const made = new ChatActions(list);
  byList.set(list, made);
  return made;
}

function inProject(chat: Chat, projectId: string | null): Chat {
  const { project_id: _, ...others } = chat;
  return projectId === null ? others : { ...others, project_id: projectId };
}

const isShown = (chatId: string) => location.pathname.startsWith(`/chats/${chatId}`);

/** Shortens long titles for notices. */
function short(title: string): string {
  const points = Array.from(title);
  return points.length <= 40 ? title : `${points.slice(0, 39).join('')}…`;
}
