/** The part of the Web Speech API that is used. */
export interface Recognition extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  stop(): void;
  abort(): void;
}

export interface RecognitionResult extends Event {
  readonly resultIndex: number;
  readonly results: ArrayLike<
    ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }
  >;
}

export interface RecognitionError extends Event {
  readonly error: string;
}

interface Names {
  readonly SpeechRecognition?: new () => Recognition;
  readonly webkitSpeechRecognition?: new () => Recognition;
}

const { SpeechRecognition, webkitSpeechRecognition } = globalThis as Names;

/** Undefined: this browser has no speech recognition. */
export const RecognitionClass = SpeechRecognition ?? webkitSpeechRecognition;

/** What was understood since the last event: final, and what may still change. */
export function heardIn({ results, resultIndex }: RecognitionResult): {
  readonly final: string;
  readonly interim: string;
} {
  const heard = { final: '', interim: '' };
  for (const result of Array.from(results).slice(resultIndex)) {
    heard[result.isFinal ? 'final' : 'interim'] += result[0]?.transcript ?? '';
  }
  return heard;
}

/** The draft with the text that was heard, in place of the interim text of the event before. */
export function withHeard(
  draft: string,
  before: string,
  { final, interim }: { readonly final: string; readonly interim: string },
): { readonly text: string; readonly interim: string } {
  const kept = before !== '' && draft.endsWith(before) ? draft.slice(0, -before.length) : draft;
  const settled = joined(kept, final);
  const text = joined(settled, interim);
  return { text, interim: text.slice(settled.length) };
}

function joined(text: string, more: string): string {
  const words = more.trim();
  return text === '' || words === '' || /\s$/.test(text) ? text + words : `${text} ${words}`;
}
