import type { ToolCallContext } from '@chatd/client';
import { z } from 'zod';
import type { EditorConnection } from './editor-connection.ts';
import type { Folder } from './folder.ts';

const path = z.string().min(1).describe('Path relative to the open folder.');

/** The prefix `editor_` distinguishes these tools from the server's workspace tools. */
export function editorTools(folder: Folder, editor: EditorConnection) {
  /** Writes only after the user has accepted the change. */
  const propose = async (file: string, text: string, { signal }: ToolCallContext) => {
    const before = await folder.readIfExists(file);
    if (before === text) return 'The file already has this content.';
    const answer = await editor.ask(
      'propose_edit',
      { path: file, before: before ?? null, after: text },
      signal,
    );
    const { allow, reason = 'no reason given' } = answer as { allow: boolean; reason?: string };
    if (!allow) throw new Error(`The user rejected this change: ${reason}.`);
    await folder.write(file, text);
    return `Changed ${file}.`;
  };

  return {
    editor_list: {
      description: 'List the files in the folder open in the editor.',
      schema: z.object({}),
      run: () => folder.list(),
    },
    editor_read: {
      description: 'Read a file in the folder open in the editor.',
      schema: z.object({ path }),
      run: (args: { path: string }) => folder.read(args.path),
    },
    editor_write: {
      description:
        'Propose a new file, or new content for a whole file. The user reviews the diff.',
      schema: z.object({ path, text: z.string() }),
      run: (args: { path: string; text: string }, context: ToolCallContext) =>
        propose(args.path, args.text, context),
    },
    editor_replace: {
      description:
        'Propose to replace text that occurs exactly once in a file. The user reviews the diff.',
      schema: z.object({ path, old_text: z.string().min(1), new_text: z.string() }),
      run: async (
        args: { path: string; old_text: string; new_text: string },
        context: ToolCallContext,
      ) => {
        const [before = '', after, more] = (await folder.read(args.path)).split(args.old_text);
        if (after === undefined) throw new Error('old_text does not occur in the file.');
        if (more !== undefined) throw new Error('old_text occurs more than once in the file.');
        return await propose(args.path, `${before}${args.new_text}${after}`, context);
      },
    },
  };
}
