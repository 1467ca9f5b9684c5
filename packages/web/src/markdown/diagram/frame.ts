/*
 * Runs in a sandboxed frame with an opaque origin: Mermaid builds HTML from text that a model wrote, and must not reach
 * the page, its storage, or the API. Built as a worker, so that its address can be imported.
 */
import mermaid from 'mermaid';
import type { DrawRequest, DrawResponse } from './messages.ts';

const answer = (response: DrawResponse): void => parent.postMessage(response, '*');

addEventListener('message', (event: MessageEvent<DrawRequest>) => {
  if (event.source === parent) void draw(event.data);
});

async function draw({ source, dark }: DrawRequest): Promise<void> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      // Labels are SVG text, never HTML.
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      suppressErrorRendering: true,
      theme: dark ? 'dark' : 'neutral',
      fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    });
    const { svg } = await mermaid.render('diagram', source);
    document.body.innerHTML = svg;
    const [drawn] = document.body.children;
    const resized = new ResizeObserver(() =>
      answer({ height: Math.ceil(drawn?.getBoundingClientRect().height ?? 0) }),
    );
    if (drawn !== undefined) resized.observe(drawn);
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) });
  }
}
