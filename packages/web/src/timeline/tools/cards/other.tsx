import { Plug, Search, Wrench } from 'lucide-react';
import { BoundedText } from '../bounded-text.tsx';
import { Fields } from '../fields.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf, resultText, textArgument } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

/** The fallback: input and output as fields. */
export const other: ToolKind = {
  icon: <Wrench />,
  verb: ['use', 'using', 'used'],
  about: (view) => <code className="font-mono">{view.call.tool_name}</code>,
  Body: CallFields,
  hasBody: () => true,
};

/** A tool of an MCP server, by its name. */
export const mcp: ToolKind = {
  ...other,
  icon: <Plug />,
  about(view) {
    const [server, tool] = serverAndTool(view);
    return (
      <>
        <code className="font-mono">{tool}</code> of {server}
      </>
    );
  },
};

export const findTools: ToolKind = {
  icon: <Search />,
  verb: ['search for tools', 'searching for tools', 'searched for tools'],
  about: (view) => textArgument(view, 'query'),
  Body: ({ view }) => <Fields value={view.result?.result} />,
};

/** `server__tool`. */
export const isOfMcp = (name: string) => /^[^_].*?__./.test(name);

function serverAndTool({ call }: ToolView): [string, string] {
  const at = call.tool_name.indexOf('__');
  return [call.tool_name.slice(0, at), call.tool_name.slice(at + 2)];
}

export function CallFields({ view }: Pick<ToolCardProps, 'view'>) {
  const args = argumentsOf(view);
  return (
    <>
      {Object.keys(args).length > 0 && (
        <div className="border-b border-line">
          <p className="px-3 pt-2 text-xs font-medium text-muted">Input</p>
          <Fields value={args as never} />
        </div>
      )}
      {view.result !== undefined && (
        <>
          <p className="px-3 pt-2 text-xs font-medium text-muted">
            {view.state === 'failed' ? 'Error' : 'Output'}
          </p>
          {view.result.result === undefined || view.state === 'failed' ? (
            <BoundedText text={resultText(view)} keep="end" />
          ) : (
            <Fields value={view.result.result} />
          )}
        </>
      )}
    </>
  );
}
