import type { Page } from 'playwright-core';

/** Uses the hook of the React developer tools, which the production build calls, too. */
interface Fiber {
  readonly tag: number;
  readonly flags: number;
  readonly alternate: Fiber | null;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly return: Fiber | null;
  readonly stateNode: unknown;
}
interface Counting {
  drawn: Set<string>;
}

/** From the next page load on, `drawn` records renders. */
export async function watchDrawing(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const window = globalThis as unknown as Counting;
    const ELEMENT = 5;
    const COMPONENTS = new Set([0, 1, 11, 15]);
    const DREW = 1;
    window.drawn = new Set();
    const elementOf = (fiber: Fiber | null): Element | undefined =>
      fiber?.tag === ELEMENT && fiber.stateNode instanceof Element ? fiber.stateNode : undefined;
    /** A component is located by its first element, or by its parent's. */
    const placeOf = (fiber: Fiber): string => {
      let at: Fiber | null = fiber;
      while (at !== null && elementOf(at) === undefined) at = at.child;
      if (at === null) at = fiber;
      while (at !== null && elementOf(at) === undefined) at = at.return;
      const named = elementOf(at)?.closest('[data-key], [data-row]');
      return named?.outerHTML.split('>', 1)[0] ?? '';
    };
    const look = (fiber: Fiber): void => {
      const before = fiber.alternate;
      if (before !== null && COMPONENTS.has(fiber.tag) && (fiber.flags & DREW) !== 0) {
        window.drawn.add(placeOf(fiber));
      }
      if (before !== null && before.child === fiber.child) return;
      for (let at = fiber.child; at !== null; at = at.sibling) look(at);
    };
    Reflect.set(globalThis, '__REACT_DEVTOOLS_GLOBAL_HOOK__', {
      supportsFiber: true,
      inject: () => 1,
      checkDCE: () => undefined,
      onCommitFiberUnmount: () => undefined,
      onPostCommitFiberRoot: () => undefined,
      onCommitFiberRoot: (_: number, root: { readonly current: Fiber }) => look(root.current),
    });
  });
}

/** The timeline rows and sidebar chats rendered since the last call. */
export async function drawnAgain(
  page: Page,
): Promise<{ readonly rows: readonly string[]; readonly chats: readonly string[] }> {
  const places = await page.evaluate(() => {
    const window = globalThis as unknown as Counting;
    const drawn = [...window.drawn];
    window.drawn = new Set();
    return drawn;
  });
  const named = (pattern: RegExp) => places.flatMap((place) => pattern.exec(place)?.[1] ?? []);
  return { rows: named(/data-key="([^"]*)"/), chats: named(/data-row="([^"]*-[^"]*)"/) };
}
