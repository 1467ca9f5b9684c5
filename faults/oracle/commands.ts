import { effectKey } from '../deployment/plan.ts';
import type { Effect } from '../deployment/effects.ts';
import { type Problem, violation } from './problem.ts';
import { type StoredMessage, toolResults } from './records.ts';

const CALL = /^toolu_(.+)_(\d+)$/;
/** Results that leave open whether the command ran to its end. */
const UNCERTAIN =
  /outcome of this call is unknown|unknown whether the command was run|still_running|interrupted|not opened|is offline|was lost|aborted|not executed/i;

/**
 * A command with an exit code ran exactly once and to its end. All other results say that the outcome is unknown, that the
 * command still runs, or that the user interrupted it.
 */
export function checkCommands(
  messages: readonly StoredMessage[],
  effects: readonly Effect[],
): Problem[] {
  const names = new Map<string, string>();
  for (const { chat_id, content } of messages) {
    for (const part of content) {
      if (part.type === 'tool-call') names.set(`${chat_id} ${part.tool_call_id}`, part.tool_name);
    }
  }
  const count = (key: string, what: Effect['what']) =>
    effects.filter((effect) => effect.key === key && effect.what === what).length;
  return toolResults(messages).flatMap(({ chat_id, tool_call_id, result }) => {
    if (names.get(`${chat_id} ${tool_call_id}`) !== 'execute') return [];
    const [, id = '', step = ''] = CALL.exec(tool_call_id) ?? [];
    const key = effectKey(id, Number(step));
    const [begun, ended] = [count(key, 'begin'), count(key, 'end')];
    const text = JSON.stringify(result);
    if ((result as { readonly exit_code?: number } | null)?.exit_code === 0) {
      const isWhole = (result as { readonly output?: string }).output === key;
      if (begun === 1 && ended === 1 && isWhole) return [];
      return [
        violation(
          begun > 1 ? 'commandsRunOnce' : 'commandsFinish',
          `${key} has a result, began ${begun} and ended ${ended} times: ${text}`,
        ),
      ];
    }
    return UNCERTAIN.test(text)
      ? []
      : [violation('resultsExplained', `${key} has the result ${text}`)];
  });
}
