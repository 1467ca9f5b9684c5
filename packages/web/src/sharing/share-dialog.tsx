import type { Chat, ChatSharing, NewChatSharing } from '@chatd/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { apiQuery } from '../api/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { AddGrant } from './add-grant.tsx';
import { GrantList } from './grant-list.tsx';
import { sent, withGrant } from './grants.ts';
import { LinkSection } from './link-section.tsx';

/** Every change is saved at once. */
export function ShareDialog({
  chat,
  onClose,
}: {
  readonly chat: Chat;
  readonly onClose: () => void;
}) {
  const params = { chat_id: chat.id };
  const query = apiQuery('getChatSharing', { params });
  const { data, error } = useQuery({ ...query, staleTime: 0 });
  const queries = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();

  /** True: saved. */
  const save = async (before: ChatSharing, change: Partial<NewChatSharing>): Promise<boolean> => {
    setSaving(true);
    setProblem(undefined);
    try {
      const body = { grants: sent(before), link: linkOf(before), ...change };
      const saved = await client.call('replaceChatSharing', { params, body });
      // The URL of a link is only in the response that creates it.
      const url = saved.link?.url ?? (saved.link && before.link?.url);
      const link = saved.link && { ...saved.link, ...(url !== undefined && { url }) };
      queries.setQueryData<ChatSharing>(query.queryKey, { ...saved, ...(link && { link }) });
      return true;
    } catch (refusal) {
      setProblem(explain(refusal));
      return false;
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog title="Share chat" description={`“${chat.title}”`} open onOpenChange={onClose}>
      {error !== null && data === undefined && (
        <Notice kind="bad" title="The sharing settings could not be loaded">
          {explain(error)}
        </Notice>
      )}
      {data === undefined && error === null && <Spinner label="Loading" />}
      {data !== undefined && (
        <div className="flex flex-col gap-4">
          <AddGrant
            disabled={saving}
            onAdd={(grant) => save(data, { grants: withGrant(data, grant) })}
          />
          {problem !== undefined && (
            <Notice kind="bad" live>
              {problem}
            </Notice>
          )}
          <GrantList
            sharing={data}
            disabled={saving}
            onChange={(grants) => void save(data, { grants })}
          />
          <LinkSection
            sharing={data}
            disabled={saving}
            onChange={(link) => void save(data, { link })}
          />
          <p className="text-sm text-muted">
            The chat runs with your keys, your spend limit, and your workspace. Editors and viewers
            can read all files of the workspace.
          </p>
        </div>
      )}
    </Dialog>
  );
}

/** Keeps the link as it is. */
const linkOf = ({ link }: ChatSharing): NewChatSharing['link'] =>
  link === undefined ? null : { expires_at: link.expires_at ?? null };
