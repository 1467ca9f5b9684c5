import { useEffect, useRef, useState } from 'react';
import { useCell } from '../../state/cell.ts';
import { shownAppearance } from '../../state/appearance.ts';
import { CodeBlock } from '../code-block.tsx';
import { safeText } from '../safe-text.ts';
// oxlint-disable-next-line import/default -- Vite exports the address of the built script
import frameScript from './frame.ts?worker&url';
import type { DrawRequest } from './messages.ts';

/** Longer sources are shown as code. */
const LONGEST = 20_000;
/** Taller diagrams scroll. */
const TALLEST = 800;
const ESTIMATED = 240;

/** Known heights, so that a diagram that is scrolled back into view does not move the text. */
const heights = new Map<string, number>();

/** A Mermaid diagram, drawn in a sandboxed frame. Its source is shown until then, and if it is invalid. */
export function Diagram({ source }: { readonly source: string }) {
  const [shown, setShown] = useState<'diagram' | 'source'>('diagram');
  const [error, setError] = useState<string>();
  if (error !== undefined || source.length > LONGEST || shown === 'source') {
    return (
      <div className="md-diagram-source">
        <CodeBlock code={source} language="mermaid" />
        {error === undefined ? (
          shown === 'source' && (
            <button type="button" onClick={() => setShown('diagram')}>
              Show diagram
            </button>
          )
        ) : (
          <p>The diagram is invalid: {safeText(error)}</p>
        )}
      </div>
    );
  }
  return (
    <figure className="md-diagram">
      <DiagramFrame source={source} onError={setError} />
      <button type="button" onClick={() => setShown('source')}>
        Show source
      </button>
    </figure>
  );
}

function DiagramFrame({
  source,
  onError,
}: {
  readonly source: string;
  readonly onError: (error: string) => void;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const appearance = useCell(shownAppearance);
  const [height, setHeight] = useState(heights.get(source));
  useEffect(() => {
    const hear = ({ source: from, data }: MessageEvent<unknown>) => {
      if (from === null || from !== frame.current?.contentWindow) return;
      // The frame is not trusted.
      const { error, height: drawn } = (data ?? {}) as { error?: unknown; height?: unknown };
      if (typeof error === 'string') return onError(error);
      if (typeof drawn !== 'number' || !(drawn > 0)) return;
      const next = Math.min(TALLEST, drawn);
      heights.set(source, next);
      setHeight(next);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, [source, onError]);
  const draw = () => {
    const request: DrawRequest = { source, dark: appearance === 'dark' };
    frame.current?.contentWindow?.postMessage(request, '*');
  };
  return (
    <iframe
      // The appearance of a document is set when it is loaded.
      key={appearance}
      ref={frame}
      title="Diagram"
      sandbox="allow-scripts"
      srcDoc={documentFor(appearance)}
      onLoad={draw}
      style={{ height: height ?? ESTIMATED }}
    />
  );
}

/** Loads only the script of the frame. */
function documentFor(appearance: 'light' | 'dark'): string {
  const script = new URL(frameScript, location.href);
  const policy = `default-src 'none'; script-src ${script.origin}; style-src 'unsafe-inline'; img-src data:`;
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="color-scheme" content="${appearance}"><style>body{margin:0}svg{display:block;margin:auto;max-height:none}</style><body><script type="module" src="${script.href}"></script>`;
}
