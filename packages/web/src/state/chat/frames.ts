/** Calls back before the next picture is drawn; a page that nobody sees draws none, and is called back by a timer. */
export interface Frames {
  request(run: () => void): void;
  cancel(): void;
}

const HIDDEN_MS = 200;

/** One wish at a time: several before a frame are one. */
export function pageFrames(): Frames {
  let wanted: (() => void) | undefined;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    const due = wanted;
    wanted = undefined;
    due?.();
  };
  return {
    request(next) {
      const waits = wanted !== undefined;
      wanted = next;
      if (waits) return;
      frame = requestAnimationFrame(run);
      // Also when the page is hidden between now and the frame.
      timer = setTimeout(run, HIDDEN_MS);
    },
    cancel() {
      wanted = undefined;
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    },
  };
}
