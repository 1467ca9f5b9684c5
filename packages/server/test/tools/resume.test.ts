import { ShuttingDown, UNKNOWN_OUTCOME } from '@chatd/loop';
import { expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { ToolWorld } from './world.ts';

const world = await ToolWorld.start();
const [here, there] = [await world.replica(), await world.replica()];

async function newChat() {
  const { id } = await world.store.create();
  const turn = await here.turn(id);
  await turn.call('create_workspace', { template: 'empty' });
  return { turn, elsewhere: await there.turn(id) };
}

test('a command continues without the replica that started it, and another replica gets its full output', async () => {
  const { turn, elsewhere } = await newChat();
  const callId = 'call-of-the-model';
  const command =
    'echo ran >> count; echo first; until [ -e go ]; do sleep 0.02; done; echo second; exit 3';
  const stop = new AbortController();
  let shown = '';
  const given = turn
    .call('execute', { command }, { callId, signal: stop.signal, publish: (t) => (shown += t) })
    .catch(String);
  await eventually(() => expect(shown).toBe('first\n'));
  stop.abort(new ShuttingDown());
  await given;
  let again = '';
  const taken = elsewhere.call('execute', { command }, { callId, publish: (t) => (again += t) });
  await eventually(() => expect(again).toBe('first\n'));
  await turn.call('write_file', { path: 'go', content: '' });
  const result = { exit_code: 3, output: 'first\nsecond\n' };
  expect(await taken).toEqual(result);
  expect(await turn.call('execute', { command }, { callId })).toEqual(result);
  expect(await turn.call('read_file', { path: 'count' })).toBe('     1\tran');
});

test('a command that moved to the background is found by the replica that repeats the call', async () => {
  const { turn, elsewhere } = await newChat();
  const args = { command: 'echo up; sleep 1000', run_in_background: true };
  const first = await turn.call('execute', args, { callId: 'c' });
  expect(await elsewhere.call('execute', args, { callId: 'c' })).toEqual(first);
  const { process_id } = first as { process_id: string };
  await eventually(async () =>
    expect(await elsewhere.call('process_output', { process_id })).toMatchObject({
      still_running: true,
      output: 'up\n',
    }),
  );
  expect(await elsewhere.call('process_list')).toMatchObject({ processes: [{ process_id }] });
  expect(await elsewhere.call('process_signal', { process_id })).toContain('has ended');
});

test('repeated edits are not applied again, and have the same result', async () => {
  const { turn, elsewhere } = await newChat();
  await turn.call('write_file', { path: 'a.txt', content: 'one\n' });
  const args = { files: [{ path: 'a.txt', edits: [{ old_text: 'one', new_text: 'one, one' }] }] };
  const diff = await turn.call('edit_files', args, { callId: 'e' });
  expect(diff).toContain('+one, one');
  expect(await elsewhere.call('edit_files', args, { callId: 'e' })).toBe(diff);
  expect(await turn.call('read_file', { path: 'a.txt' })).toBe('     1\tone, one');
  const gone = { files: [{ path: 'a.txt', edits: [{ old_text: 'one, one', new_text: 'x' }] }] };
  const changed = await turn.call('edit_files', gone, { callId: 'f' });
  expect(await elsewhere.call('edit_files', gone, { callId: 'f' })).toBe(changed);
});

test('the outcome of a call is unknown if its entry is gone', async () => {
  const { turn } = await newChat();
  await turn.call('execute', { command: 'true' }, { callId: 's' });
  await world.machine.settle((await world.machine.calls()).map(({ call }) => call));
  await expect(turn.call('execute', { command: 'true' }, { callId: 's' })).rejects.toThrow(
    UNKNOWN_OUTCOME,
  );
});

test('all replicas use the same sandbox of a workspace', async () => {
  const { turn, elsewhere } = await newChat();
  await turn.call('execute', { command: 'touch /tmp/shared' });
  expect(await elsewhere.call('execute', { command: 'ls /tmp/shared' })).toMatchObject({
    exit_code: 0,
  });
});
