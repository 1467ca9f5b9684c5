import { apiPath } from '../../api/client.ts';
import type { ToolView } from './tool-view.ts';

/** Images in tool results: only files of this server. */
export function Media({ view }: { readonly view: ToolView }) {
  const ids = view.result?.is_media === true ? (view.result.file_ids ?? []) : [];
  if (ids.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2 p-3">
      {ids.map((id, index) => (
        <a key={id} href={apiPath(`/files/${id}`)} target="_blank" rel="noopener">
          <img
            src={apiPath(`/files/${id}`)}
            alt={`${view.call.tool_name}, result ${index + 1}`}
            loading="lazy"
            className="max-h-80 max-w-full rounded-lg border border-line object-contain"
          />
        </a>
      ))}
    </div>
  );
}
