import { Bot, MessageSquareShare, OctagonX, Users } from 'lucide-react';
import { Link } from 'wouter';
import { link } from '../../../api/client.ts';
import { Markdown } from '../../../markdown/markdown.tsx';
import { useChat } from '../../../state/chats/use-chat-list.ts';
import { BoundedText } from '../bounded-text.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { resultField, resultText, textArgument } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

/** The agent that a call started or refers to. */
const agentOf = (view: ToolView): string => {
  const started = resultField(view, 'agent_id');
  return typeof started === 'string' ? started : textArgument(view, 'agent_id');
};

export const spawnAgent: ToolKind = {
  icon: <Bot />,
  verb: ['start an agent', 'starting an agent', 'started an agent'],
  about: (view) => textArgument(view, 'prompt').split('\n', 1)[0],
  Action: AgentLink,
  Body: ({ view }) => (
    <>
      <div className="px-3 py-2 text-sm">
        <Markdown text={textArgument(view, 'prompt')} />
      </div>
      {view.state === 'failed' && <BoundedText text={resultText(view)} className="text-bad" />}
    </>
  ),
  hasBody: (view) => textArgument(view, 'prompt') !== '',
};

export const waitAgent: ToolKind = {
  icon: <Users />,
  verb: ['wait for agents', 'waiting for agents', 'waited for agents'],
  Action: AgentLink,
  Body: Report,
  open: ({ state }) => state === 'done',
};

export const messageAgent: ToolKind = {
  icon: <MessageSquareShare />,
  verb: ['message an agent', 'messaging an agent', 'messaged an agent'],
  about: (view) => textArgument(view, 'message').split('\n', 1)[0],
  Action: AgentLink,
  Body: ({ view }) => <BoundedText text={textArgument(view, 'message')} />,
};

export const interruptAgent: ToolKind = {
  icon: <OctagonX />,
  verb: ['stop an agent', 'stopping an agent', 'stopped an agent'],
  Action: AgentLink,
};

export const listAgents: ToolKind = {
  icon: <Users />,
  verb: ['list agents', 'listing agents', 'listed agents'],
  Body: ({ view }) => <BoundedText text={resultText(view)} />,
};

const DOING = {
  waiting: 'finished',
  running: 'running',
  interrupting: 'stopping',
  requires_action: 'needs input',
  error: 'failed',
};

/** Links to the agent's chat and shows its current state. */
function AgentLink({ view }: ToolCardProps) {
  const id = agentOf(view);
  const agent = useChat(id);
  if (!/^[\da-f-]{36}$/.test(id)) return null;
  const style = 'shrink-0 text-link underline underline-offset-2';
  if (link !== undefined) {
    return (
      <a href={`/shared/${id}#${link.secret}`} className={style}>
        Open
      </a>
    );
  }
  return (
    <Link href={`/chats/${id}`} className={style}>
      Open{agent !== undefined && ` (${DOING[agent.status]})`}
    </Link>
  );
}

function Report({ view }: ToolCardProps) {
  if (view.state === 'failed') return <BoundedText text={resultText(view)} className="text-bad" />;
  return (
    <div className="max-h-96 overflow-auto px-3 py-2 text-sm">
      <Markdown text={resultText(view)} />
    </div>
  );
}
