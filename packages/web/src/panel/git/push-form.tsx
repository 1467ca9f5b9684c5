import type { Chat, GitRepository } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.ts';
import { destinationOf } from './destination.ts';
import { useAction } from './use-action.ts';

/** Commits what is not committed, and pushes the branch. */
export function PushForm({
  chat,
  repository: { path, suggested_branch, uncommitted, remote },
  onChanged,
}: {
  readonly chat: Chat;
  readonly repository: GitRepository;
  readonly onChanged: () => void;
}) {
  const [branch, setBranch] = useState(suggested_branch);
  const [message, setMessage] = useState(chat.title ?? '');
  const { busy, problem, run } = useAction(onChanged);
  const push = async () => {
    await client.call('pushChatGit', {
      params: { chat_id: chat.id },
      body: { path, branch, ...destinationOf(remote), ...(uncommitted > 0 && { message }) },
    });
    toast.success(`Pushed ${branch}`);
  };
  return (
    <form
      aria-label="Push"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void run(push);
      }}
    >
      <TextField
        label="Branch"
        dir="ltr"
        required
        value={branch}
        onChange={({ target }) => setBranch(target.value)}
      />
      {uncommitted > 0 && (
        <TextField
          label="Commit message"
          required
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
      )}
      {problem !== undefined && (
        <Notice kind="bad" live title="The push failed">
          {problem}
        </Notice>
      )}
      <div>
        <Button kind="primary" type="submit" disabled={busy}>
          {busy && <Spinner />}
          {uncommitted > 0 ? 'Commit and push' : 'Push branch'}
        </Button>
      </div>
    </form>
  );
}
