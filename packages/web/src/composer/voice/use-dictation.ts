import { useEffect, useRef, useState } from 'react';
import type { ComposerState } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import {
  heardIn,
  type Recognition,
  RecognitionClass,
  type RecognitionError,
  type RecognitionResult,
  withHeard,
} from './recognition.ts';
import { toast } from '../../ui/toast.ts';

/** Ends without an error message. */
const QUIET = new Set(['aborted', 'no-speech']);

/** Writes what the user says to the end of the draft. */
export function useDictation(composing: ComposerState): {
  readonly listening: boolean;
  readonly toggle: () => void;
} {
  const [listening, setListening] = useState(false);
  const running = useRef<Recognition>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  // Sending empties the draft. Later words would start the next message.
  useEffect(
    () =>
      composing.text.subscribe(() => {
        if (composing.text.get() === '') running.current?.abort();
      }),
    [composing],
  );

  const start = () => {
    if (RecognitionClass === undefined) return;
    const recognition = new RecognitionClass();
    let interim = '';
    recognition.lang = navigator.language;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.addEventListener('result', (event) => {
      if (running.current !== recognition) return;
      const next = withHeard(composing.text.get(), interim, heardIn(event as RecognitionResult));
      ({ interim } = next);
      composing.text.set(next.text);
    });
    recognition.addEventListener('error', (event) => {
      const { error } = event as RecognitionError;
      if (!QUIET.has(error)) toast.error('Voice input failed', { description: reasonOf(error) });
    });
    recognition.addEventListener('end', () => {
      if (running.current !== recognition) return;
      running.current = undefined;
      setListening(false);
    });
    running.current = recognition;
    recognition.start();
    setListening(true);
    announce('Listening');
  };
  return {
    listening,
    toggle: () => (running.current === undefined ? start() : running.current.stop()),
  };
}

function reasonOf(error: string): string {
  switch (error) {
    case 'not-allowed':
    case 'service-not-allowed':
      return 'Microphone access is blocked. Allow it in the site settings of your browser.';
    case 'audio-capture':
      return 'No microphone was found.';
    case 'network':
      return 'The speech recognition of your browser is unreachable.';
    default:
      return `The browser reported “${error}”.`;
  }
}
