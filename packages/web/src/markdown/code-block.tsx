import { Check, Copy, WrapText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { cx } from '../ui/class-names.ts';
import { Action } from '../ui/action.tsx';
import { Code } from './code.tsx';
import { safeText } from './safe-text.ts';
import { useCopy } from './use-copy.ts';

/** A complete code block. */
export function CodeBlock({
  code,
  language,
}: {
  readonly code: string;
  readonly language?: string | undefined;
}) {
  const text = code.endsWith('\n') ? code.slice(0, -1) : code;
  return (
    <CodeFrame language={language} copied={() => text}>
      <Code text={text} language={language} />
    </CodeFrame>
  );
}

/** The box around code, with its language and actions. Later pieces of the same code have no header. */
export function CodeFrame({
  language,
  copied,
  joined = false,
  children,
}: {
  readonly language?: string | undefined;
  /** All of the code, read when it is copied. */
  readonly copied: () => string;
  readonly joined?: boolean;
  readonly children: ReactNode;
}) {
  const [wrapped, setWrapped] = useState(false);
  const [done, copy] = useCopy();
  return (
    <div className={cx('md-code', joined && 'md-code-joined')}>
      {!joined && (
        <div className="md-code-head">
          <span className="min-w-0 flex-1 truncate">{safeText(language ?? '') || 'text'}</span>
          <Action
            label={wrapped ? 'Do not wrap lines' : 'Wrap lines'}
            pressed={wrapped}
            onClick={() => setWrapped(!wrapped)}
          >
            <WrapText />
          </Action>
          <Action label={done ? 'Copied' : 'Copy code'} onClick={() => void copy(copied())}>
            {done ? <Check /> : <Copy />}
          </Action>
        </div>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it */}
      <pre tabIndex={0} aria-label="Code" className={wrapped ? 'md-code-wrapped' : undefined}>
        {children}
      </pre>
    </div>
  );
}
