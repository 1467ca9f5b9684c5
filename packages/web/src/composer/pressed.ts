import type { KeyboardEvent } from 'react';
import { MAC } from '../state/keys.ts';
import type { PressedKey } from './send/send-keys.ts';

export const pressed = (event: KeyboardEvent): PressedKey => ({
  key: event.key,
  keyCode: event.keyCode,
  isComposing: event.nativeEvent.isComposing,
  mod: MAC ? event.metaKey : event.ctrlKey,
  shift: event.shiftKey,
  alt: event.altKey,
});
