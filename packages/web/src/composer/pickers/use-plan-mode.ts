import type { Chat } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useChatList } from '../../state/chats/use-chat-list.ts';
import { announce } from '../announcements.tsx';
import { toast } from '../../ui/toast.ts';

/** Toggles plan mode. Shown immediately and reverted when the server refuses. */
export function usePlanMode(chat: Chat): (on: boolean) => void {
  const list = useChatList();
  const change = async (plan_mode: boolean) => {
    const known = list.applyOptimistic(chat.id, (before) => ({ ...before, plan_mode }));
    try {
      list.put(
        await client.call('updateChat', { params: { chat_id: chat.id }, body: { plan_mode } }),
      );
      announce(plan_mode ? 'Plan mode is on' : 'Plan mode is off');
    } catch (error) {
      toast.error(`Plan mode could not be changed. ${explain(error)}`);
    } finally {
      known();
    }
  };
  return (on) => void change(on);
}
