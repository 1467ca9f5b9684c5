import { FileSearch } from 'lucide-react';
import { safeText } from '../../../markdown/safe-text.ts';
import { BoundedText } from '../bounded-text.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { resultText, textArgument } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

export const searchFiles: ToolKind = {
  icon: <FileSearch />,
  verb: ['search for', 'searching for', 'searched for'],
  about(view) {
    const where = textArgument(view, 'path') || textArgument(view, 'glob');
    return (
      <>
        <code className="font-mono">{textArgument(view, 'pattern')}</code>
        {where !== '' && ` in ${where}`}
      </>
    );
  },
  aside: (view) => {
    const found = view.state === 'done' ? matchesOf(view).length : 0;
    return (
      found > 0 && (
        <span className="shrink-0 text-muted">{found === 1 ? '1 line' : `${found} lines`}</span>
      )
    );
  },
  Body: Matches,
};

interface Match {
  readonly file: string;
  readonly line: string;
  readonly text: string;
}

const matchesOf = (view: ToolView): Match[] =>
  safeText(resultText(view))
    .split('\n')
    .flatMap((entry) => {
      const [, file, line, text] = /^(.+?):(\d+):(.*)$/s.exec(entry) ?? [];
      return file === undefined || line === undefined ? [] : [{ file, line, text: text ?? '' }];
    });

/** Grouped by file. */
function Matches({ view }: ToolCardProps) {
  const files = Map.groupBy(matchesOf(view), ({ file }) => file);
  if (files.size === 0 || view.state !== 'done') return <BoundedText text={resultText(view)} />;
  return (
    <div
      role="region"
      aria-label="Matches"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
      tabIndex={0}
      className="max-h-96 overflow-auto bg-code py-1 text-[0.8125rem] leading-5"
    >
      {[...files].map(([file, matches]) => (
        <div key={file} className="px-3 py-1">
          <p className="font-medium wrap-anywhere">{file}</p>
          {matches.map(({ line, text }) => (
            <p key={line} className="flex gap-3 font-mono">
              <span className="w-10 shrink-0 text-right text-muted tabular-nums">{line}</span>
              <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{text}</span>
            </p>
          ))}
        </div>
      ))}
    </div>
  );
}
