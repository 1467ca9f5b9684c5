import { Terminal } from 'lucide-react';
import { BoundedText } from '../bounded-text.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf, resultField, resultText, textArgument } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

/** A command with its output and exit status. */
export const command: ToolKind = {
  icon: <Terminal />,
  verb: ['run', 'running', 'ran'],
  about: (view) => <code className="font-mono">{firstLine(textArgument(view, 'command'))}</code>,
  aside: (view) => <Outcome view={view} />,
  Body: CommandBody,
  hasBody: (view) => textArgument(view, 'command') !== '',
  open: ({ state }) => state === 'running' || state === 'awaiting',
};

const firstLine = (text: string) => text.split('\n', 1)[0];

function CommandBody({ view }: ToolCardProps) {
  const { run_in_background } = argumentsOf(view);
  const workdir = textArgument(view, 'workdir');
  const output = outputOf(view);
  return (
    <div className="bg-code">
      <div className="flex gap-2 px-3 pt-2 font-mono text-[0.8125rem] leading-5">
        <span aria-hidden className="text-muted select-none">
          $
        </span>
        <span className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap">
          {textArgument(view, 'command')}
        </span>
      </div>
      {(workdir !== '' || run_in_background === true) && (
        <p className="px-3 pt-1 text-sm text-muted">
          {workdir !== '' && `in ${workdir} `}
          {run_in_background === true && 'in the background'}
        </p>
      )}
      {output === '' ? (
        <p className="px-3 py-2 text-sm text-muted">
          {view.state === 'running' ? 'No output yet' : view.result && 'No output'}
        </p>
      ) : (
        <BoundedText text={output} keep="end" />
      )}
      <Note view={view} />
    </div>
  );
}

/** What the tool reports besides the output: that the process was killed or is still running. */
function Note({ view }: { readonly view: ToolView }) {
  const note = resultField(view, 'note');
  return typeof note === 'string' ? <p className="px-3 pb-2 text-sm text-muted">{note}</p> : null;
}

/** The result has a field for it; while running and after a failure it is plain text. */
function outputOf(view: ToolView): string {
  const output = resultField(view, 'output');
  if (typeof output === 'string') return output;
  return typeof view.result?.result === 'object' ? '' : resultText(view);
}

function Outcome({ view }: { readonly view: ToolView }) {
  const code = resultField(view, 'exit_code');
  const signal = resultField(view, 'signal');
  if (
    resultField(view, 'still_running') === true ||
    resultField(view, 'process_id') !== undefined
  ) {
    return <span className="shrink-0 text-muted">in the background</span>;
  }
  if (typeof signal === 'string') return <span className="shrink-0 text-bad">{signal}</span>;
  if (typeof code !== 'number' || code === 0) return null;
  return <span className="shrink-0 text-bad">exit code {code}</span>;
}
