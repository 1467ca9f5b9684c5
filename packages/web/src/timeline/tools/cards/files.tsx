import { FileText, FilePlus2, FolderTree } from 'lucide-react';
import { count, counted } from '../../../format/number.ts';
import { Code } from '../../../markdown/code.tsx';
import { BoundedText } from '../bounded-text.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf, resultText, textArgument } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

const path = (view: ToolView) => <code className="font-mono">{textArgument(view, 'path')}</code>;

export const readFile: ToolKind = {
  icon: <FileText />,
  verb: ['read', 'reading', 'read'],
  about: path,
  aside(view) {
    const { offset, limit } = argumentsOf(view);
    if (offset === undefined && limit === undefined) return null;
    const first = typeof offset === 'number' ? offset : 1;
    const last = typeof limit === 'number' ? `–${first + limit - 1}` : ' on';
    return (
      <span className="shrink-0 text-muted">
        line {first}
        {last}
      </span>
    );
  },
  Body: ({ view }) => <BoundedText text={resultText(view)} className="bg-code" />,
};

export const listFiles: ToolKind = {
  icon: <FolderTree />,
  verb: ['list', 'listing', 'listed'],
  about: (view) => <code className="font-mono">{textArgument(view, 'path') || '.'}</code>,
  Body: ({ view }) => <BoundedText text={resultText(view)} className="bg-code" />,
};

export const writeFile: ToolKind = {
  icon: <FilePlus2 />,
  verb: ['write', 'writing', 'wrote'],
  about: path,
  Body: WrittenFile,
  card: true,
  hasBody: (view) => contentOf(view) !== '' || view.result !== undefined,
  open: ({ state }) => state === 'awaiting',
};

/** As it is written: it can be long, and `Code` makes the part that is shown safe. */
function contentOf(view: ToolView): string {
  const { content } = argumentsOf(view);
  return typeof content === 'string' ? content : '';
}

/** A new file is shown as added lines. */
function WrittenFile({ view }: ToolCardProps) {
  const content = contentOf(view);
  const ending = /\.([^./]+)$/.exec(textArgument(view, 'path'))?.[1];
  const shown = content.slice(0, 40_000);
  return (
    <>
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
        tabIndex={0}
        role="region"
        aria-label="File content"
        className="max-h-96 overflow-auto border-l-4 border-good bg-added px-3 py-2 whitespace-pre"
      >
        <Code text={shown} language={ending} />
      </div>
      {shown.length < content.length && (
        <p className="px-3 py-1 text-sm text-muted">
          First {count(shown.length)} of {counted(content.length, 'character')}
        </p>
      )}
      {view.state === 'failed' && <BoundedText text={resultText(view)} className="text-bad" />}
    </>
  );
}
