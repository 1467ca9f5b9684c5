import { MessageCircleQuestionMark } from 'lucide-react';
import { type FormEvent, useId } from 'react';
import { Markdown } from '../../../markdown/markdown.tsx';
import { safeText } from '../../../markdown/safe-text.ts';
import { useCanEdit } from '../../../state/access.ts';
import { useCell } from '../../../state/cell.ts';
import { Button } from '../../../ui/button.tsx';
import { INPUT } from '../../../ui/field.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf, objectsIn, resultField, resultText, textArgument } from '../read-view.ts';
import { useAnswer } from '../send-answer.ts';
import { WaitingForAnswer } from '../waiting-for-answer.tsx';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

export const question: ToolKind = {
  icon: <MessageCircleQuestionMark />,
  verb: ['ask you a question', 'asking you', 'asked you'],
  about: ({ state }) => (state === 'awaiting' ? '' : ' a question'),
  Body: Question,
  card: true,
  untimed: true,
  hasBody: (view) => textArgument(view, 'question') !== '',
  open: () => true,
};

interface Option {
  readonly label: string;
  readonly description: string;
}

const optionsOf = (view: ToolView): Option[] =>
  objectsIn(argumentsOf(view)['options']).flatMap(({ label, description }) =>
    typeof label === 'string'
      ? [{ label, description: typeof description === 'string' ? description : '' }]
      : [],
  );

function Question(props: ToolCardProps) {
  const { view } = props;
  const canEdit = useCanEdit();
  return (
    <div className="px-3 py-3">
      <Markdown text={textArgument(view, 'question')} />
      {view.state !== 'awaiting' && <Given view={view} />}
      {view.state === 'awaiting' && (canEdit ? <AnswerForm {...props} /> : <WaitingForAnswer />)}
    </div>
  );
}

function Given({ view }: { readonly view: ToolView }) {
  if (view.result === undefined) return null;
  const selected = resultField(view, 'selected');
  const words = resultField(view, 'text');
  const parts = [
    ...(Array.isArray(selected) ? selected.map(String) : []),
    ...(typeof words === 'string' ? [words] : []),
  ];
  return (
    <p className="mt-2 border-l-2 border-line-strong pl-3 wrap-anywhere whitespace-pre-wrap">
      <span className="sr-only">Answer: </span>
      {parts.length > 0 ? parts.join('\n') : resultText(view)}
    </p>
  );
}

function AnswerForm({ view, chatId, store }: ToolCardProps) {
  const options = optionsOf(view);
  const multiple = argumentsOf(view)['multiple'] === true;
  const draft = store.approvals.draftOf(view.call.tool_call_id);
  const { text, selected } = useCell(draft);
  const { sent, send } = useAnswer(chatId, view.call.tool_call_id);
  const id = useId();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const words = text.trim();
    if (selected.length === 0 && words === '') return;
    if (selected.length === 0) void send(words);
    else void send({ selected: [...selected], ...(words !== '' && { text: words }) });
  };
  const toggle = (label: string, on: boolean) => {
    const others = multiple ? selected.filter((one) => one !== label) : [];
    draft.set({ text, selected: on ? [...others, label] : others });
  };

  return (
    <form className="mt-3 flex flex-col gap-2" onSubmit={submit}>
      {options.length > 0 && (
        <fieldset className="flex flex-col gap-1.5" disabled={sent}>
          <legend className="sr-only">Answer options</legend>
          {options.map(({ label, description }) => (
            <label
              key={label}
              className="flex cursor-pointer gap-3 rounded-lg border border-line bg-raised px-3 py-2 has-checked:border-accent has-checked:bg-selected"
            >
              <input
                type={multiple ? 'checkbox' : 'radio'}
                name={id}
                className="mt-1"
                checked={selected.includes(label)}
                onChange={({ target }) => toggle(label, target.checked)}
              />
              <span className="min-w-0">
                <span className="font-medium">{safeText(label)}</span>
                {description !== '' && (
                  <span className="block text-sm text-muted">{safeText(description)}</span>
                )}
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <textarea
        aria-label="Your answer"
        rows={2}
        disabled={sent}
        value={text}
        placeholder={options.length > 0 ? 'Or write your own answer' : 'Your answer'}
        className={INPUT}
        onChange={({ target }) => draft.set({ text: target.value, selected })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          // Safari reports key code 229 for the key that ends a composition.
          if (event.keyCode === 229) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <Button
        type="submit"
        kind="primary"
        className="self-end"
        disabled={sent || (selected.length === 0 && text.trim() === '')}
      >
        {sent ? 'Sending…' : 'Send answer'}
      </Button>
    </form>
  );
}
