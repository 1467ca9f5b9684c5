import type { ToolCardProps } from './tool-view.ts';

/** One card for every call; which one is decided by the tool's name. */
export function ToolCard({ view }: ToolCardProps) {
  return (
    <pre className="rounded-lg border border-line bg-code p-2 font-mono text-sm whitespace-pre-wrap">
      {view.call.tool_name} {view.state}
    </pre>
  );
}
