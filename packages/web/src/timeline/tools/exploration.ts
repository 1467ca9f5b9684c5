import { textArgument } from './read-view.ts';
import type { ToolState, ToolView } from './tool-view.ts';

/** What a call looked at, by tool. */
const LOOKS: Readonly<Record<string, 'file' | 'folder' | 'search'>> = {
  read_file: 'file',
  read_skill_file: 'file',
  list_files: 'folder',
  search_files: 'search',
};
const CALM: ReadonlySet<ToolState> = new Set(['writing', 'running', 'done', 'interrupted']);

/** A read, list or search that needs no attention. */
export const explores = (view: ToolView | undefined): boolean =>
  view !== undefined &&
  Object.hasOwn(LOOKS, view.call.tool_name) &&
  view.call.provider_executed !== true &&
  CALM.has(view.state);

/** "5 files", "2 files, 1 search". A file that is read twice counts once. */
export function explorationOf(views: readonly ToolView[]): string {
  const paths = { file: new Set<string>(), folder: new Set<string>(), search: new Set<string>() };
  for (const view of views) {
    const kind = LOOKS[view.call.tool_name] ?? 'file';
    paths[kind].add(kind === 'search' ? view.call.tool_call_id : textArgument(view, 'path'));
  }
  return [
    counted(paths.file.size, 'file', 'files'),
    counted(paths.folder.size, 'folder', 'folders'),
    counted(paths.search.size, 'search', 'searches'),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

const counted = (count: number, one: string, many: string): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
