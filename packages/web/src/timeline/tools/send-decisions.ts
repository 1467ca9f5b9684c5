import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { toast } from '../../ui/toast.ts';

type Decision = 'allow' | 'deny';

/** Decides on calls, each with the scope that was chosen for it. A failed decision can be sent again. */
export async function decide(
  { chatId, approvals }: ChatStore,
  ids: readonly string[],
  decision: Decision,
  reason?: string,
): Promise<void> {
  const mark = (sent: boolean) =>
    approvals.sent.update((before) => {
      const after = new Map(before);
      for (const id of ids) {
        if (sent) after.set(id, decision);
        else after.delete(id);
      }
      return after;
    });
  const decisions = ids.map((id) => {
    const scope = approvals.scopeOf(id).get();
    return {
      tool_call_id: id,
      decision,
      ...(scope !== 'once' && { remember: scope }),
      ...(reason !== undefined && { reason }),
    };
  });
  mark(true);
  try {
    await client.call('decideApprovals', { params: { chat_id: chatId }, body: { decisions } });
  } catch (error) {
    mark(false);
    toast.error(explain(error));
  }
}
