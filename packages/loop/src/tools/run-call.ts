import { cleanJson, cleanText } from '../clean-text.ts';
import type { Files } from '../files.ts';
import type { HistoryCall, HistoryResult } from '../history/message.ts';
import { Media } from './media.ts';
import { cutResult, cutText } from './result-budget.ts';
import { parseArgs } from './schema.ts';
import type { ToolContext } from './tool.ts';
import type { Runner } from './tool-index.ts';

export type Outcome = Pick<HistoryResult, 'result' | 'is_error' | 'is_media' | 'file_ids'>;

export const errorOutcome = (message: string): Outcome => ({ result: message, is_error: true });

const MAX_QUOTED = 200;

/** Runs one call. Never throws: every error becomes the result. */
export async function runCall(
  call: HistoryCall,
  runner: Runner | undefined,
  context: ToolContext,
  keep: { files: Files; budget: number },
): Promise<Outcome> {
  if (runner === undefined) return errorOutcome(`Tool not found: ${call.tool_name}`);
  if (call.raw_args !== undefined) {
    const quoted = call.raw_args.slice(0, MAX_QUOTED);
    return errorOutcome(
      `The tool was not run, because its arguments are not valid JSON: ${quoted}`,
    );
  }
  try {
    const parsed = parseArgs(runner.input, call.args);
    if (!parsed.ok) {
      return errorOutcome(
        `The tool was not run, because its arguments are invalid: ${parsed.problem}`,
      );
    }
    const output = await runner.run(parsed.args, context);
    if (!(output instanceof Media)) return { result: cutResult(cleanJson(output), keep.budget) };
    const file_ids = await Promise.all(output.files.map((file) => keep.files.save(file)));
    return { result: cutText(cleanText(output.text), keep.budget), is_media: true, file_ids };
  } catch (error) {
    return errorOutcome(cutText(cleanText(errorText(error)), keep.budget));
  }
}

function errorText(error: unknown): string {
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return typeof error === 'string' ? error : `The tool failed: ${JSON.stringify(cleanJson(error))}`;
}
