import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { toast } from './toast.ts';

const SAID_MS = 2000;

export function CopyButton({
  text,
  label = 'Copy',
  ...props
}: Omit<ButtonProps, 'onClick' | 'children'> & {
  readonly text: string;
  readonly label?: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button {...props} onClick={() => void copy(text).then(setCopied)}>
      {copied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}

/** Pages without TLS have no clipboard, and some browsers refuse access. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast.error('Copying is blocked by the browser. Select the text and copy it manually.');
    return false;
  }
}
