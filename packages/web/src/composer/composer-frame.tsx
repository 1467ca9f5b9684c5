import { Paperclip } from 'lucide-react';
import { type ReactNode, type RefObject, useState } from 'react';
import { useCell } from '../state/cell.ts';
import type { ComposerState } from '../state/composer-state.ts';
import { cx } from '../ui/class-names.ts';
import { Hint } from '../ui/hint.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { attach } from './attach/attachments.ts';
import { FileDrop } from './attach/file-drop.tsx';
import { typeText } from './editor/editor.tsx';
import { TOOL } from './tool-style.ts';
import { VoiceButton } from './voice/voice-button.tsx';

const AttachmentList = onDemand(
  async () => (await import('./attach/attachment-list.tsx')).AttachmentList,
);
const ReferenceList = onDemand(
  async () => (await import('./attach/reference-list.tsx')).ReferenceList,
);

/** The composer's box: attachments above the text, options below it. */
export function ComposerFrame({
  composing,
  field,
  picker,
  text,
  tools,
  actions,
}: {
  readonly composing: ComposerState;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Opens the file picker. */
  readonly picker: RefObject<HTMLInputElement | null>;
  readonly text: ReactNode;
  readonly tools: ReactNode;
  readonly actions: ReactNode;
}) {
  const pending = useCell(composing.pending);
  const beside = useCell(composing.attachments).length + useCell(composing.references).length > 0;
  // A text field matches :focus-visible however it got the focus, and this one nearly always has it.
  const [byKeyboard, setByKeyboard] = useState(false);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- only watches how the focus arrives
    <div
      aria-busy={pending !== null}
      className={cx(
        'relative rounded-3xl border border-line bg-raised shadow-card transition-[border-color,box-shadow] has-[textarea:focus]:border-line-strong/35',
        byKeyboard &&
          'has-[textarea:focus]:border-focus has-[textarea:focus]:shadow-[0_0_0_1px_var(--focus)]',
        pending !== null && 'opacity-80',
      )}
      onKeyUp={({ key }) => {
        if (key === 'Tab') setByKeyboard(true);
      }}
      onPointerDown={() => setByKeyboard(false)}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setByKeyboard(false);
      }}
    >
      {beside && (
        <div className="flex max-h-[25dvh] flex-col gap-2 overflow-y-auto p-3 pb-0">
          <ReferenceList composing={composing} />
          <AttachmentList
            composing={composing}
            onTextWanted={(wanted) => typeText(field.current, wanted)}
          />
        </div>
      )}
      {text}
      {/* The corners of the box and of the send button have the same center. */}
      <div className="flex items-center gap-0.5 p-1.5">
        <FilePicker composing={composing} input={picker} />
        <VoiceButton composing={composing} />
        {tools}
        <span className="flex-1" />
        {actions}
      </div>
      <FileDrop composing={composing} />
    </div>
  );
}

function FilePicker({
  composing,
  input,
}: {
  readonly composing: ComposerState;
  readonly input: RefObject<HTMLInputElement | null>;
}) {
  return (
    <>
      <Hint text="Attach files, up to 10 MiB each. You can also paste or drop them.">
        <button
          type="button"
          aria-label="Attach files"
          className={cx(TOOL, 'shrink-0')}
          onClick={() => input.current?.click()}
        >
          <Paperclip aria-hidden />
        </button>
      </Hint>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          attach(composing, Array.from(target.files ?? []));
          // Allows choosing the same file again.
          target.value = '';
          composing.focus();
        }}
      />
    </>
  );
}
