import type { Json } from '@chatd/protocol';
import { explain } from '../../api/explain.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Notice } from '../../ui/notice.tsx';
import { TextAreaField } from '../../ui/text-area.tsx';
import { usePreview } from './use-preview.ts';

/** Undefined: not JSON. */
export function payloadIn(text: string): Json | undefined {
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text) as Json;
  } catch {
    return undefined;
  }
}

/** A payload to try the prompt with, and the message that the agent would get. */
export function PayloadTest({
  prompt,
  text,
  onChange,
}: {
  readonly prompt: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const payload = payloadIn(text);
  return (
    <>
      <TextAreaField
        label="Test payload"
        code
        rows={5}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        error={payload === undefined ? 'Must be JSON' : undefined}
        help="Not saved. “Run now” uses it, too."
      />
      {prompt.trim() !== '' && payload !== undefined && <Rendered {...{ prompt, payload }} />}
    </>
  );
}

function Rendered({ prompt, payload }: { readonly prompt: string; readonly payload: Json }) {
  const { data, error } = usePreview({ prompt, payload });
  const wrong = error === null ? data?.prompt_error : explain(error);
  if (wrong !== null && wrong !== undefined) {
    return (
      <Notice kind="warn" live>
        {wrong}
      </Notice>
    );
  }
  return (
    <section aria-label="Rendered message" className="flex flex-col gap-1">
      <p className="font-medium">Message to the agent</p>
      <pre className="max-h-80 overflow-auto rounded-lg bg-code px-3 py-2 text-sm whitespace-pre-wrap wrap-anywhere">
        {safeText(data?.message ?? '')}
      </pre>
    </section>
  );
}
