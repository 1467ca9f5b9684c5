import type { BusyBehavior, Chat } from '@chatd/protocol';
import { type RefObject, useRef, useState } from 'react';
import { isOwn } from '../state/access.ts';
import { useDeferredCell, useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import type { ComposerState } from '../state/composer-state.ts';
import { ContextMeter } from '../timeline/context-meter.tsx';
import { AwaitedBanner, questionOf } from './banners/awaited-banner.tsx';
import { cancelEditing, EditingBanner } from './banners/editing-banner.tsx';
import { NotSentBanner } from './banners/not-sent.tsx';
import { Outbox } from './banners/outbox.tsx';
import { Editor } from './editor/editor.tsx';
import { ComposerFooter } from './footer.tsx';
import { ComposerFrame } from './composer-frame.tsx';
import { ModelPicker } from './pickers/model-picker.tsx';
import { PlanToggle } from './pickers/plan-toggle.tsx';
import { WorkspaceChip } from './pickers/workspace-chip.tsx';
import { useModel } from './pickers/use-model.ts';
import { usePlanMode } from './pickers/use-plan-mode.ts';
import { Queue } from './queue/queue.tsx';
import { answer, writtenAnswer } from './send/answer.ts';
import { whyNotYet } from './send/content.ts';
import { send } from './send/deliver.ts';
import { isBusy, modeOf, PLACEHOLDERS } from './send/mode.ts';
import { replace } from './send/replace.ts';
import { SendButton } from './send/send-button.tsx';
import { StopButton } from './send/stop-button.tsx';
import { useStop } from './send/use-stop.ts';
import { useComposerCommands } from './use-composer-commands.tsx';

/** The composer of an existing chat. */
export function ChatComposer({
  chat,
  store,
  composing,
  field,
}: {
  readonly chat: Chat;
  readonly store: ChatStore;
  readonly composing: ComposerState;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}) {
  const live = useDeferredCell(store.status);
  // The values of the chat list, until the stream has started.
  const status = useDeferredCell(store.loaded) ? live : chat.status;
  const awaited = useDeferredCell(store.awaited);
  const editing = useCell(composing.editing);
  const pending = useCell(composing.pending) !== null;
  const attachments = useCell(composing.attachments);
  const references = useCell(composing.references);
  const empty = useCell(composing.text).trim() === '';
  const [modelsOpen, setModelsOpen] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const model = useModel(composing, chat);
  const stopping = useStop(chat.id, status);
  const setPlanMode = usePlanMode(chat);

  const withFiles = attachments.length + references.length > 0;
  const question = questionOf(awaited);
  const mode = modeOf({ editing, status, question, withFiles });
  const blocked = whyNotYet(attachments, references);
  const notYet = blocked ?? (empty && !withFiles ? 'Enter a message first.' : undefined);

  const submit = (behavior: BusyBehavior | undefined) => {
    if (notYet !== undefined || pending) return;
    if (editing !== null) void replace(composing, editing, model.choice);
    else if (mode === 'answer' && behavior === undefined && question !== undefined) {
      const reply = writtenAnswer(question, composing.text.get().trim());
      void answer(composing, chat.id, question, reply).then((done) => done && composing.clear());
    } else void send(composing, chat.id, behavior ?? 'queue', model.choice);
    composing.focus();
  };
  const slashCommands = useComposerCommands({
    chat,
    composing,
    stopping,
    setPlanMode,
    chooseModel: () => setModelsOpen(true),
    pickFiles: () => picker.current?.click(),
  });

  return (
    <>
      <Queue store={store} composing={composing} />
      <Outbox composing={composing} chatId={chat.id} />
      <NotSentBanner composing={composing} chat={chat} onAgain={() => submit(undefined)} />
      <AwaitedBanner store={store} />
      <EditingBanner composing={composing} store={store} />
      <ComposerFrame
        composing={composing}
        field={field}
        picker={picker}
        text={
          <Editor
            composing={composing}
            field={field}
            placeholder={PLACEHOLDERS[mode]}
            readOnly={pending}
            slashCommands={slashCommands}
            workspaceId={chat.workspace_id}
            chatId={chat.id}
            messages={store.messages.get}
            onSend={submit}
            onEscape={() => {
              if (editing !== null) cancelEditing(composing);
              return editing !== null;
            }}
          />
        }
        tools={
          <>
            {isOwn(chat) && <PlanToggle on={chat.plan_mode} onChange={setPlanMode} />}
            <WorkspaceChip chat={chat} />
            {isOwn(chat) && (
              <ModelPicker
                model={model}
                open={modelsOpen}
                onOpenChange={setModelsOpen}
                onClosed={composing.focus}
              />
            )}
          </>
        }
        actions={
          <>
            <StopButton stopping={stopping} />
            <SendButton
              mode={mode}
              ways={isBusy(status) && editing === null}
              awaiting={status === 'requires_action'}
              pending={pending}
              disabled={notYet}
              onSend={submit}
              onClosed={composing.focus}
            />
          </>
        }
      />
      <ComposerFooter
        composing={composing}
        mode={mode}
        armed={stopping.armed}
        busy={isBusy(status) && editing === null}
        blocked={blocked}
        notYet={notYet}
        meter={<ContextMeter chat={chat} store={store} />}
      />
    </>
  );
}
