import { isOwn } from '../../state/access.ts';
import type { PanelTabProps } from '../tabs.ts';
import { Context } from './context.tsx';
import { Cost } from './cost.tsx';
import { Labels } from './labels.tsx';
import { WorkspaceSection } from './workspace.tsx';

export default function Details({ chat, store }: PanelTabProps) {
  return (
    <div className="h-full overflow-y-auto">
      <WorkspaceSection chat={chat} />
      {isOwn(chat) && (
        <>
          <Cost chat={chat} store={store} />
          <Labels chat={chat} />
          <Context chat={chat} store={store} />
        </>
      )}
    </div>
  );
}
