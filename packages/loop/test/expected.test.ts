import { expect, test } from 'vitest';
import { type HistoryMessage, MemoryHistory, runTurn } from '@chatd/loop';
import { user } from './support/chat.ts';
import { called, finish, says, scriptedModel, usage } from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

/** Writes down what was announced with each commit, and what was asked for then. */
class Diary extends MemoryHistory {
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
const diary = () => new Diary([user('1 + 2?')]);

test('a history is told with each commit what it will be asked for next', async () => {
  const history = diary();
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

test('nothing is announced when a summary comes next', async () => {
  const history = diary();
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
