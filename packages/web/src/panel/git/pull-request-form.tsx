import type { Chat, GitRepository } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { TextAreaField } from '../../ui/text-area.tsx';
import { destinationOf } from './destination.ts';
import { useAction } from './use-action.ts';

export function PullRequestForm({
  chat,
  repository: { path, remote },
  onChanged,
}: {
  readonly chat: Chat;
  readonly repository: GitRepository;
  readonly onChanged: () => void;
}) {
  const [title, setTitle] = useState(chat.title ?? '');
  const [body, setBody] = useState('');
  const { busy, problem, run } = useAction(onChanged);
  const open = () =>
    client.call('createPullRequest', {
      params: { chat_id: chat.id },
      body: { path, title, body, ...destinationOf(remote) },
    });
  return (
    <form
      aria-label="New pull request"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void run(open);
      }}
    >
      <TextField
        label="Title"
        required
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
      <TextAreaField
        label="Description"
        value={body}
        onChange={({ target }) => setBody(target.value)}
      />
      {problem !== undefined && (
        <Notice kind="bad" live title="The pull request could not be opened">
          {problem}
        </Notice>
      )}
      <div>
        <Button kind="primary" type="submit" disabled={busy}>
          {busy && <Spinner />}
          Open pull request
        </Button>
      </div>
    </form>
  );
}
