/** Something that was started and can be stopped. */
export interface Closeable {
  close(): Promise<void>;
}

/** The steps that undo a start. They run in reverse order, all of them, even if some fail. */
export class CloseStack implements Closeable {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Closes the resource with the stack. */
  use<T extends Closeable>(resource: T): T {
    this.add(() => resource.close());
    return resource;
  }

  /** Throws the first failure, after all steps have run. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).toReversed()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Runs a start. If it fails, closes what it has started and throws the error of the start. */
export async function closingOnFailure<T extends object>(
  start: (stack: CloseStack) => Promise<T>,
  onCloseError: (error: unknown) => void,
): Promise<T & Closeable> {
  const stack = new CloseStack();
  try {
    return { ...(await start(stack)), close: () => stack.close() };
  } catch (error) {
    await stack.close().catch(onCloseError);
    throw error;
  }
}
