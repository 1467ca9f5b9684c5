import { FilePen } from 'lucide-react';
import { safeText } from '../../../markdown/safe-text.ts';
import { type DiffLineKind, diffKinds } from '../diff-kinds.ts';
import { DiffLines } from '../diff-lines.tsx';
import { LineCounts } from '../line-counts.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf, objectsIn, plain, resultText } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

/** Shows the resulting diff, or the planned replacements before there is one. */
export const editFiles: ToolKind = {
  icon: <FilePen />,
  verb: ['edit', 'editing', 'edited'],
  about(view) {
    const [first, ...rest] = pathsOf(view);
    return (
      <>
        <code className="font-mono">{safeText(first ?? '')}</code>
        {rest.length > 0 && ` and ${rest.length} more`}
      </>
    );
  },
  aside: (view) => <Counts view={view} />,
  Body: Edits,
  card: true,
  hasBody: (view) => view.call.args !== undefined || view.result !== undefined,
  open: ({ state }) => state !== 'writing',
};

function pathsOf(view: ToolView): string[] {
  const files = objectsIn(argumentsOf(view)['files']);
  return [...new Set(files.map(({ path }) => (typeof path === 'string' ? path : '')))];
}

function Edits({ view }: ToolCardProps) {
  return (
    <DiffLines
      text={view.state === 'done' ? resultText(view) : plannedDiff(view)}
      note={failure(view)}
    />
  );
}

const failure = (view: ToolView) => (view.state === 'failed' ? resultText(view) : undefined);

/** Formatted as a diff without context lines, which are not known yet. */
const plannedDiff = (view: ToolView): string =>
  objectsIn(argumentsOf(view)['files'])
    .flatMap(({ path, edits }) => [
      `+++ ${plain(path)}`,
      ...objectsIn(edits).flatMap(({ old_text, new_text }) => {
        const [removed, added] = [signed('-', old_text), signed('+', new_text)];
        return [`@@ -,${removed.length} +,${added.length} @@`, ...removed, ...added];
      }),
    ])
    .join('\n');

const signed = (sign: string, text: unknown): string[] =>
  typeof text === 'string' && text !== '' ? text.split('\n').map((line) => sign + line) : [];

function Counts({ view }: { readonly view: ToolView }) {
  if (view.state !== 'done') return null;
  const kinds = diffKinds(resultText(view).split('\n'));
  const countOf = (wanted: DiffLineKind) => kinds.filter((kind) => kind === wanted).length;
  return <LineCounts added={countOf('added')} removed={countOf('removed')} />;
}
