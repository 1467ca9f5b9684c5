import type { Chat } from '@chatd/protocol';
import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useCell } from '../state/cell.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { INPUT } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { type Label, labelsOf } from './filter.ts';

interface Line extends Label {
  readonly key: number;
}

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,62}$/;
const MOST = 50;

export function EditLabels({
  chat,
  onClose,
}: {
  readonly chat: Chat;
  readonly onClose: () => void;
}) {
  const actions = useChatActions();
  const known = labelsOf(useCell(useChatList().chats).values());
  // Compared on save, so that concurrent changes to other labels are kept.
  const [before] = useState(chat);
  const [lines, setLines] = useState(() => linesOf(before));
  const [checked, setChecked] = useState(false);
  const names = useId();
  const form = useId();
  const problems = problemsOf(lines);
  const set = (key: number, change: Partial<Label>) =>
    setLines((all) => all.map((line) => (line.key === key ? { ...line, ...change } : line)));
  const add = () =>
    setLines((all) => [
      ...all,
      { key: Math.max(0, ...all.map(({ key }) => key)) + 1, name: '', value: '' },
    ]);
  const save = () => {
    setChecked(true);
    if (problems.size > 0) return;
    const written = lines.filter(({ name }) => name.trim() !== '');
    const labels = Object.fromEntries(
      written.map(({ name, value }) => [name.trim(), value.trim()]),
    );
    void actions.setLabels(before, labels);
    onClose();
  };
  return (
    <Dialog
      title="Labels"
      description="Use labels to group and filter chats."
      open
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={form}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-2 pt-1"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <datalist id={names}>
          {[...new Set(known.map(({ name }) => name))].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </datalist>
        {lines.map((line, index) => (
          <LabelLine
            key={line.key}
            line={line}
            number={index + 1}
            names={names}
            problem={checked ? problems.get(line.key) : undefined}
            onChange={(change) => set(line.key, change)}
            onRemove={() => setLines((all) => all.filter(({ key }) => key !== line.key))}
          />
        ))}
        {lines.length < MOST && (
          <Button size="small" kind="quiet" className="self-start" onClick={add}>
            <Plus className="size-4" aria-hidden /> Add label
          </Button>
        )}
      </form>
    </Dialog>
  );
}

interface LabelLineProps {
  readonly line: Line;
  readonly number: number;
  /** The id of the datalist with existing names. */
  readonly names: string;
  readonly problem: string | undefined;
  readonly onChange: (change: Partial<Label>) => void;
  readonly onRemove: () => void;
}

function LabelLine({ line, number, names, problem, onChange, onRemove }: LabelLineProps) {
  const nameField = useRef<HTMLInputElement>(null);
  const about = useId();
  // The user has just added it.
  useEffect(() => {
    if (nameField.current?.value === '') nameField.current.focus();
  }, []);
  return (
    <div>
      <div className="flex items-center gap-2">
        <input
          ref={nameField}
          aria-label={`Name of label ${number}`}
          aria-invalid={problem !== undefined}
          aria-describedby={about}
          list={names}
          placeholder="name"
          autoComplete="off"
          className={INPUT}
          value={line.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <input
          aria-label={`Value of label ${number}`}
          placeholder="value"
          autoComplete="off"
          maxLength={256}
          dir="auto"
          className={INPUT}
          value={line.value}
          onChange={({ target }) => onChange({ value: target.value })}
        />
        <IconButton label={`Remove label ${number}`} size="small" onClick={onRemove}>
          <X />
        </IconButton>
      </div>
      <p id={about} role="alert" className="text-sm text-bad">
        {problem}
      </p>
    </div>
  );
}

function linesOf({ labels }: Chat): readonly Line[] {
  const entries = Object.entries(labels);
  if (entries.length === 0) return [{ key: 0, name: '', value: '' }];
  return entries.map(([name, value], key) => ({ key, name, value }));
}

/** Errors by the key of the line. Empty lines are ignored. */
function problemsOf(lines: readonly Line[]): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  const seen = new Set<string>();
  for (const { key, name, value } of lines) {
    const trimmed = name.trim();
    if (trimmed === '' && value.trim() === '') continue;
    if (!NAME.test(trimmed)) {
      problems.set(
        key,
        'Use letters, digits and . _ / - (starting with a letter or digit), up to 63 characters.',
      );
    } else if (seen.has(trimmed)) problems.set(key, 'This name is already used.');
    seen.add(trimmed);
  }
  return problems;
}
