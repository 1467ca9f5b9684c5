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

/** Answers the oldest request as soon as this many are open. */
async function answered(status: { running: boolean; reason?: string }, open = 1): Promise<void> {
  await eventually(() => expect(answers).toHaveLength(open));
  answers.shift()?.resolve(Response.json(status));
}

async function withoutDesktop(): Promise<Connection> {
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
    const connection = await withoutDesktop();
    timer();
    await eventually(() => expect(answers).toHaveLength(1));
    void connection.start();
    await eventually(() => expect(answers).toHaveLength(2));
    await answered({ running }, 2);
    // Lets the answer take effect.
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.state.get().kind).toBe('connecting');
    expect(sockets).toHaveLength(1);
    await answered({ running: true });
    await eventually(() => expect(sockets).toHaveLength(2));
    connection.close();
  },
);

test('the reason of a failed start is kept while no desktop runs', async () => {
  const connection = await withoutDesktop();
  void connection.start();
  await eventually(() => expect(answers).toHaveLength(1));
  const problem = { code: 'no_desktop', status: 409, title: 'No desktop', detail: 'No Xvnc.' };
  const headers = { 'content-type': 'application/problem+json' };
  answers.shift()?.resolve(new Response(JSON.stringify(problem), { status: 409, headers }));
  const failed = { kind: 'none', reason: 'None.', problem: 'No Xvnc.' };
  await eventually(() => expect(connection.state.get()).toEqual(failed));
  timer();
  await answered({ running: false, reason: 'None.' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(connection.state.get()).toEqual(failed);
  connection.close();
});
