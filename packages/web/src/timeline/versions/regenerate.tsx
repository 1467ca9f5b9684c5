import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { apiQuery } from '../../api/queries.ts';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useAccess } from '../../state/access.ts';
import { useChatProperty } from '../../state/chats/use-chat-list.ts';
import { Action } from '../../ui/action.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.ts';

/** Answers a message again, with the same or another model. */
export function Regenerate({
  chatId,
  messageId,
}: {
  readonly chatId: string;
  readonly messageId: number;
}) {
  const access = useAccess();
  const archived = useChatProperty(chatId, isArchived);
  const current = useChatProperty(chatId, modelOf);
  if (archived) return null;
  return (
    <Menu
      trigger={
        <Action label="Regenerate answer">
          <RefreshCw />
        </Action>
      }
    >
      <MenuItem icon={<RefreshCw />} onSelect={() => void regenerate(chatId, messageId)}>
        Regenerate
      </MenuItem>
      {access === 'owner' && (
        <OtherModels
          current={current}
          onSelect={(modelConfigId) => void regenerate(chatId, messageId, modelConfigId)}
        />
      )}
    </Menu>
  );
}

const isArchived = (chat: Chat | undefined) => chat?.archived === true;
const modelOf = (chat: Chat | undefined) => chat?.model_config_id;

/** Requested when the menu opens. */
function OtherModels({
  current,
  onSelect,
}: {
  readonly current: string | undefined;
  readonly onSelect: (modelConfigId: string) => void;
}) {
  const { data } = useQuery(apiQuery('listModelConfigs'));
  const others = (data?.model_configs ?? []).filter(({ enabled, id }) => enabled && id !== current);
  if (others.length === 0) return null;
  return (
    <>
      <MenuLine />
      <p className="px-2 py-1 text-sm text-muted">With another model</p>
      {others.map(({ id, display_name }) => (
        <MenuItem key={id} onSelect={() => onSelect(id)}>
          {display_name}
        </MenuItem>
      ))}
    </>
  );
}

export async function regenerate(
  chatId: string,
  messageId: number,
  modelConfigId?: string,
): Promise<void> {
  try {
    await client.call('regenerateAnswer', {
      params: { chat_id: chatId, message_id: messageId },
      body: { model_config_id: modelConfigId },
    });
  } catch (error) {
    toast.error(explain(error));
  }
}
