import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { explain } from '../api/explain.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { useChat } from '../state/chats/use-chat-list.ts';
import { newProject, useProjectActions } from '../state/projects.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

const closeNew = () => newProject.set(null);

export function NewProjectDialog({ chatId }: { readonly chatId: string | undefined }) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const { create } = useProjectActions();
  const actions = useChatActions();
  const [, go] = useLocation();
  const chat = useChat(chatId ?? '');
  const form = useId();
  const save = async () => {
    if (name.trim() === '') return setError('Enter a name.');
    try {
      const { id } = await create({ name: name.trim() });
      if (chat !== undefined) await actions.moveToProject(chat, id);
      else go(`/projects/${id}`);
      closeNew();
    } catch (refusal) {
      setError(explain(refusal));
    }
  };
  return (
    <Dialog
      title="New project"
      description="A folder of chats with its own instructions and model."
      open
      onOpenChange={closeNew}
      actions={
        <>
          <Button kind="quiet" onClick={closeNew}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" form={form}>
            Create project
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          value={name}
          error={error}
          maxLength={100}
          autoComplete="off"
          dir="auto"
          onChange={({ target }) => {
            setName(target.value);
            setError(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}
