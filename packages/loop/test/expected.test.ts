import { expect, test } from 'vitest';
import { type HistoryMessage, MemoryHistory, runTurn } from '@chatd/loop';
import { user } from './support/chat.ts';
import { called, finish, says, scriptedModel, usage } from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

/** Records the announced next call of each commit, and the calls that follow. */
class RecordingHistory extends MemoryHistory {
  readonly lines: string[] = [];

  override commit(messages: readonly HistoryMessage[], expected?: string): Promise<void> {
    this.lines.push(`commit ${messages.map(({ role }) => role).join()}: ${expected ?? 'nothing'}`);
    return super.commit(messages);
  }

  override beginAttempt() {
    this.lines.push('generate');
    return super.beginAttempt();
  }

  override finishTurn() {
    this.lines.push('finish');
    return super.finishTurn();
  }
}

const add = counted('add', () => 3);
const recordingHistory = () => new RecordingHistory([user('1 + 2?')]);

test('each commit announces the next call of the history', async () => {
  const history = recordingHistory();
  const model = scriptedModel([[...called('add', {}, 'tc-1'), finish('tool-calls')], says('3')]);
  await runTurn({ model, history, tools: [add] });
  expect(history.lines).toEqual([
    'generate',
    'commit assistant: nothing',
    'commit tool: generate',
    'generate',
    'commit assistant: finish',
    'finish',
  ]);
});

test('a commit before a summary announces nothing', async () => {
  const history = recordingHistory();
  const full = usage(900);
  const model = scriptedModel([
    [...called('add', {}, 'tc-1'), finish('tool-calls', full)],
    says('A summary'),
    says('3'),
  ]);
  await runTurn({ model, history, tools: [add], settings: { context_limit: 1000 } });
  expect(history.lines).toEqual([
    'generate',
    'commit assistant: nothing',
    'commit tool: nothing',
    'generate',
    'commit assistant,tool,user: nothing',
    'generate',
    'commit assistant: finish',
    'finish',
  ]);
});
