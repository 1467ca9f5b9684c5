import { Accessibility, Plus, SquareTerminal } from 'lucide-react';
import { useRef } from 'react';
import { Cell, useCell } from '../../state/cell.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { PanelBar } from '../panel-bar.tsx';
import { useOpenTerminals } from './open-terminals.ts';
import { TerminalView } from './terminal-view.tsx';

const KEY = 'chatd.terminal-reader';
const forReaders = new Cell(localStorage.getItem(KEY) === 'on');
forReaders.subscribe(() => localStorage.setItem(KEY, forReaders.get() ? 'on' : 'off'));

/** The terminals of a workspace. Hidden ones keep running. */
export function Terminals({ workspaceId }: { readonly workspaceId: string }) {
  const { list, shown, show, add, remove, opened } = useOpenTerminals(workspaceId);
  const reading = useCell(forReaders);
  const bar = useRef<HTMLDivElement>(null);
  if (list === undefined) return <Spinner label="Loading terminals" className="m-4" />;
  const current = list.find(({ key }) => key === shown);
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <div
          ref={bar}
          role="group"
          aria-label="Terminals"
          className="flex min-w-0 flex-1 gap-1 overflow-x-auto"
        >
          {list.map(({ key, number }) => (
            <button
              key={key}
              type="button"
              aria-pressed={key === shown}
              className={cx(
                'shrink-0 rounded-md px-2 py-0.5 text-sm text-muted hover:bg-hover',
                key === shown && 'bg-selected text-text',
              )}
              onClick={() => show(key)}
            >
              {`Terminal ${number}`}
            </button>
          ))}
        </div>
        <IconButton label="New terminal" size="small" onClick={add}>
          <Plus />
        </IconButton>
        <IconButton
          label="Screen reader mode"
          size="small"
          aria-pressed={reading}
          onClick={() => forReaders.update((on) => !on)}
        >
          <Accessibility />
        </IconButton>
      </PanelBar>
      {current === undefined ? (
        <div className="p-4">
          <EmptyState
            icon={<SquareTerminal />}
            title="No open terminals"
            action={
              <Button kind="primary" onClick={add}>
                Open terminal
              </Button>
            }
          />
        </div>
      ) : (
        <TerminalView
          key={current.key}
          workspaceId={workspaceId}
          terminal={current}
          reading={reading}
          onOpened={(id) => opened(current.key, id)}
          onGone={() => remove(current.key)}
          onLeave={() => bar.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()}
        />
      )}
    </div>
  );
}
