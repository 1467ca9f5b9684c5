import { ClipboardList, Cpu, Paperclip } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useCell } from '../../state/cell.ts';
import { useChatList } from '../../state/chats/use-chat-list.ts';
import { useCommands } from '../../state/commands.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { useProject } from '../../state/projects.ts';
import { NotSentBanner } from '../banners/not-sent.tsx';
import { Editor } from '../editor/editor.tsx';
import { ComposerFooter } from '../footer.tsx';
import { ComposerFrame } from '../composer-frame.tsx';
import { ModelPicker } from '../pickers/model-picker.tsx';
import { PLAN_KEYS, PlanToggle } from '../pickers/plan-toggle.tsx';
import { useModel } from '../pickers/use-model.ts';
import { createChat } from '../send/create-chat.ts';
import { whyNotYet } from '../send/content.ts';
import { SendButton } from '../send/send-button.tsx';
import type { SlashCommand } from '../suggest/use-command-suggestions.tsx';
import { FOCUS_KEYS, MODEL_KEYS } from '../use-composer-commands.tsx';
import { newChatOptions } from './new-chat-options.ts';
import { ProjectPicker } from './project-picker.tsx';
import { useResubmit } from './use-resubmit.ts';
import { McpPicker } from './mcp-picker.tsx';
import { WorkspacePicker } from './workspace-picker.tsx';

const setPlanMode = (on: boolean) =>
  newChatOptions.update((before) => ({ ...before, planMode: on }));

/** The composer of a new chat, with its options. */
export function NewChatComposer({
  composing,
  field,
}: {
  readonly composing: ComposerState;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}) {
  const list = useChatList();
  const [, go] = useLocation();
  const pending = useCell(composing.pending) !== null;
  const attachments = useCell(composing.attachments);
  const references = useCell(composing.references);
  const empty = useCell(composing.text).trim() === '';
  const { planMode, workspace, projectId } = useCell(newChatOptions);
  const [modelsOpen, setModelsOpen] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const project = useProject(projectId);
  const model = useModel(composing, undefined, project?.model_config_id ?? undefined);

  const nothing = empty && attachments.length + references.length === 0;
  const blocked = whyNotYet(attachments, references);
  const notYet = blocked ?? (nothing ? 'Enter a message first.' : undefined);
  const submit = async () => {
    if (notYet !== undefined || pending) return;
    const chat = await createChat(composing, model.choice);
    if (chat === undefined) return;
    // Added to the list before its page is shown, so that the page need not load it.
    list.put(chat);
    go(`/chats/${chat.id}`);
  };
  useResubmit(composing, () => void submit());
  const slashCommands = useNewChatCommands({
    composing,
    planMode,
    chooseModel: () => setModelsOpen(true),
    pickFiles: () => picker.current?.click(),
  });

  return (
    <>
      <NotSentBanner composing={composing} chat={undefined} onAgain={() => void submit()} />
      <ComposerFrame
        composing={composing}
        field={field}
        picker={picker}
        text={
          <Editor
            composing={composing}
            field={field}
            placeholder="Describe a task"
            tall
            readOnly={pending}
            slashCommands={slashCommands}
            workspaceId={workspace.kind === 'existing' ? workspace.id : undefined}
            chatId={undefined}
            messages={() => []}
            onSend={() => void submit()}
            onEscape={() => false}
          />
        }
        tools={
          <>
            <PlanToggle on={planMode} onChange={setPlanMode} />
            <ProjectPicker onClosed={composing.focus} />
            <WorkspacePicker onClosed={composing.focus} />
            <McpPicker onClosed={composing.focus} />
            <ModelPicker
              model={model}
              open={modelsOpen}
              onOpenChange={setModelsOpen}
              onClosed={composing.focus}
            />
          </>
        }
        actions={
          <SendButton
            mode="send"
            ways={false}
            awaiting={false}
            pending={pending}
            disabled={notYet}
            onSend={() => void submit()}
            onClosed={composing.focus}
          />
        }
      />
      <ComposerFooter composing={composing} mode="send" blocked={blocked} notYet={notYet} />
    </>
  );
}

function useNewChatCommands(input: {
  readonly composing: ComposerState;
  readonly planMode: boolean;
  readonly chooseModel: () => void;
  readonly pickFiles: () => void;
}): readonly SlashCommand[] {
  const { composing, planMode, chooseModel, pickFiles } = input;
  const togglePlan = () => setPlanMode(!planMode);
  useCommands([
    {
      id: 'composer-focus',
      title: 'Focus message field',
      group: 'Chats',
      keys: FOCUS_KEYS,
      run: composing.focus,
    },
    {
      id: 'composer-model',
      title: 'Choose model',
      group: 'Chats',
      keys: MODEL_KEYS,
      words: 'effort reasoning',
      run: chooseModel,
    },
    {
      id: 'composer-plan',
      title: planMode ? 'Start without a plan' : 'Plan first',
      group: 'Chats',
      keys: PLAN_KEYS,
      run: togglePlan,
    },
    { id: 'composer-attach', title: 'Attach files', group: 'Chats', run: pickFiles },
  ]);
  return [
    {
      name: 'model',
      about: 'Choose the model and reasoning effort',
      icon: <Cpu />,
      run: chooseModel,
    },
    {
      name: 'plan',
      about: planMode ? 'Start without a plan' : 'Review a plan before anything is changed',
      icon: <ClipboardList />,
      run: togglePlan,
    },
    {
      name: 'attach',
      about: 'Attach files, up to 10 MiB each',
      icon: <Paperclip />,
      run: pickFiles,
    },
  ];
}
