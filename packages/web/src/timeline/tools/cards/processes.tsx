import { ListTree, ScrollText, Zap } from 'lucide-react';
import { safeText } from '../../../markdown/safe-text.ts';
import { objectsIn, plain, resultField, textArgument } from '../read-view.ts';
import type { ToolKind } from '../tool-kind.ts';
import type { ToolCardProps } from '../tool-view.ts';
import { command } from './command.tsx';

/** The output of a background command. */
export const processOutput: ToolKind = {
  ...command,
  icon: <ScrollText />,
  verb: ['read output', 'reading output', 'read output'],
  about: (view) => `from ${textArgument(view, 'process_id')}`,
  hasBody: ({ result }) => result !== undefined,
  open: () => false,
};

export const processSignal: ToolKind = {
  icon: <Zap />,
  verb: ['send a signal', 'sending a signal', 'sent a signal'],
  about: (view) =>
    `${textArgument(view, 'signal') || 'SIGTERM'} to ${textArgument(view, 'process_id')}`,
};

export const processList: ToolKind = {
  icon: <ListTree />,
  verb: ['list processes', 'listing processes', 'listed processes'],
  Body: ProcessList,
};

function ProcessList({ view }: ToolCardProps) {
  const processes = objectsIn(resultField(view, 'processes'));
  if (processes.length === 0) return <p className="px-3 py-2 text-sm text-muted">No processes</p>;
  return (
    <ul className="divide-y divide-line text-sm">
      {processes.map((process) => (
        <li key={plain(process['process_id'])} className="flex gap-3 px-3 py-1.5">
          <code className="min-w-0 flex-1 truncate font-mono">
            {safeText(plain(process['command']))}
          </code>
          <span className="shrink-0 text-muted">
            {process['still_running'] === true
              ? `running for ${plain(process['seconds'])} s`
              : `exited (${plain(process['exit_code'] ?? process['signal'])})`}
          </span>
        </li>
      ))}
    </ul>
  );
}
