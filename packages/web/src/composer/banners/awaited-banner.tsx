import type { AwaitedCall, Json } from '@chatd/protocol';
import { CircleHelp, ClipboardCheck, Hourglass, ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { Button } from '../../ui/button.tsx';
import { type QuestionAnswer, answer, decide, PLAN_TOOL } from '../send/answer.ts';
import { Banner } from './banner.tsx';

/** The call that a typed text answers; undefined when there is none or more than one. */
export function questionOf(awaited: readonly AwaitedCall[]): AwaitedCall | undefined {
  const questions = awaited.filter(({ kind }) => kind === 'question');
  return questions.length === 1 ? questions[0] : undefined;
}

/** Pending questions and approvals, with one-click answers. */
export function AwaitedBanner({
  composing,
  store,
}: {
  readonly composing: ComposerState;
  readonly store: ChatStore;
}) {
  const awaited = useCell(store.awaited);
  const pending = useCell(composing.pending) !== null;
  if (awaited.length === 0) return null;
  const approvals = awaited.filter(({ kind }) => kind === 'approval');
  const questions = awaited.filter(({ kind }) => kind === 'question');
  const question = questionOf(awaited);
  return (
    <>
      {approvals.length > 0 && (
        <Approvals
          calls={approvals}
          pending={pending}
          onDecide={(decision) => void decide(composing, store.chatId, approvals, decision)}
        />
      )}
      {question !== undefined && (
        <Question
          call={question}
          pending={pending}
          onAnswer={(said) => void answer(composing, store.chatId, question, said)}
        />
      )}
      {questions.length > 1 && (
        <Banner kind="info" icon={<CircleHelp />} live="status">
          The agent has {questions.length} questions. QuestionAnswer each of them above.
        </Banner>
      )}
      {approvals.length === 0 && questions.length === 0 && (
        <Banner kind="info" icon={<Hourglass />} live="status">
          Waiting for your client to run {awaited.map(({ tool_name }) => tool_name).join(', ')}.
          Interrupting cancels the call.
        </Banner>
      )}
    </>
  );
}

function Approvals({
  calls,
  pending,
  onDecide,
}: {
  readonly calls: readonly AwaitedCall[];
  readonly pending: boolean;
  readonly onDecide: (decision: 'allow' | 'deny') => void;
}) {
  const one = calls.length === 1 ? calls[0] : undefined;
  return (
    <Banner
      kind="warn"
      icon={<ShieldQuestion />}
      live="status"
      actions={
        <>
          <Button size="small" kind="primary" disabled={pending} onClick={() => onDecide('allow')}>
            {one === undefined ? `Allow all ${calls.length} calls` : 'Allow call'}
          </Button>
          <Button size="small" disabled={pending} onClick={() => onDecide('deny')}>
            {one === undefined ? 'Deny all calls' : 'Deny call'}
          </Button>
        </>
      }
    >
      {one === undefined ? (
        <>
          <span className="font-medium">Allow these {calls.length} calls?</span> Review them above
          before you decide on all of them.
        </>
      ) : (
        <>
          <span className="font-medium">Allow {one.tool_name}?</span>{' '}
          <span className="line-clamp-2 font-mono text-xs break-all">{gist(one.args)}</span>
        </>
      )}
    </Banner>
  );
}

function Question({
  call,
  pending,
  onAnswer,
}: {
  readonly call: AwaitedCall;
  readonly pending: boolean;
  readonly onAnswer: (answer: QuestionAnswer) => void;
}) {
  const quick = (label: string, said: QuestionAnswer, primary = false): ReactNode => (
    <Button
      key={label}
      size="small"
      kind={primary ? 'primary' : 'plain'}
      disabled={pending}
      className="max-w-full"
      onClick={() => onAnswer(said)}
    >
      <span className="truncate">{label}</span>
    </Button>
  );
  if (call.tool_name === PLAN_TOOL) {
    return (
      <Banner
        kind="info"
        icon={<ClipboardCheck />}
        live="status"
        actions={quick('Accept plan', { accepted: true }, true)}
      >
        <span className="font-medium">The agent proposes a plan.</span> Accept it, or write what to
        change.
      </Banner>
    );
  }
  const { question, options, multiple } = readQuestion(call.args);
  const single = !multiple && options.length > 0;
  return (
    <Banner
      kind="info"
      icon={<CircleHelp />}
      live="status"
      {...(single && {
        actions: options.map((label) => quick(label, { selected: [label] })),
      })}
    >
      <span className="line-clamp-3">
        <span className="font-medium">The agent asks:</span> {question}
      </span>
      <span className="block text-muted">
        {multiple
          ? 'Select answers above, or write one below.'
          : single
            ? 'Choose an answer, or write your own.'
            : 'Write your answer below.'}
      </span>
    </Banner>
  );
}

/** The arguments come from a model and may have any shape. */
function readQuestion(args: Json): { question: string; options: string[]; multiple: boolean } {
  const { question, options, multiple } = objectOf(args);
  return {
    question: typeof question === 'string' ? question : '',
    options: (Array.isArray(options) ? options : []).flatMap((option) => {
      const { label } = objectOf(option);
      return typeof label === 'string' ? [label] : [];
    }),
    multiple: multiple === true,
  };
}

const objectOf = (value: Json): Readonly<Record<string, Json | undefined>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** The most telling argument, such as a command or a path; otherwise all of them. */
function gist(args: Json): string {
  const { command, path, url } = objectOf(args);
  const said = [command, path, url].find((value) => typeof value === 'string');
  return (typeof said === 'string' ? said : JSON.stringify(args)).slice(0, 400);
}
