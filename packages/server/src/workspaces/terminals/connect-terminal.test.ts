import { expect, test } from 'vitest';
import type { HostedTerminals, TerminalViewer } from '../../machine/machine.ts';
import { connectTerminal, type TerminalConnection } from './connect-terminal.ts';

const nothing = () => undefined;
const MIB = 1024 * 1024;

/** A client that reads nothing, and a machine that does not pause. */
function connect(answers: boolean) {
  let unsent = 0;
  let onClosed: () => void = nothing;
  let viewer: TerminalViewer | undefined;
  const endings: string[] = [];
  const connection: TerminalConnection = {
    get backlog() {
      return unsent;
    },
    send: (data) => void (unsent += data.length),
    drained: () => Promise.withResolvers<void>().promise,
    onMessage: () => undefined,
    onClosed: (listener) => void (onClosed = listener),
    close: (ending) => {
      endings.push(ending);
      onClosed();
    },
  };
  const view = { write: nothing, resize: nothing, flow: nothing, end: nothing, leave: nothing };
  const terminals = {
    attach: async (_id: string, _seen: unknown, given: TerminalViewer) => {
      viewer = given;
      if (!answers) await Promise.withResolvers().promise;
      return { from: 0, resumed: false, replay: 0, ...view };
    },
  } as unknown as HostedTerminals;
  connectTerminal(connection, { terminals, id: 'x', isNew: true, seen: undefined, onUse: nothing });
  return { endings, unsent: () => unsent, output: () => viewer?.onOutput(Buffer.alloc(MIB)) };
}

test.each([true, false])(
  'a machine that floods a client is cut off (answered: %s)',
  async (answers) => {
    const { endings, unsent, output } = connect(answers);
    await Promise.resolve();
    await Promise.resolve();
    for (let index = 0; index < 100; index++) output();
    expect(endings).toEqual(['slow']);
    expect(unsent()).toBeLessThan(20 * MIB);
  },
);
