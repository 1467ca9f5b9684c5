import { useEffect, useState } from 'react';
import { Markdown } from '../../markdown/markdown.tsx';
import { Notice } from '../../ui/notice.tsx';

/** How a file can be shown besides its text. */
export type PreviewKind = 'image' | 'markdown' | 'pdf' | 'page';

/** By name, because the server tells only images, text and other files apart. */
export function previewKindOf(path: string, type: string): PreviewKind | undefined {
  if (type.startsWith('image/')) return 'image';
  const [, ending = ''] = /\.([a-z0-9]+)$/i.exec(path) ?? [];
  switch (ending.toLowerCase()) {
    case 'svg':
      return 'image';
    case 'md':
    case 'markdown':
      return 'markdown';
    case 'pdf':
      return 'pdf';
    case 'html':
    case 'htm':
      return 'page';
    default:
      return undefined;
  }
}

/** Agents write these files: nothing in them may act on this page. */
export function FilePreview({
  kind,
  path,
  file,
  text,
}: {
  readonly kind: PreviewKind;
  readonly path: string;
  readonly file: File;
  readonly text: string | undefined;
}) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (kind) {
    case 'image':
      return <Picture file={file} name={name} isDrawing={!file.type.startsWith('image/')} />;
    case 'pdf':
      return <Pdf file={file} name={name} />;
    case 'markdown':
      return (
        <div className="p-4">
          <Markdown text={text ?? ''} />
        </div>
      );
    case 'page':
      // Without permissions, and with the content security policy of this page: no script runs, nothing is loaded.
      return (
        <iframe
          title={`Preview of ${name}`}
          sandbox=""
          srcDoc={text ?? ''}
          className="size-full bg-white"
        />
      );
  }
}

/** An image element runs no scripts of a drawing. */
function Picture({
  file,
  name,
  isDrawing,
}: {
  readonly file: File;
  readonly name: string;
  readonly isDrawing: boolean;
}) {
  const address = useObjectUrl(file, isDrawing ? 'image/svg+xml' : file.type);
  return (
    <div className="p-3">
      {address !== undefined && (
        <img src={address} alt={name} className="max-w-full rounded-lg border border-line" />
      )}
    </div>
  );
}

/** The viewer of the browser, which runs in a process of its own. */
function Pdf({ file, name }: { readonly file: File; readonly name: string }) {
  const address = useObjectUrl(file, 'application/pdf');
  if (!navigator.pdfViewerEnabled) {
    return <Notice className="m-3">This browser shows no PDF files. Download the file.</Notice>;
  }
  return address === undefined ? null : (
    // oxlint-disable-next-line react/iframe-missing-sandbox -- browsers show no PDF file in a sandbox
    <iframe title={`Preview of ${name}`} src={`${address}#navpanes=0`} className="size-full" />
  );
}

function useObjectUrl(file: File, type: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file.slice(0, file.size, type));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file, type]);
  return address;
}
