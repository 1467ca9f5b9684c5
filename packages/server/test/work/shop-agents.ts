import { type Gate, text } from '@chatd/testing';
import type { Agent } from './scripted-agents.ts';

export const TASK = 'The tests of the shop fail.';
export const NOTE = 'the tax is 19 %';

/**
 * Two agents that work on the shop. The maintainer pauses once in the middle of a response, at `pause`. The notary's
 * command writes its note and then sleeps for `noting` seconds.
 */
export function shopAgents({ pause, noting }: { pause: Gate; noting: string }): {
  maintainer: Agent;
  notary: Agent;
} {
  let heldOnce = false;
  const maintainer: Agent = {
    task: TASK,
    steps: [
      { calls: [{ id: 'create', tool: 'create_workspace', args: { template: 'shop' } }] },
      {
        calls: [
          { id: 'read', tool: 'read_file', args: { path: 'src/price.sh' } },
          { id: 'search', tool: 'search_files', args: { pattern: 'echo', path: 'src' } },
        ],
      },
      {
        calls: [
          {
            id: 'spawn',
            tool: 'spawn_agent',
            args: { prompt: 'Read src/tax.sh, and write what the tax is into NOTES.md.' },
          },
        ],
      },
      {
        says() {
          if (heldOnce) return [text('Meanwhile I read the tests.')];
          heldOnce = true;
          return [text(['Meanwhile ', pause, 'I read the tests.'])];
        },
        calls: [{ id: 'read_tests', tool: 'read_file', args: { path: 'test.sh' } }],
      },
      {
        calls: [
          {
            id: 'wait',
            tool: 'wait_agent',
            args: (progress) => ({ agent_id: progress.field('spawn', 'agent_id') }),
          },
        ],
      },
      {
        calls: [
          {
            id: 'edit',
            tool: 'edit_files',
            args: {
              files: [
                { path: 'src/price.sh', edits: [{ old_text: '$1 + $2', new_text: '$1 * $2' }] },
                {
                  path: 'src/tax.sh',
                  edits: [{ old_text: '$1 - $1 * 19', new_text: '$1 + $1 * 91' }],
                },
              ],
            },
          },
        ],
      },
      {
        calls: [
          {
            id: 'test',
            tool: 'execute',
            args: { command: 'sh test.sh first', run_in_background: true },
          },
        ],
      },
      {
        calls: [
          {
            id: 'look',
            tool: 'process_output',
            args: (progress) => ({ process_id: progress.field('test', 'process_id'), wait: 5 }),
          },
        ],
        again: (result) => result.includes('still_running'),
      },
      { calls: [{ id: 'watch', tool: 'execute', args: { command: 'sh test.sh watch' } }] },
      {
        calls: [
          {
            id: 'fix',
            tool: 'edit_files',
            args: {
              files: [
                { path: 'src/tax.sh', edits: [{ old_text: '$1 * 91', new_text: '$1 * 19' }] },
              ],
            },
          },
        ],
      },
      {
        calls: [
          {
            id: 'test_again',
            tool: 'execute',
            args: { command: 'sh test.sh second', run_in_background: true },
          },
          { id: 'agents', tool: 'list_agents', args: {} },
        ],
      },
      {
        calls: [
          {
            id: 'look_again',
            tool: 'process_output',
            args: (progress) => ({
              process_id: progress.field('test_again', 'process_id'),
              wait: 5,
            }),
          },
        ],
        again: (result) => result.includes('still_running'),
      },
    ],
    end: 'The tests pass.',
  };
  const notary: Agent = {
    task: 'Read src/tax.sh',
    steps: [
      { calls: [{ id: 'read_tax', tool: 'read_file', args: { path: 'src/tax.sh' } }] },
      {
        calls: [
          {
            id: 'note',
            tool: 'execute',
            args: { command: `echo '${NOTE}' >> NOTES.md; sleep ${noting}` },
          },
        ],
      },
      { calls: [{ id: 'read_notes', tool: 'read_file', args: { path: 'NOTES.md' } }] },
    ],
    end: 'NOTES.md says what the tax is.',
  };
  return { maintainer, notary };
}
