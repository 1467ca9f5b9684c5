import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.ts';
import type { DesktopLine as Line } from './desktop-line.ts';

/** The page around a line: sockets and timers of which the test decides, and answers that come when it says so. */
const sockets: { close(): void }[] = [];
const answers: PromiseWithResolvers<Response>[] = [];
let timer: () => void = () => undefined;

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://chatd.test/', origin: 'http://chatd.test' });
  vi.stubGlobal('fetch', () => {
    const answer = Promise.withResolvers<Response>();
    answers.push(answer);
    return answer.promise;
  });
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      constructor() {
        super();
        sockets.push(this);
      }
      close() {
        this.dispatchEvent(new Event('close'));
      }
    },
  );
});
afterEach(() => {
  sockets.splice(0);
  answers.splice(0);
  vi.unstubAllGlobals();
});

/** What the server says of the desktop to whoever looks next. */
async function answered(status: { running: boolean; reason?: string }): Promise<void> {
  await eventually(() => expect(answers).toHaveLength(1));
  answers.shift()?.resolve(Response.json(status));
}

async function noneRuns(): Promise<Line> {
  const { DesktopLine } = await import('./desktop-line.ts');
  const line = new DesktopLine('c', {
    now: () => 0,
    random: () => 0,
    later: (_, run) => {
      timer = run;
      return () => undefined;
    },
  });
  sockets[0]?.close();
  await answered({ running: false, reason: 'None.' });
  await eventually(() => expect(line.state.get().kind).toBe('none'));
  return line;
}

test.each([false, true])(
  'a desktop that somebody starts is not lost to a look that was under way (it says that one runs: %s)',
  async (running) => {
    const line = await noneRuns();
    timer();
    await eventually(() => expect(answers).toHaveLength(1));
    line.start();
    expect(sockets).toHaveLength(2);
    await answered({ running });
    // Whatever comes of an answer has come of it by then.
    await new Promise((resolve) => setImmediate(resolve));
    expect(line.state.get().kind).toBe('connecting');
    expect(sockets).toHaveLength(2);
    line.close();
  },
);
