import { type LocalTool, tool, type ToolContext, type ToolOutput } from '@chatd/loop';
import { z } from 'zod';

/** A tool that records its runs. */
export function counted(
  name: string,
  run: (args: Record<string, unknown>, context: ToolContext) => unknown = () => 'ok',
  idempotent = true,
): LocalTool & { runs: unknown[] } {
  const runs: unknown[] = [];
  const definition = tool({
    name,
    description: `test tool ${name}`,
    input: z.looseObject({}),
    idempotent,
    run(args, context) {
      runs.push(args);
      return run(args, context) as ToolOutput;
    },
  });
  return Object.assign(definition, { runs });
}
