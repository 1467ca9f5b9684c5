import { keysLabel } from '../state/keys.ts';

export function Keys({ keys }: { readonly keys: string }) {
  return (
    <kbd className="rounded border border-current/30 px-1 font-sans text-xs opacity-80">
      {keysLabel(keys)}
    </kbd>
  );
}
