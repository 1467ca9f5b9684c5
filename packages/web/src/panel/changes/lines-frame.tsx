import type { Chat } from '@chatd/protocol';
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { useCanEdit } from '../../state/access.ts';
import { useCell } from '../../state/cell.ts';
import { composerStateOf } from '../../state/composer-state.ts';
import { panelFull } from '../../state/layout.ts';
import { cx } from '../../ui/class-names.ts';
import { useWide } from '../../ui/use-wide.ts';
import type { DiffLayout } from './diff-layout.ts';
import { HunkTable } from './hunk-table.tsx';
import { LineComment } from './line-comment.tsx';
import { chosen, chosenLines, type LineChoice } from './line-choice.ts';
import type { Hunk } from './patch.ts';
import './diff.css';

/** File lines that can be selected and commented on. */
export function LinesFrame({
  chat,
  path,
  hunks,
  layout,
}: {
  readonly chat: Chat;
  readonly path: string;
  readonly hunks: readonly Hunk[];
  readonly layout: DiffLayout;
}) {
  const canEdit = useCanEdit();
  const isWide = useWide();
  const isFull = useCell(panelFull);
  const help = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [choice, setChoice] = useState<LineChoice>();
  const [commenting, setCommenting] = useState(false);
  const gutters = () => [...(frame.current?.querySelectorAll<HTMLElement>('[data-gutter]') ?? [])];
  const choose = useCallback((hunk: number, line: number, extend: boolean) => {
    setChoice((before) => chosen(before, hunk, line, extend));
    setCommenting(true);
  }, []);
  const close = () => {
    setCommenting(false);
    const place = choice && `${choice.hunk}:${choice.to}`;
    setChoice(undefined);
    gutters()
      .find(({ dataset }) => dataset['gutter'] === place)
      ?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { currentTarget: target, key } = event;
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
    event.preventDefault();
    const all = gutters();
    const next = all[all.indexOf(target) + (key === 'ArrowDown' ? 1 : -1)];
    if (next === undefined) return;
    next.focus();
    if (!event.shiftKey) {
      if (!commenting) setChoice(undefined);
      return;
    }
    const [hunk = 0, line = 0] = numbersOf(next);
    const [before = 0, from = 0] = numbersOf(target);
    setChoice((was) => chosen(was ?? { hunk: before, from, to: from }, hunk, line, true));
  };
  return (
    <div
      ref={frame}
      role="group"
      aria-label={`Lines of ${path}`}
      aria-describedby={help}
      className="@container overflow-x-auto bg-code font-mono text-[0.8125rem] leading-5"
    >
      <p id={help} hidden>
        Arrow keys move between lines, Shift extends the selection, Enter comments.
      </p>
      <div className={cx(layout === 'unified' && 'w-fit min-w-full')}>
        {hunks.map((hunk, at) => (
          <HunkTable
            // oxlint-disable-next-line react/no-array-index-key -- hunks have no id
            key={at}
            hunk={hunk}
            at={at}
            path={path}
            layout={layout}
            choice={choice?.hunk === at ? choice : undefined}
            tabStop={at === 0}
            onChoose={choose}
            onKey={onKeyDown}
            comment={
              canEdit && commenting && choice?.hunk === at ? (
                <LineComment
                  path={path}
                  lines={chosenLines(hunk.lines, choice)}
                  composing={composerStateOf(chat.id)}
                  beside={isWide && !isFull}
                  onClose={close}
                />
              ) : undefined
            }
          />
        ))}
      </div>
    </div>
  );
}

const numbersOf = ({ dataset }: HTMLElement) => (dataset['gutter'] ?? '').split(':').map(Number);
