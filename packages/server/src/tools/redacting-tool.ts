import { type LocalTool, Media, type ToolOutput } from '@chatd/loop';
import type { Json } from '@chatd/protocol';

/** Removes the server's secrets from the output of a tool, including live output. */
export function redactingTool<T extends LocalTool>(tool: T, hide: (text: string) => string): T {
  return {
    ...tool,
    async run(args, context) {
      try {
        const output = await tool.run(args, {
          ...context,
          publish: (text) => context.publish(hide(text)),
        });
        return hidden(output, hide);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(hide(message), { cause: error });
      }
    },
  };
}

function hidden(output: ToolOutput, hide: (text: string) => string): ToolOutput {
  if (output instanceof Media) return new Media(output.files, hide(output.text));
  return output === undefined ? undefined : hiddenJson(output, hide);
}

function hiddenJson(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item) => hiddenJson(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, hiddenJson(item, hide)]),
  );
}
