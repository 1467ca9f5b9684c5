import RFB from '@novnc/novnc';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Channel } from './channel.ts';

/** Rendered by noVNC, which also handles mouse and keyboard input while the user has control. */
export function DesktopScreen({
  channel,
  mine,
  fit,
  onLeave,
}: {
  readonly channel: Channel;
  readonly mine: boolean;
  readonly fit: boolean;
  /** Moves the focus elsewhere. */
  readonly onLeave: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  const screen = useRef<RFB>(undefined);
  useEffect(() => {
    if (element.current === null) return;
    const rfb = new RFB(element.current, channel, { shared: true });
    rfb.background = 'transparent';
    rfb.showDotCursor = true;
    // Optimized for text.
    rfb.qualityLevel = 9;
    rfb.viewOnly = true;
    screen.current = rfb;
    return () => {
      screen.current = undefined;
      rfb.disconnect();
    };
  }, [channel]);
  useEffect(() => {
    const rfb = screen.current;
    if (rfb === undefined) return;
    rfb.viewOnly = !mine;
    if (mine) rfb.focus({ preventScroll: true });
    else rfb.blur();
  }, [channel, mine]);
  useEffect(() => {
    if (screen.current !== undefined) screen.current.scaleViewport = fit;
  }, [channel, fit]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    screen.current?.blur();
    onLeave();
  };
  return (
    <div
      ref={element}
      role="application"
      aria-label={mine ? 'Desktop, under your control' : 'Desktop'}
      data-takes-keys={mine ? '' : undefined}
      onKeyDownCapture={onKeyDown}
      className="min-h-0 flex-1 overflow-auto bg-code"
    />
  );
}
