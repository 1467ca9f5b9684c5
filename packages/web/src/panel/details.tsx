import type { PanelTabProps } from './tabs.ts';

export default function Details({ chat }: PanelTabProps) {
  return <div className="p-4">{chat.title}</div>;
}
