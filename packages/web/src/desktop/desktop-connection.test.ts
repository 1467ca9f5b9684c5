import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import type { DesktopConnection as Connection } from './desktop-connection.ts';

/** Stubs of the page: the test controls sockets, timers and answers. */
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

/** Answers the next status request. */
async function answered(status: { running: boolean; reason?: string }): Promise<void> {
  await eventually(() => expect(answers).toHaveLength(1));
  answers.shift()?.resolve(Response.json(status));
}

async function noneRuns(): Promise<Connection> {
  const { DesktopConnection } = await import('./desktop-connection.ts');
  const connection = new DesktopConnection('c', {
    now: () => 0,
    after: (_, run) => {
      timer = run;
      return () => undefined;
    },
  });
  sockets[0]?.close();
  await answered({ running: false, reason: 'None.' });
  await eventually(() => expect(connection.state.get().kind).toBe('none'));
  return connection;
}

test.each([false, true])(
  'a start takes precedence over a status request in flight (running: %s)',
  async (running) => {
    const connection = await noneRuns();
    timer();
    await eventually(() => expect(answers).toHaveLength(1));
    connection.start();
    expect(sockets).toHaveLength(2);
    await answered({ running });
    // Lets the answer take effect.
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.state.get().kind).toBe('connecting');
    expect(sockets).toHaveLength(2);
    connection.close();
  },
);
