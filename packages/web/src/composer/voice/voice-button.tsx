import { Mic } from 'lucide-react';
import type { ComposerState } from '../../state/composer-state.ts';
import { cx } from '../../ui/class-names.ts';
import { Hint } from '../../ui/hint.tsx';
import { TOOL } from '../tool-style.ts';
import { RecognitionClass } from './recognition.ts';
import { useDictation } from './use-dictation.ts';

/** Hidden where the browser has no speech recognition. */
export function VoiceButton({ composing }: { readonly composing: ComposerState }) {
  const { listening, toggle } = useDictation(composing);
  if (RecognitionClass === undefined) return null;
  return (
    <Hint
      text={listening ? 'Stop voice input' : 'Dictate with the speech recognition of your browser'}
    >
      <button
        type="button"
        aria-label="Voice input"
        aria-pressed={listening}
        className={cx(TOOL, 'shrink-0 max-[22.5rem]:hidden', listening && 'text-bad!')}
        onClick={toggle}
      >
        <Mic aria-hidden className={cx(listening && 'motion-safe:animate-pulse')} />
      </button>
    </Hint>
  );
}
