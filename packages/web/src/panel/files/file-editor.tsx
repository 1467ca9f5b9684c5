import { ChatdProblem } from '@chatd/client';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { LeaveDialog } from '../../settings/parts/leave-dialog.tsx';
import { useUnsaved } from '../../state/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { type EditableText, editableText, savedText } from './editable-text.ts';
import { readFile, writeFile } from './file-io.ts';
import { toast } from '../../ui/toast.ts';

/** A version of the text in the workspace. */
export interface TextVersion extends EditableText {
  readonly version: string;
}

const AREA =
  'min-h-0 w-full flex-1 resize-none bg-code p-3 font-mono text-[0.8125rem] leading-5 whitespace-pre -outline-offset-2';

/** Edits a text file. If it was changed in the meantime, both versions are shown. */
export function FileEditor({
  workspaceId,
  path,
  base,
  onSaved,
  onCancel,
}: {
  readonly workspaceId: string;
  readonly path: string;
  readonly base: TextVersion;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState(base.text);
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  /** The version in the workspace, if it is not `base`. Null: the file was deleted. */
  const [theirs, setTheirs] = useState<TextVersion | null>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const changed = text !== base.text;
  const saved = useUnsaved(changed);

  const save = async () => {
    if (saving) return;
    setSaving(true);
    setProblem(undefined);
    // The user has seen the other version, and overwrites exactly that.
    const over = theirs === undefined ? base.version : (theirs?.version ?? 'none');
    try {
      await writeFile(workspaceId, path, new Blob([savedText(text, base.lineEnd)]), over).done;
      saved();
      toast('File saved');
      onSaved();
    } catch (error) {
      if (error instanceof ChatdProblem && error.code === 'file_changed') {
        await compare();
      } else setProblem(explain(error));
    }
    setSaving(false);
  };
  const compare = async () => {
    try {
      const current = await currentOf(workspaceId, path);
      if (current === undefined) setProblem('The file changed, and can no longer be edited here.');
      else setTheirs(current);
    } catch (error) {
      const isGone = error instanceof ChatdProblem && error.code === 'path_not_found';
      if (isGone) setTheirs(null);
      else setProblem(explain(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save();
  };
  const isConflict = theirs !== undefined;
  return (
    <div className="@container flex h-full flex-col">
      <LeaveDialog />
      {problem !== undefined && (
        <Notice kind="bad" live className="m-2" title="The file could not be saved">
          {problem}
        </Notice>
      )}
      {isConflict && (
        <Notice kind="warn" live className="m-2" title="The file changed in the workspace">
          {theirs === null
            ? 'It was deleted. Save to create it again.'
            : 'Take over what you need from the version in the workspace, then save your version.'}
        </Notice>
      )}
      <div className={cx('flex min-h-0 flex-1', isConflict && 'flex-col @2xl:flex-row')}>
        <label className="flex min-h-0 min-w-0 flex-1 flex-col">
          <span className={isConflict ? 'px-3 py-1 text-sm font-medium' : 'sr-only'}>
            {isConflict ? 'Your version' : `Content of ${path}`}
          </span>
          <textarea
            ref={field}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            wrap="off"
            className={AREA}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={onKeyDown}
          />
        </label>
        {isConflict && theirs !== null && (
          <label className="flex min-h-0 min-w-0 flex-1 flex-col border-line max-@2xl:border-t @2xl:border-l">
            <span className="px-3 py-1 text-sm font-medium">Version in the workspace</span>
            <textarea readOnly wrap="off" className={AREA} value={theirs.text} />
          </label>
        )}
      </div>
      <div className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-line p-2">
        <Button size="small" kind="quiet" onClick={onCancel}>
          {changed ? 'Discard changes' : 'Cancel'}
        </Button>
        <Button
          size="small"
          kind="primary"
          disabled={saving || (!changed && !isConflict)}
          onClick={() => void save()}
        >
          {saving && <Spinner />}
          {isConflict ? 'Save your version' : 'Save file'}
        </Button>
      </div>
    </div>
  );
}

/** Undefined: it cannot be edited. */
async function currentOf(workspaceId: string, path: string): Promise<TextVersion | undefined> {
  const { file, version } = await readFile(workspaceId, path, AbortSignal.timeout(30_000));
  const read = editableText(await file.arrayBuffer());
  return version === undefined || read === undefined ? undefined : { ...read, version };
}
