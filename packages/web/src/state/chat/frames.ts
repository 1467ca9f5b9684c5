/** Calls back before the next paint. Hidden pages do not paint, so they use a timer. */
export interface Frames {
  request(run: () => void): void;
  cancel(): void;
}

const HIDDEN_MS = 200;

/** Coalesces requests: at most one callback per frame. */
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
      // The timer also covers a page that is hidden before the frame.
      timer = setTimeout(run, HIDDEN_MS);
    },
    cancel() {
      wanted = undefined;
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    },
  };
}
