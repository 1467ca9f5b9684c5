import { type KeyEvent, KeyReader } from '../terminal/keys.ts';

/** Time for the rest of a sequence to arrive; after that it was the Escape key. */
const ESCAPE_MS = 40;

/** Reports each key until `close`. */
export function openRawInput(
  stdin: NodeJS.ReadStream,
  onKey: (event: KeyEvent) => void,
): { close(): void; suspend(): void; resume(): void } {
  const reader = new KeyReader();
  let timer: NodeJS.Timeout | undefined;
  const onData = (chunk: string) => {
    clearTimeout(timer);
    for (const event of reader.read(chunk)) onKey(event);
    if (reader.isWaiting) {
      timer = setTimeout(() => {
        for (const event of reader.flush()) onKey(event);
      }, ESCAPE_MS);
    }
  };
  const resume = () => {
    stdin.setRawMode(true);
    stdin.resume();
  };
  const suspend = () => {
    stdin.setRawMode(false);
    stdin.pause();
  };
  stdin.setEncoding('utf8').on('data', onData);
  resume();
  return {
    resume,
    suspend,
    close() {
      clearTimeout(timer);
      stdin.off('data', onData);
      suspend();
    },
  };
}
