import { useFileUrl } from '../../api/file-url.ts';
import { Lightbox } from '../../ui/lightbox.tsx';
import type { ToolView } from './tool-view.ts';

/** Images in tool results: only files of this server. */
export function Media({ view }: { readonly view: ToolView }) {
  const ids = view.result?.is_media === true ? (view.result.file_ids ?? []) : [];
  if (ids.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2 p-3">
      {ids.map((id, index) => (
        <Picture key={id} fileId={id} name={`${view.call.tool_name}, result ${index + 1}`} />
      ))}
    </div>
  );
}

function Picture({ fileId, name }: { readonly fileId: string; readonly name: string }) {
  const src = useFileUrl(fileId);
  if (src === undefined) return null;
  return (
    <Lightbox src={src} name={name} className="max-w-full cursor-zoom-in! rounded-lg">
      <img
        src={src}
        alt={name}
        loading="lazy"
        className="max-h-80 max-w-full rounded-lg border border-line object-contain"
      />
    </Lightbox>
  );
}
