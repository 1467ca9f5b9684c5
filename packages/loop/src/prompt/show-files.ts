import type { HistoryMessage } from '../history/message.ts';
import { fitMedia, type Shown } from '../media/fit.ts';
import { deletedNote } from '../media/notes.ts';
import type { Conversion } from './conversion.ts';

interface NamedFile {
  readonly id: string;
  /** As the message has them. Results name their files by id alone. */
  readonly media_type?: string;
  readonly name?: string;
}

/** The files that a message names, as its model is shown them, by id. Undefined when it names none. */
export function showFiles(
  message: HistoryMessage,
  to: Conversion,
): Promise<Map<string, Shown>> | undefined {
  const named = namedFiles(message);
  if (named.length === 0) return undefined;
  return Promise.all(named.map(async (file) => [file.id, await show(file, to)] as const)).then(
    (shown) => new Map(shown),
  );
}

async function show({ id, ...named }: NamedFile, to: Conversion): Promise<Shown> {
  const file = await to.files.load(id);
  if (file === undefined) return { note: deletedNote(named.name) };
  return await fitMedia({ ...file, ...named }, to);
}

function namedFiles({ content }: HistoryMessage): NamedFile[] {
  return content.flatMap((part): NamedFile[] => {
    if (part.type === 'tool-result') return (part.file_ids ?? []).map((id) => ({ id }));
    if (part.type !== 'file') return [];
    const { file_id: id, media_type, name } = part;
    return [{ id, media_type, ...(name !== undefined && { name }) }];
  });
}
