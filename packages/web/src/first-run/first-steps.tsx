import type { User } from '@chatd/protocol';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { Checklist } from './checklist.tsx';
import { DEMO_PROMPTS, type DemoPrompt } from './demo-prompts.ts';
import { useModels } from './use-models.ts';
import { toast } from '../ui/toast.ts';

/** What a new user can do first: the checklist of admins, and prompts for the demo model while there is no other. */
export function FirstSteps({ user }: { readonly user: User }) {
  const models = useModels();
  if (models === undefined) return null;
  return (
    <div className="flex flex-col gap-6">
      {user.role === 'admin' && <Checklist user={user} models={models} />}
      {user.role !== 'admin' && models !== 'real' && (
        <p className="rounded-2xl border border-line bg-surface px-4 py-3 text-muted">
          {models === 'demo'
            ? 'You are using the built-in demo model, which gives scripted answers.'
            : 'No model is enabled, so chats cannot be answered.'}{' '}
          Ask an admin to add a provider in the settings.
        </p>
      )}
      {models === 'demo' && <Suggestions />}
    </div>
  );
}

function Suggestions() {
  const list = useChatList();
  const [, go] = useLocation();
  const [begun, setBegun] = useState(false);
  const begin = async ({ text, planMode = false }: DemoPrompt) => {
    setBegun(true);
    try {
      const chat = await client.call('createChat', {
        body: { content: text, plan_mode: planMode },
      });
      list.put(chat);
      go(`/chats/${chat.id}`);
    } catch (error) {
      setBegun(false);
      toast.error('The chat could not be started', { description: explain(error) });
    }
  };
  return (
    <section aria-labelledby="try-this">
      <h2 id="try-this" className="mb-2 text-sm font-semibold text-muted">
        Example prompts
      </h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {DEMO_PROMPTS.map((prompt) => (
          <li key={prompt.text}>
            {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- its text is its name, further down than the rule looks */}
            <button
              type="button"
              disabled={begun}
              className="flex w-full items-center gap-3 rounded-xl border border-line px-3 py-2.5 text-start hover:border-line-strong hover:bg-surface disabled:opacity-60"
              onClick={() => void begin(prompt)}
            >
              <prompt.Icon aria-hidden className="size-4 shrink-0 text-muted" />
              <span className="min-w-0">
                <span className="block font-medium">{prompt.text}</span>
                <span className="block text-sm text-muted">{prompt.shows}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
