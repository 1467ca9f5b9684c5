import type { ToolCallContext } from '@chatd/client';
import { z } from 'zod';
import type { EditorLine } from './editor-line.ts';
import type { Folder } from './folder.ts';

const path = z.string().min(1).describe('relative to the folder that is open');

/** What the model may do in the editor. They begin with `editor_`, as the server has tools for files, too. */
export function editorTools(folder: Folder, editor: EditorLine) {
  /** Nothing is written before the person in front of the editor has said yes. */
  const propose = async (file: string, text: string, { signal }: ToolCallContext) => {
    const before = await folder.readIfThere(file);
    if (before === text) return 'The file is like that already.';
    const answer = await editor.ask(
      'propose_edit',
      { path: file, before: before ?? null, after: text },
      signal,
    );
    const { allow, reason = 'no reason was given' } = answer as { allow: boolean; reason?: string };
    if (!allow) throw new Error(`The user does not want this change: ${reason}.`);
    await folder.write(file, text);
    return `${file} is changed.`;
  };

  return {
    editor_list: {
      description: 'The files of the folder that is open in the editor.',
      schema: z.object({}),
      run: () => folder.list(),
    },
    editor_read: {
      description: 'Reads a file of the folder that is open in the editor.',
      schema: z.object({ path }),
      run: (args: { path: string }) => folder.read(args.path),
    },
    editor_write: {
      description:
        'Proposes a new file, or a new text for a whole file. The user sees the difference and decides.',
      schema: z.object({ path, text: z.string() }),
      run: (args: { path: string; text: string }, context: ToolCallContext) =>
        propose(args.path, args.text, context),
    },
    editor_replace: {
      description:
        'Proposes to replace a text that is in a file exactly once. The user sees the difference and decides.',
      schema: z.object({ path, old_text: z.string().min(1), new_text: z.string() }),
      run: async (
        args: { path: string; old_text: string; new_text: string },
        context: ToolCallContext,
      ) => {
        const [before = '', after, more] = (await folder.read(args.path)).split(args.old_text);
        if (after === undefined) throw new Error('old_text is not in the file.');
        if (more !== undefined) throw new Error('old_text is in the file more than once.');
        return await propose(args.path, `${before}${args.new_text}${after}`, context);
      },
    },
  };
}
